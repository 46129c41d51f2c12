/** A name as it can stand in `mcp.json`: letters, digits, `.`, `_`, `-`, at most 64 of them. */
export function isServerName(name: unknown): boolean {
  if (typeof name !== "string") return false;
  return /^[A-Za-z0-9._-]{1,64}$/u.test(name) && name !== "__proto__";
}

/** Why it cannot be the name of a server. */
export function nameFault(name: string): string {
  return name === "__proto__" ? "JavaScript has a meaning of its own for it" : NAME_EXPECTED;
}

export const NAME_EXPECTED = "a name has 1 to 64 letters, digits, `.`, `_` or `-`";
