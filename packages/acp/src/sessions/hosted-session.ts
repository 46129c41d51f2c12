import type { CodingSession, ContentBlock, SessionMode } from "@acumen/agent";
import { createId } from "@acumen/core";
import type {
  PromptRequest,
  PromptResponse,
  SessionUpdate,
  SetSessionConfigOptionRequest,
  SetSessionConfigOptionResponse,
  SetSessionModeRequest,
} from "@agentclientprotocol/sdk";
import type { HostPaths } from "../client/host-paths.ts";
import { commandText } from "../commands/command-words.ts";
import { availableCommands, isCommand, runCommand } from "../commands/run-command.ts";
import type { HostedAgent, ModelChoice } from "../server-options.ts";
import { promptBlocks } from "./prompt-blocks.ts";
import { PromptLine } from "./prompt-line.ts";
import { SessionConfig } from "./session-config.ts";
import { type FeedOptions, SessionFeed } from "./session-feed.ts";

export interface HostedSessionOptions extends Omit<FeedOptions, "configOptions" | "paths"> {
  readonly paths: HostPaths;
  readonly hosted: HostedAgent;
  readonly models: readonly ModelChoice[];
  /** Prompts may hold images, as hosts were told. */
  readonly image: boolean;
  /** Aborted with the session's end. */
  readonly ended: AbortController;
}

type Work = (signal: AbortSignal) => Promise<unknown>;

const CANCELLED_COMMAND = { text: "Cancelled." };

/** A session that is open for a host. */
export class HostedSession {
  readonly session: CodingSession;
  readonly config: SessionConfig;
  readonly paths: HostPaths;
  readonly #hosted: HostedAgent;
  readonly #image: boolean;
  readonly #feed: SessionFeed;
  readonly #line = new PromptLine();
  readonly #ended: AbortController;
  #isFirst = true;
  /** Number of the message that cancelled the turn by its answer to a permission. */
  #cancelledBy: number | undefined;

