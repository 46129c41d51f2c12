import type { CodingSession, SessionHost } from "@acumen/agent";
import type { OpenedAgent } from "../agent/open-agent.ts";
import type { ChatFlags } from "../commands/chat.ts";
import { openRunSession } from "../run/run-session.ts";

/** The session that a chat is about; one takes the place of another. */
export class ChatSession implements AsyncDisposable {
  readonly #opened: OpenedAgent;
  readonly #host: SessionHost;
  #session: CodingSession;
  #ignoredSettings: string | undefined;

  private constructor(
    opened: OpenedAgent,
    host: SessionHost,
    begun: { readonly session: CodingSession; readonly ignoredSettings: string | undefined },
  ) {
    this.#opened = opened;
    this.#host = host;
    this.#session = begun.session;
    this.#ignoredSettings = begun.ignoredSettings;
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

  /** Settings of the workspace that do not count, because it is not trusted. */
  get ignoredSettings(): string | undefined {
    // In the home folder they are the person's own, and count everywhere.
    const isOwn = this.#ignoredSettings === this.#opened.loaded.home.settingsPath;
    return isOwn ? undefined : this.#ignoredSettings;
  }

  /** Somebody said something in it. */
  get isUsed(): boolean {
    return this.#session.events.some(({ type }) => type === "USER_MESSAGE");
  }

  /** The stored session of this id takes the place of the one that is open, unless it cannot be opened. */
  async resume(id: string): Promise<void> {
    const { agent } = this.#opened;
    if (id === this.#session.id) {
      // Its settings and trust are read anew.
      await this.#session.close();
      this.#session = await agent.openSession(id, this.#host);
      await this.#look();
    } else await this.#replace(await agent.openSession(id, this.#host));
  }

  /** A new session in the same folder, with the same model and mode. */
  async begin(): Promise<void> {
    const { workspace, meta, mode, model } = this.#session;
    await this.#replace(
      await this.#opened.agent.createSession({
        ...this.#host,
        cwd: workspace.cwd,
        additionalDirectories: meta.additional_directories,
        model,
        mode,
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#leave();
  }

  async #replace(next: CodingSession): Promise<void> {
    await this.#leave();
    this.#session = next;
    await this.#look();
  }

  async #look(): Promise<void> {
    const { cwd } = this.#session.workspace;
    this.#ignoredSettings = (await this.#opened.workspace(cwd)).ignoredSettings;
  }

  /** A session in which nobody said anything would only be in the way. */
  async #leave(): Promise<void> {
    const { id } = this.#session;
    const isEmpty = !this.isUsed;
    await this.#session.close();
    if (isEmpty) await this.#opened.agent.store.delete(id);
  }
}
