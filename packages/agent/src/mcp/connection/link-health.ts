import { needsAuth, requestFailure, server } from "./connection-failures.ts";
import { isSessionLost, NOBODY_THERE, type Unanswered } from "./describe-answer.ts";
import { errorFacts } from "./error-facts.ts";
import type { ServerLink } from "./server-link.ts";

/** Enough for an answer that needs no work, ms. */
const CHECK_MS = 5_000;
/** What the SDK says when it cannot get an event stream back. */
const STREAM_GONE = /reconnect/iu;

/**
 * Notices that a server behind HTTP is gone: there is no process whose end would tell. A request that fails does not prove it, so
 * that the server is asked for a sign of life.
 */
export class LinkHealth {
  readonly #link: ServerLink;
  readonly #question: string;
  #isAsking = false;

  /** @param question a request that every server answers */
  constructor(link: ServerLink, question: string) {
    this.#link = link;
    this.#question = question;
    const { transport } = link.facts.definition;
    if (transport === "http")
      link.watchErrors((error) => {
        if (STREAM_GONE.test(error.message)) this.check();
      });
    else if (transport === "sse")
      link.watchErrors((error) => {
        // The stream is the session; the one that comes back by itself would be another one.
        if (error.name === "SseError" || error.message.startsWith("SSE error"))
          this.#endUnreachable(error);
      });
  }

  /** Draws the conclusions from a request without a result. */
  judge(answer: Unanswered): void {
    if (answer.kind === "cut") this.check();
    if (answer.kind !== "failed" || this.#conclude(answer.error)) return;
    if (errorFacts(answer.error).status === undefined) this.check();
  }

  /** Asks for a sign of life; one at a time. */
  check(): void {
    if (this.#link.facts.definition.transport === "stdio") return;
    if (this.#isAsking) return;
    this.#isAsking = true;
    void this.#ask().finally(() => {
      this.#isAsking = false;
    });
  }

  async #ask(): Promise<void> {
    const answer = await this.#link.requests.request(
      this.#question,
      {},
      {
        signal: new AbortController().signal,
        timeoutMs: CHECK_MS,
      },
    );
    if (answer.kind === "timeout") {
      const message = `${server(this.#link.facts)} does not answer any more.`;
      this.#link.end({ kind: "timeout", message });
    } else if (answer.kind === "failed" && !this.#conclude(answer.error)) {
      // An answer that cannot be used is one all the same.
      if (errorFacts(answer.error).status === undefined) this.#endUnreachable(answer.error);
    } else if (answer.kind === "cut") this.#endUnreachable(new Error("it ends its answers early"));
  }

  /** True: it is clear what the failure means. */
  #conclude(error: unknown): boolean {
    const { status, codes } = errorFacts(error);
    if (status === 401) this.#link.end(needsAuth(status, this.#link.facts));
    else if (isSessionLost(error, this.#link)) {
      const message = `${server(this.#link.facts)} knows the session no more (HTTP ${status ?? 0}).`;
      this.#link.end({ kind: "session_lost", message });
    } else if (codes.some((code) => NOBODY_THERE.has(code))) this.#endUnreachable(error);
    else return false;
    return true;
  }

  #endUnreachable(error: unknown): void {
    this.#link.end({ ...requestFailure(error, this.#link.facts), kind: "unreachable" });
  }
}
