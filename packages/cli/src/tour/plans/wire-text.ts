import type { JsonValue } from "@acumen/facade";

/** A text of an answer; empty for what is none. */
export function wireText(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
