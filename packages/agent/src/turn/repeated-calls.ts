import { createHash } from "node:crypto";
import type { ContentBlock } from "../content/content-block.ts";

export const MAX_REPEATS = 3;

/**
 * Sees a turn that goes in circles: the same call with the same result three times, and nothing new in between. A call
 * that looks at a background process is no circle.
 */
export class RepeatedCalls {
  readonly #seen = new Set<string>();
  #counts = new Map<string, number>();

  /** Adds one call; true when the turn should end. */
  add(name: string, input: unknown, status: string, output: readonly ContentBlock[]): boolean {
    if (isPolling(name, input)) return false;
    const key = createHash("sha256")
      .update(JSON.stringify([name, sorted(input), status, output]))
      .digest("base64");
    if (!this.#seen.has(key)) {
      this.#seen.add(key);
      this.#counts = new Map();
    }
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count >= MAX_REPEATS;
  }
}

/** Actions of `bash` that look at background processes. */
const POLLING: readonly unknown[] = ["status", "logs", "list"];

function isPolling(name: string, input: unknown): boolean {
  if (name !== "bash" || typeof input !== "object" || input === null) return false;
  const action = "action" in input ? input.action : undefined;
  return POLLING.includes(action);
}

/** The same text whatever the order of the fields. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => [key, sorted(item)]);
}
