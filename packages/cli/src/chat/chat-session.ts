import type { CodingSession, SessionHost } from "@acumen/agent";
import type { Ignored, OpenedAgent } from "../agent/open-agent.ts";
import type { ChatFlags } from "../commands/chat.ts";
import { refuseAuto } from "../refuse-agent.ts";
import { isUsed, leaveSession } from "../run/leave-session.ts";
import { openRunSession, type RunSession } from "../run/run-session.ts";

/** The session that a chat is about; one takes the place of another. */
export class ChatSession implements AsyncDisposable {
  readonly #opened: OpenedAgent;
  readonly #host: SessionHost;
  #session: CodingSession;
  #ignored: Ignored | undefined;
  #unusedLevel: string | undefined;

  private constructor(opened: OpenedAgent, host: SessionHost, begun: RunSession) {
    this.#opened = opened;
    this.#host = host;
    this.#session = begun.session;
    this.#ignored = begun.ignored;
    this.#unusedLevel = begun.unusedLevel;
  }

  /** @throws CLI_USAGE, CLI_NO_MODEL, MODEL_FAILED, AGENT_* */
  static async open(
    opened: OpenedAgent,
    flags: ChatFlags,
    host: SessionHost,
  ): Promise<ChatSession> {
    return new ChatSession(opened, host, await openRunSession(opened, flags, host));
  }

  get session(): CodingSession {
    return this.#session;
  }

  /** What the workspace brings and does not count, because it is not trusted. */
  get ignored(): Ignored | undefined {
    return this.#ignored;
  }

  /** Why the thought level of the settings does not count in it. */
  get unusedLevel(): string | undefined {
    return this.#unusedLevel;
  }

  /** Somebody said something in it. */
  get isUsed(): boolean {
    return isUsed(this.#session);
  }

  /**
   * The stored session of this id takes the place of the one that is open, unless it cannot be opened.
   * @throws CLI_REFUSED_TO_AGENT, CLI_SETTINGS_FILE_INVALID, AGENT_*
   */
  async resume(id: string): Promise<void> {
    const { agent, loaded } = this.#opened;
    if (id === this.#session.id) await this.#reopen();
    else {
      refuseAuto(loaded.variables, (await agent.store.read(id)).meta.mode);
      await this.#replace(await agent.openSession(id, this.#host));
    }
  }

  /** A new session in the same folder, with the same model, thought level and mode. */
  async begin(): Promise<void> {
    const { workspace, meta, mode, model, thoughtLevel } = this.#session;
    await this.#replace(
      await this.#opened.agent.createSession({
        ...this.#host,
        cwd: workspace.cwd,
        additionalDirectories: meta.additional_directories,
        model,
        mode,
        ...(thoughtLevel !== undefined && { thoughtLevel }),
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await leaveSession(this.#opened, this.#session);
  }

  /** With its settings and trust read anew. Nobody can hold a session twice, so that what might fail is tried before. */
  async #reopen(): Promise<void> {
    const { agent, trust, settingsFault } = this.#opened;
    const { id, workspace } = this.#session;
    const { path: cwd, ...admission } = await trust.admit(workspace.cwd);
    const fault = await settingsFault({ cwd, ...admission });
    if (fault !== undefined) throw fault;
    await this.#session.close();
    this.#session = await agent.openSession(id, this.#host);
    await this.#look();
  }

  async #replace(next: CodingSession): Promise<void> {
    await leaveSession(this.#opened, this.#session);
    this.#session = next;
    await this.#look();
  }

  async #look(): Promise<void> {
    this.#unusedLevel = undefined;
    const { cwd } = this.#session.workspace;
    this.#ignored = (await this.#opened.workspace(cwd)).ignored;
  }
}
