import { setTimeout as sleep } from "node:timers/promises";
import { untilAborted } from "@acumen/core";
import { AcpError } from "../errors/acp-error.ts";
import { FacadeClosedError } from "../errors/facade-closed.ts";
import type { Operation } from "../operations/operation.ts";
import { RequestContext, type RequestFacts } from "./request-context.ts";

/** How long a close waits for services that do not watch their signal, ms. */
const PATIENCE_MS = 5_000;

/** What operations are at work at. */
export class RunningRequests {
  readonly #patienceMs: number;
  readonly #running = new Map<RequestContext, Promise<unknown>>();
  readonly #around = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor({ patienceMs = PATIENCE_MS }: { readonly patienceMs?: number } = {}) {
    this.#patienceMs = patienceMs;
  }

  /** @throws FacadeClosedError */
  checkOpen(): void {
    if (this.#isClosed) throw new FacadeClosedError();
  }

  /**
   * Carries out an operation.
   * @param end when its caller gives up
   * @returns what it gives, not checked
   * @throws FacadeClosedError; AcpError FACADE_TIMEOUT at the end, and the work goes on
   */
  run(
    operation: Operation,
    params: unknown,
    facts: RequestFacts,
    end: AbortSignal | undefined,
  ): Promise<unknown> {
    this.checkOpen();
    if (end?.aborted === true) return Promise.reject(tooLate(operation));
    const context = new RequestContext(facts, end);
    const work = this.#work(operation, params, context);
    this.#running.set(context, work);
    return end === undefined ? work : beforeEnd(work, end, operation);
  }

  /**
   * What stands around an operation, so that a close waits for it too.
   * @throws AcpError FACADE_TIMEOUT at the end, and the work goes on
   */
  around<T>(work: Promise<T>, operation: Operation, end: AbortSignal | undefined): Promise<T> {
    const forget = (): void => void this.#around.delete(work);
    this.#around.add(work);
    work.then(forget, forget);
    return end === undefined ? work : beforeEnd(work, end, operation);
  }

  /** Aborts what runs, and waits for it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const works = [...this.#running.values(), ...this.#around];
    for (const context of this.#running.keys()) context.abort(new FacadeClosedError());
    if (works.length === 0) return;
    const over = new AbortController();
    const late = sleep(this.#patienceMs, undefined, { signal: over.signal }).catch(() => undefined);
    await Promise.race([Promise.allSettled(works), late]);
    over.abort();
  }

  async #work(operation: Operation, params: unknown, context: RequestContext): Promise<unknown> {
    try {
      return await operation.run(params, context);
    } finally {
      this.#running.delete(context);
    }
  }
}

async function beforeEnd<T>(
  running: Promise<T>,
  end: AbortSignal,
  operation: Operation,
): Promise<T> {
  try {
    return await untilAborted(running, end);
  } catch (error) {
    if (!end.aborted) throw error;
    throw tooLate(operation);
  }
}

function tooLate({ name }: Operation): AcpError {
  return new AcpError(
    "FACADE_TIMEOUT",
    `${name} was not answered before the deadline; ask for the state, what was begun goes on.`,
    { retryable: true },
  );
}
