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
  #signal: AbortSignal | undefined;

  /** @param end when the caller gives up; absent: never */
  constructor(facts: RequestFacts, end?: AbortSignal) {
    this.principal = facts.principal;
    this.requestId = facts.requestId;
    this.services = facts.services;
    this.operations = facts.operations;
    if (facts.reservedId !== undefined) this.reservedId = facts.reservedId;
    this.#signal = end;
  }

  /**
   * One for each request: listeners of many requests at one signal look like a leak. Made when it is first read, as making one costs more
   * than the rest of a read.
   */
  get signal(): AbortSignal {
    this.#signal ??= new AbortController().signal;
    return this.#signal;
  }
}
