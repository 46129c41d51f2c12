import type { Principal } from "../access/principal.ts";
import type { Operation, OperationContext, OperationServices } from "../operations/operation.ts";

export interface RequestFacts {
  readonly principal: Principal;
  readonly requestId: string;
  readonly services: OperationServices;
  readonly operations: readonly Operation[];
  readonly reservedId?: string;
}

/** One request, as its operation and the services see it. */
export class RequestContext implements OperationContext {
  readonly principal: Principal;
  readonly requestId: string;
  readonly services: OperationServices;
  readonly operations: readonly Operation[];
  declare readonly reservedId?: string;
  readonly #end: AbortSignal | undefined;
  #own: AbortController | undefined;
  #signal: AbortSignal | undefined;
  #reason: Error | undefined;

  /** @param end when the caller gives up; absent: never */
  constructor(facts: RequestFacts, end?: AbortSignal) {
    this.principal = facts.principal;
    this.requestId = facts.requestId;
    this.services = facts.services;
    this.operations = facts.operations;
    if (facts.reservedId !== undefined) this.reservedId = facts.reservedId;
    this.#end = end;
  }

  /**
   * One for each request: listeners of many requests at one signal look like a leak. Made when it is first read, as making one costs more
   * than the rest of a read.
   */
  get signal(): AbortSignal {
    if (this.#signal !== undefined) return this.#signal;
    this.#own = new AbortController();
    const { signal } = this.#own;
    if (this.#reason !== undefined) this.#own.abort(this.#reason);
    this.#signal = this.#end === undefined ? signal : AbortSignal.any([this.#end, signal]);
    return this.#signal;
  }

  /** Aborts the signal, also one that is read later. */
  abort(reason: Error): void {
    this.#reason = reason;
    this.#own?.abort(reason);
  }
}
