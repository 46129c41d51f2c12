import { monotonicFactory } from "ulid";

const next = monotonicFactory();

/** A new ULID: 26 characters, sortable by creation time, strictly increasing within this process. */
export function createId(): string {
  return next();
}
