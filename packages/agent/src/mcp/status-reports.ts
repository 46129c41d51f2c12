import type { Logger } from "@acumen/core";
import type { McpStatusChange } from "./mcp-status.ts";

type Report = (change: McpStatusChange) => Promise<unknown>;

/** Tells of changes, to the log of the process and to whoever keeps them. */
export class StatusReports {
  readonly #logger: Logger;
  readonly #report: Report | undefined;
  readonly #pending = new Set<Promise<void>>();
  #isClosed = false;

  constructor(logger: Logger, report: Report | undefined) {
    this.#logger = logger;
    this.#report = report;
  }

  add(change: McpStatusChange): void {
    const { server, state, previous, reason } = change;
    // That a server which nobody wants is there is no change.
    const isNothing = previous === null && state === "disabled" && reason === null;
    if (this.#isClosed || isNothing) return;
    // No warning: whoever follows the session is told, and a log line would stand in the middle of that.
    this.#logger.info("an MCP server has another state", { server, state, previous, reason });
    if (this.#report === undefined) return;
    const pending = this.#tell(change).finally(() => this.#pending.delete(pending));
    this.#pending.add(pending);
  }

  /** Resolves when what was told is kept. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#pending);
  }

  async #tell(change: McpStatusChange): Promise<void> {
    try {
      await this.#report?.(change);
    } catch {
      this.#logger.warn("the state of an MCP server could not be recorded", {
        server: change.server,
      });
    }
  }
}
