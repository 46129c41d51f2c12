import type { Client } from "@modelcontextprotocol/client";
import type { LinkHealth } from "./link-health.ts";
import type { ServerLink } from "./server-link.ts";

const ANSWER_MS = 10_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** A server that never takes it has no such news. */
const MAX_REFUSALS = 3;

/**
 * Where a server tells its news only to those who asked for them: keeps the stream of changes open, whatever the server declared. The
 * news themselves come over the link.
 */
export class ToolsSubscription {
  readonly #client: Client;
  readonly #link: ServerLink;
  readonly #health: LinkHealth;
  readonly #closed = new AbortController();
  #pauseMs = FIRST_PAUSE_MS;
  #refusals = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(client: Client, link: ServerLink, health: LinkHealth) {
    this.#client = client;
    this.#link = link;
    this.#health = health;
    void this.#listen();
    link.onEnd(() => this.close());
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#closed.abort(new Error("The connection is closed."));
  }

  async #listen(): Promise<void> {
    const { signal } = this.#closed;
    try {
      const stream = await this.#client.listen(
        { toolsListChanged: true },
        { timeout: ANSWER_MS, signal },
      );
      this.#refusals = 0;
      this.#pauseMs = FIRST_PAUSE_MS;
      if ((await stream.closed) === "local") return;
      // What was changed in between was not heard.
      this.#link.toolsChanged.notice();
      this.#health.check();
    } catch {
      this.#refusals += 1;
    }
    if (signal.aborted || this.#refusals >= MAX_REFUSALS) return;
    this.#timer = setTimeout(() => void this.#listen(), this.#pauseMs).unref();
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }
}