  constructor(session: CodingSession, options: HostedSessionOptions) {
    this.session = session;
    this.paths = options.paths;
    this.#hosted = options.hosted;
    this.#image = options.image;
    this.#ended = options.ended;
    this.config = new SessionConfig(session, options.hosted, options.models);
    this.#feed = new SessionFeed(session, {
      ...options,
      configOptions: () => this.config.options,
    });
  }

  /** After the answer to the request that opened the session: before it hosts know nothing of the session. */
  announceCommands(): void {
    setTimeout(() => {
      if (!this.#ended.signal.aborted) void this.#feed.send([this.#commands]);
    }, 0);
  }

  /** The whole history, in order. */
  replay(): Promise<void> {
    return this.#feed.replay();
  }

  /** Taken at once, run in its turn. @throws RequestError, coded errors */
  prompt(
    { prompt }: PromptRequest,
    signal: AbortSignal,
    arrival?: number,
  ): Promise<PromptResponse> {
    const blocks = promptBlocks(prompt, { image: this.#image });
    const text = commandText(prompt);
    const command = text !== undefined && isCommand(text) ? text : undefined;
    return this.#line.run((own) => this.#answer(command, blocks, own), signal, arrival);
  }

  /**
   * Ends the turn that runs and answers the prompts that wait; nothing when there are none.
   * @param before number of the message that says so: prompts that came after it stay; default all
   */
  cancel(before?: number): void {
    this.#line.cancel(before);
  }

  /** The host answered a permission with `cancelled`: as the turn ends, so do the prompts that had come before that answer. */
  cancelledBy(arrival: number | undefined): void {
    this.#cancelledBy = arrival;
  }

  /** @throws RequestError, coded errors */
  async setMode({ modeId }: SetSessionModeRequest): Promise<void> {
    if (!(await this.config.setMode(modeId))) await this.#confirm();
  }

  /** Those that can be chosen by now; the host hears of a list that has changed. @throws coded errors */
  async models(): Promise<readonly ModelChoice[]> {
    if (await this.config.refreshModels()) await this.#feed.send([this.#options]);
    return this.config.models;
  }

  /** @throws RequestError, coded errors */
  async setOption(request: SetSessionConfigOptionRequest): Promise<SetSessionConfigOptionResponse> {
    if (request.configId === "model") await this.models();
    if (!(await this.config.setOption(request))) await this.#confirm();
    return { configOptions: this.config.options };
  }

  /** Shows the host's terminal in which a call runs. */
  showTerminal(toolCallId: string, terminalId: string): Promise<void> {
    return this.#feed.showTerminal(toolCallId, terminalId);
  }

  /** Cancels what runs and frees what the session holds. May be called twice. */
  async close(): Promise<void> {
    this.#ended.abort();
    this.#line.cancel();
    await this.session.close();
    this.#feed.close();
  }

  /** Resolves when every prompt was answered. */
  idle(): Promise<void> {
    return this.#line.idle();
  }

  async #answer(
    command: string | undefined,
    blocks: readonly ContentBlock[],
    signal: AbortSignal,
  ): Promise<PromptResponse> {
    // Hosts lose what comes before they are ready.
    if (this.#isFirst) await this.#feed.send([this.#commands]);
    this.#isFirst = false;
    return command === undefined
      ? this.#turn(blocks, signal)
      : this.#feed.whole(() => this.#command(command, blocks, signal));
  }

  async #turn(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse> {
    const { runtime } = this.#hosted.agent;
    this.#cancelledBy = undefined;
    const { stopReason } = await this.#feed.during(
      (sink) => runtime.runPrompt(this.session, blocks, { signal, source: "acp", sink }),
      signal,
    );
    // Whoever cancels at a permission wants an end of everything.
    if (stopReason === "cancelled" && !signal.aborted) this.#line.cancel(this.#cancelledBy);
    return { stopReason };
  }

  /** Kept like a turn, so that it is replayed; no model sees it. */
  async #command(
    text: string,
    content: readonly ContentBlock[],
    signal: AbortSignal,
  ): Promise<PromptResponse> {
    const { session } = this;
    const hosted = this.#hosted;
    await session.record({
      type: "USER_MESSAGE",
      payload: { content: [...content], source: "acp" },
    });
    await session.tellTrust((draft) => session.record(draft));
    const later: Work[] = [];
    const afterwards = (work: Work): void => void later.push(work);
    const context = {
      hosted,
      session,
      models: () => this.models(),
      setMode: (mode: SessionMode) => this.config.setMode(mode),
      signal,
      afterwards,
    };
    const said = await runCommand(text, context).catch((error: unknown) => {
      if (signal.aborted) return CANCELLED_COMMAND;
      throw error;
    });
    await session.record({
      type: "ASSISTANT_MESSAGE",
      payload: { message_id: createId(), kind: "command", text: said?.text ?? "", skill_ids: [] },
    });
    // The host has its answer first.
    if (later.length > 0) setTimeout(() => void this.#workOff(later), 0);
    return { stopReason: "end_turn" };
  }

  async #workOff(later: readonly Work[]): Promise<void> {
    const { signal } = this.#ended;
    const { logger } = this.session.parts;
    for (const work of later) {
      if (signal.aborted) return;
      await work(signal).catch((error: unknown) => {
        if (!signal.aborted) logger.warn("work behind a command failed", { reason: String(error) });
      });
    }
  }

  get #commands(): SessionUpdate {
    return {
      sessionUpdate: "available_commands_update",
      availableCommands: availableCommands(),
    };
  }

  get #options(): SessionUpdate {
    return { sessionUpdate: "config_option_update", configOptions: this.config.options };
  }

  /** Hosts wait for these, also when nothing has changed. */
  #confirm(): Promise<void> {
    return this.#feed.send([
      { sessionUpdate: "current_mode_update", currentModeId: this.session.effectiveMode },
      this.#options,
    ]);
  }
}
