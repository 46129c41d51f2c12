/** Names of built-in tools: no other tool may be exposed under one, in whatever case. */
export const RESERVED_TOOL_NAMES = [
  "bash",
  "read_file",
  "write_file",
  "apply_patch",
  "edit",
  "glob",
  "grep",
  "update_plan",
  "ask_user",
] as const;

const RESERVED: ReadonlySet<string> = new Set(RESERVED_TOOL_NAMES);

export function isReservedToolName(name: string): boolean {
  return RESERVED.has(name.toLowerCase());
}
