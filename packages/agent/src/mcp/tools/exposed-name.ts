import { createHash } from "node:crypto";
import { isInheritedName } from "../../tools/inherited-names.ts";

/** What every provider takes as a function's name. */
export const MAX_EXPOSED_NAME_CHARS = 63;
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/;
const HASH_CHARS = 8;
const MAX_HASH_CHARS = 56;

/** It can be exposed as it is. */
export function isPlainName(raw: string): boolean {
  return PLAIN_NAME.test(raw) && !isInheritedName(raw);
}

/** `mcp__<server>__<tool>` with what no provider takes as `_`; may be too long. */
export function qualifiedBase(server: string, raw: string): string {
  return `mcp__${clean(server)}__${clean(raw)}`;
}

/** {@link qualifiedBase} with a hash of server and raw name, not taken yet. It is longer where shorter ones are taken. */
export function hashedName(
  server: string,
  raw: string,
  isTaken: (name: string) => boolean,
): string {
  const base = qualifiedBase(server, raw);
  const hash = createHash("sha256").update(`${server}\0${raw}`).digest("hex");
  for (let chars = HASH_CHARS; chars <= MAX_HASH_CHARS; chars += HASH_CHARS) {
    const name = withEnding(base, hash.slice(0, chars));
    if (!isTaken(name)) return name;
  }
  // Names that are no text, such as halves of characters, can have one hash.
  let count = 2;
  while (isTaken(withEnding(base, String(count)))) count += 1;
  return withEnding(base, String(count));
}

function withEnding(base: string, ending: string): string {
  return `${base.slice(0, MAX_EXPOSED_NAME_CHARS - 1 - ending.length)}_${ending}`;
}

function clean(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/gu, "_");
}
