import type { AcumenError } from "@acumen/core";
import type { ProviderRow } from "@acumen/models";
import type { InputStream } from "../command-context.ts";
import { cliError } from "../errors.ts";
import type { StoredKeys } from "../settings/credentials.ts";
import { keyFault } from "../settings/key-names.ts";
import { readInput } from "../terminal/read-input.ts";
import { companionsOf, storedUnder } from "./setup-choice.ts";

const MAX_BYTES = 64 * 1024;

/**
 * The key in a variable of this process, which may have any name, with what belongs to it.
 * @throws CLI_USAGE; the name is repeated only when it looks like one, because it may be the key itself
 */
export function keysFromVariable(
  row: ProviderRow,
  name: string,
  variables: Readonly<Record<string, string | undefined>>,
): StoredKeys {
  const shown = /^[A-Z][A-Z0-9_]*$/.test(name) && name.length <= 64 ? name : "--api-key-env";
  const value = variables[name]?.trim() ?? "";
  if (value === "") {
    const hint = shown === name ? "" : " It takes the name of a variable, never the key.";
    throw usage(`${shown === name ? name : `The variable of ${shown}`} is not set.${hint}`);
  }
  const keys = { [storedUnder(row, name)]: value, ...companionsOf(row, name, variables) };
  for (const key of Object.values(keys)) refuseFaulty(key, `The key in ${shown}`);
  return keys;
}

/**
 * The key as everything on stdin.
 * @throws CLI_USAGE, also for a terminal, which would show what is typed
 */
export async function keysFromStdin(
  row: ProviderRow,
  stdin: InputStream,
  signal: AbortSignal,
): Promise<StoredKeys> {
  if (stdin.isTTY === true) {
    throw usage(
      "--api-key-stdin reads a pipe or file; a terminal would show the key. Leave the option out to be asked.",
    );
  }
  const bytes = await readInput(stdin, { maxBytes: MAX_BYTES, signal });
  if (bytes === undefined) throw usage(`stdin holds over ${MAX_BYTES} bytes: no key.`);
  const key = Buffer.from(bytes).toString("utf8").trim();
  refuseFaulty(key, "The key on stdin");
  return { [storedUnder(row, undefined)]: key };
}

function refuseFaulty(key: string, what: string): void {
  const fault = keyFault(key);
  if (fault !== undefined) throw usage(`${what} ${fault}.`);
}

function usage(message: string): AcumenError {
  return cliError("CLI_USAGE", message);
}
