/** A name as it can stand in `mcp.json`: letters, digits, `.`, `_`, `-`, at most 64 of them. */
export function isServerName(name: unknown): boolean {
  if (typeof name !== "string") return false;
  return /^[A-Za-z0-9._-]{1,64}$/u.test(name) && name !== "__proto__";
}

export const NAME_EXPECTED = "a name has 1 to 64 letters, digits, `.`, `_` or `-`";
