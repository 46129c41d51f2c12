import { resolve } from "node:path";
import type { AcpFlags } from "../commands/acp.ts";
import { MODE_NAMES } from "../settings/session-names.ts";

/**
 * The flags of `acumen acp`, when the command line holds nothing but those that editors use, spelt out word by word. The whole
 * command tree takes longer to load than reading them, and an editor waits.
 * Undefined: the command tree has to say, also what is wrong.
 */
export function plainFlags(args: readonly string[]): AcpFlags | undefined {
  const [command, ...words] = args;
  if (command !== "acp") return undefined;
  let flags: AcpFlags = { color: true };
  while (words.length > 0) {
    const word = words.shift();
    if (word === "--trust-once") {
      flags = { ...flags, trustOnce: true };
      continue;
    }
    const value = words.shift();
    if (value === undefined || value === "" || value.startsWith("-")) return undefined;
    const read = withValue(word, value);
    if (read === undefined) return undefined;
    flags = { ...flags, ...read };
  }
  return flags;
}

function withValue(word: string | undefined, value: string): Partial<AcpFlags> | undefined {
  if (word === "--model") return { model: value };
  if (word === "--config") return { config: resolve(value) };
  if (word !== "--mode") return undefined;
  const mode = MODE_NAMES.find((name) => name === value);
  return mode === undefined ? undefined : { mode };
}
