import { fileURLToPath } from "node:url";
import type { Command } from "../source-command.ts";

/** What {@link misbehavingServer} can do wrong over stdio; `well` does nothing wrong. The modes are described where they are made. */
export const MISBEHAVING_MODES = [
  "well",
  // before the first list of tools
  "banner",
  "json-that-is-no-message",
  "byte-order-mark",
  "crlf-line-ends",
  "single-bytes",
  "exit-at-start",
  "exit-0-at-start",
  "killed-at-start",
  "stderr-secrets-then-exit",
  "stderr-flood",
  "never-initializes",
  "never-reads",
  "initialize-error",
  "initialize-nonsense",
  "future-version",
  "oldest-version",
  "exit-on-unknown-request",
  "slow-start",
  "crash-after-each-start",
  // the list
  "no-tools-capability",
  "list-error",
  "list-hangs",
  "list-is-null",
  "list-entries-are-no-objects",
  "same-cursor-for-ever",
  "new-cursor-for-ever",
  "empty-cursor",
  "51-tools-in-pages-of-50",
  "3000-tools",
  "many-tools",
  "no-input-schema",
  "null-input-schema",
  "array-input-schema",
  "deep-input-schema",
  "array-output-schema",
  "broken-output-ref",
  "output-schema-without-structured-content",
  "reserved-names",
  "duplicate-names",
  "hostile-names",
  "hostile-descriptions",
  // results
  "no-content",
  "null-result",
  "content-is-a-string",
  "empty-content",
  "unknown-block",
  "null-fields",
  "blocks-without-their-fields",
  "every-block",
  "image-that-is-none",
  "error-with-structured-content",
  "protocol-error",
  "ansi-in-result",
  "secrets-in-result",
  "20-mb-result",
  "message-over-64-mib",
  "endless-line",
  "deep-result",
  // calls
  "crash-in-call",
  "crash-when-asked",
  "hang-in-call",
  "answer-after-cancel",
  "slow-with-progress",
  "progress-for-ever",
  "progress-flood",
  "progress-of-strange-kinds",
  "duplicate-response",
  "id-as-string",
  "response-to-unknown-id",
  "logging-flood",
  "server-requests",
  "stops-reading",
  "closes-stdout",
  // lists that change; the call of `echo` changes them
  "list-changed-adds",
  "list-changed-renames",
  "list-changed-describes",
  "list-changed-takes-reserved-name",
  "list-changed-to-error",
  "list-changed-undeclared",
  "list-changed-flood",
  // processes
  "ignores-sigterm",
  "ignores-stdin-end",
  "grandchild",
  "grandchild-that-ignores-sigterm",
  "grandchild-in-its-own-group",
  "launcher",
  "writes-after-stdin-end",
] as const;
export type MisbehavingMode = (typeof MISBEHAVING_MODES)[number];

export interface MisbehavingOptions {
  /** Before each tool name, so that several servers do not clash. Default none. */
  readonly prefix?: string;
  /** What `slow-start`, `slow-with-progress` and `crash-after-each-start` wait, ms. */
  readonly delayMs?: number;
  /** Tools of `many-tools`. */
  readonly count?: number;
  /** What the server says about itself. */
  readonly instructions?: string;
  /** A file that gets one line of JSON for each start, received message, cancelled call and end of stdin. */
  readonly log?: string;
}

/**
 * How to start a scripted MCP server over stdio, written in plain Node. It has the tools `echo` (gives back `text`, or what it got) and
 * `environment` (its environment as JSON); both keep working in most modes, and what goes wrong in calls goes wrong in `echo`.
 * Several modes are applied one after another.
 */
export function misbehavingServer(
  modes: MisbehavingMode | readonly MisbehavingMode[],
  options: MisbehavingOptions = {},
): Command {
  const entry = fileURLToPath(new URL("misbehaving-server.mjs", import.meta.url));
  return {
    command: process.execPath,
    args: [entry, [modes].flat().join("+"), JSON.stringify(options)],
  };
}
