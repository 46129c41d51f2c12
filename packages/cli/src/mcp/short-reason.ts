/**
 * A reason as people read it: its first line, which says what happened and holds the telling line of what a server wrote. The
 * rest, such as the end of its stderr, is for the log and for `--json`.
 */
export function shortReason(reason: string): string {
  return reason.split("\n", 1)[0] ?? "";
}
