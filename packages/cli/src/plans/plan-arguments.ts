import type { JsonValue } from "@acumen/facade";
import { cliError } from "../errors.ts";

/**
 * `name=value` pairs; a value is JSON where it is such, else text.
 * @throws CLI_USAGE
 */
export function planArguments(pairs: readonly string[]): Record<string, JsonValue> {
  return Object.fromEntries(
    pairs.map((pair): [string, JsonValue] => {
      const at = pair.indexOf("=");
      if (at < 1) {
        throw cliError("CLI_USAGE", `${JSON.stringify(pair)} is no argument; write name=value.`);
      }
      return [pair.slice(0, at), valueOf(pair.slice(at + 1))];
    }),
  );
}

function valueOf(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
