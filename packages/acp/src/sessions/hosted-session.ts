import type { CodingAgent, CodingSession, SessionEvent } from "@acumen/agent";
import type {
  AgentContext,
  ContentBlock as WireBlock,
  PromptResponse,
  SessionUpdate,
} from "@agentclientprotocol/sdk";

import type { ClientFeatures } from "../client/client-features.ts";
import { storedBlock } from "../mapping/content-blocks.ts";
import { SessionUpdates } from "../mapping/session-updates.ts";

/** A session that is open for a host. */
export class HostedSession {
  readonly session: CodingSession;
  readonly #agent: CodingAgent;
  readonly #client: AgentContext;
  readonly #features: ClientFeatures;
  readonly #updates: SessionUpdates;

  constructor(
    session: CodingSession,
    context: {
      readonly agent: CodingAgent;
      readonly client: AgentContext;
      readonly features: ClientFeatures;
    },
  ) {
    this.session = session;
    this.#agent = context.agent;
    this.#client = context.client;
    this.#features = context.features;
    this.#updates = new SessionUpdates({ features: context.features, replay: false });
  }

  /** The whole history, in order. */
  async replay(): Promise<void> {
    const updates = new SessionUpdates({ features: this.#features, replay: true });
    for (const event of this.session.events) await this.#send(updates.ofEvent(event));
    await this.#send(updates.unfinished());
  }

  async prompt(blocks: readonly WireBlock[], signal: AbortSignal): Promise<PromptResponse> {
    const { stopReason } = await this.#agent.runtime.runPrompt(
      this.session,
      blocks.map(storedBlock),
      {
        signal,
        source: "acp",
        sink: {
          event: (event: SessionEvent) => this.#send(this.#updates.ofEvent(event)),
          update: (update) => this.#send(this.#updates.ofTransient(update)),
        },
      },
    );
    return { stopReason };
  }

  async #send(updates: readonly SessionUpdate[]): Promise<void> {
    const { id: sessionId } = this.session;
    for (const update of updates)
      await this.#client.notify("session/update", { sessionId, update });
  }
}
