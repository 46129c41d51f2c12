import type { Principal } from "./principal.ts";

/** One request, as services see it. */
export interface Caller {
  readonly principal: Principal;
  readonly requestId: string;
  /** Id for what the request makes; when something has it, the request was carried out before, and that is the answer. */
  readonly reservedId?: string;
  /**
   * Aborts when the deadline passes or an in-process caller gives up; work of a plan goes on. Made when it is first read: a copy by
   * spreading has none.
   */
  readonly signal: AbortSignal;
}
