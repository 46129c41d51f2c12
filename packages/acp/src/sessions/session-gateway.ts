import {
  type AgentContext,
  type NewSessionRequest,
  type NewSessionResponse,
  type PromptRequest,
  type PromptResponse,
  RequestError,
} from "@agentclientprotocol/sdk";
import { isAbsolute } from "node:path";
import type { ClientFeatures } from "../client/client-features.ts";
import { hostApprovals } from "../permission/permission-gateway.ts";
import type { HostedAgent } from "../server-options.ts";
import { HostedSession } from "./hosted-session.ts";

export interface GatewayOptions {
  readonly client: AgentContext;
  readonly features: ClientFeatures;
  readonly opened: () => Promise<HostedAgent>;
}

/** The sessions that one host has open. */
export class SessionGateway {
  readonly #options: GatewayOptions;
  readonly #sessions = new Map<string, HostedSession>();

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  /** @throws RequestError, coded errors */
  async create(request: NewSessionRequest): Promise<NewSessionResponse> {
    const { cwd, additionalDirectories } = request;
    if (!isAbsolute(cwd)) throw invalidParams("cwd", "an absolute path");
    const { client, features, opened } = this.#options;
    const hosted = await opened();
    const { agent } = hosted;
    const { model, mode } = await hosted.choose(cwd);
    if (model === undefined) throw RequestError.authRequired(undefined, "No model is chosen.");
    const session = await agent.createSession({
      cwd,
      additionalDirectories: additionalDirectories ?? [],
      model,
      ...(mode !== undefined && { mode }),
      approvals: hostApprovals(client),
    });
    this.#sessions.set(session.id, new HostedSession(session, { agent, client, features }));
    return { sessionId: session.id };
  }

  /** @throws RequestError for an unknown session, coded errors */
  prompt({ sessionId, prompt }: PromptRequest, signal: AbortSignal): Promise<PromptResponse> {
    const hosted = this.#sessions.get(sessionId);
    if (hosted === undefined) throw RequestError.sessionNotFound(sessionId);
    return hosted.prompt(prompt, signal);
  }

  /** Ends the turn that runs and answers those that wait; nothing when none does. */
  cancel(sessionId: string): void {
    this.#sessions.get(sessionId)?.session.cancel();
  }

  async close(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(sessions.map(({ session }) => session.close()));
  }
}

function invalidParams(path: string, expected: string): RequestError {
  return RequestError.invalidParams({ path, expected }, `${path} must be ${expected}`);
}
