import type { CodingSession, SessionEvent } from "@acumen/agent";
import { type Look, serverLines } from "../events/event-lines.ts";
import { problemNotice } from "../mcp/status-lines.ts";
import { connectingText } from "../mcp/connecting-text.ts";
import { count } from "../terminal/count.ts";

export interface ServerNoticesOptions {
  readonly look: Look;
  /** Shows lines wherever the chat is at that moment. */
  readonly show: (lines: readonly string[]) => void;
}

/**
 * What a chat says of its MCP servers while nobody asked: what went wrong at once, and that one is connected only when it came
 * late or came back, or when not all of its tools are there.
 */
export class ServerNotices implements Disposable {
  readonly #options: ServerNoticesOptions;
  #session: CodingSession | undefined;
  #unsubscribe: (() => void) | undefined;
  #seen = 0;
  #wasPrompted = false;
  /** Servers that a command is answering about. */
  readonly #answering = new Set<string>();
  /** What commands said of servers last: that is not said again. */
  readonly #answered = new Map<string, string>();
  /** Servers that something was said about. */
  readonly #named = new Set<string>();

  constructor(options: ServerNoticesOptions) {
    this.#options = options;
  }

  /** From now on it is about this session, with what happened to its servers since it was opened. */
  follow(session: CodingSession): void {
    if (session === this.#session) return;
    this.#unsubscribe?.();
    this.#session = session;
    this.#wasPrompted = false;
    this.#named.clear();
    this.#answered.clear();
    const { events } = session;
    const opened = events.findLastIndex(
      ({ type }) => type === "SESSION_CREATED" || type === "SESSION_RESUMED",
    );
    this.#seen = events[opened]?.seq ?? 0;
    for (const event of events.slice(opened + 1)) this.#take(event);
    const unsubscribe = session.subscribe((event) => this.#take(event));
    const { look, show } = this.#options;
    const unwatch = session.mcp?.watchProblems((problem) => show(problemNotice(problem, look)));
    this.#unsubscribe = () => {
      unsubscribe();
      unwatch?.();
    };
  }

  /** A prompt was given: whatever comes from now on is late. Returns what the first one waits for. */
  async prompted(): Promise<string | undefined> {
    if (this.#wasPrompted || this.#session === undefined) return undefined;
    this.#wasPrompted = true;
    return connectingText(this.#session);
  }

  /** A command says itself what becomes of a server, until this is disposed. */
  answering(server: string): Disposable {
    this.#answering.add(server);
    return {
      [Symbol.dispose]: () => {
        this.#answering.delete(server);
        this.#named.add(server);
        const found = this.#session?.mcp?.status().find((one) => one.server === server);
        if (found !== undefined) this.#answered.set(server, saidOf(found));
      },
    };
  }

  [Symbol.dispose](): void {
    this.#unsubscribe?.();
  }

  #take(event: SessionEvent): void {
    if (event.seq <= this.#seen) return;
    this.#seen = event.seq;
    if (event.type !== "MCP_STATUS") return;
    const { server, state, reason } = event.payload;
    const isAnswered = this.#answered.get(server) === saidOf(event.payload);
    if (this.#answering.has(server) || isAnswered) return;
    this.#answered.delete(server);
    const isQuiet = state === "connected" && reason === null;
    if (isQuiet && !this.#wasPrompted && !this.#named.has(server)) return;
    const lines = serverLines(event.payload, this.#options.look, this.#tools(server, state));
    if (lines.length === 0) return;
    this.#named.add(server);
    this.#options.show(lines);
  }

  #tools(server: string, state: string): string {
    if (state !== "connected") return "";
    const found = this.#session?.mcp?.status().find((one) => one.server === server);
    return found === undefined ? "" : ` with ${count(found.tool_count, "tool")}`;
  }
}

function saidOf({
  state,
  reason,
}: {
  readonly state: string;
  readonly reason?: string | null;
}): string {
  return `${state} ${reason ?? ""}`;
}
