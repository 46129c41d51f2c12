import { isJsonObject } from "@acumen/core";
import { MODEL_PREFIXES } from "@acumen/models/catalogue";
import { addressFault } from "./address-fault.ts";
import { modelIdFault } from "./model-name.ts";
import { MODE_NAMES } from "./session-names.ts";
import type { Settings } from "./settings-schema.ts";

type Test = (value: unknown) => boolean;

/** The settings that need no schema to be checked: those that `acumen setup` writes, and the mode. */
const PLAIN: ReadonlyMap<string, Test> = new Map<string, Test>([
  ["$schema", (value) => typeof value === "string"],
  ["model", (value) => typeof value === "string" && modelIdFault(value) === undefined],
  ["mode", (value) => MODE_NAMES.some((name) => name === value)],
  ["endpoints", (value) => isJsonObject(value) && Object.entries(value).every(isEndpoint)],
]);

/**
 * Settings that the schema would take as they are. The schema's library takes longer to load than an editor should wait for
 * the first answer, and most files hold no more than this.
 * Undefined: the schema has to say.
 */
export function plainSettings(value: unknown): Settings | undefined {
  if (!isJsonObject(value)) return undefined;
  const isPlain = Object.entries(value).every(([key, part]) => PLAIN.get(key)?.(part) === true);
  return isPlain ? (value as Settings) : undefined;
}

function isEndpoint([prefix, address]: readonly [string, unknown]): boolean {
  return (
    (MODEL_PREFIXES as readonly string[]).includes(prefix) &&
    typeof address === "string" &&
    addressFault(address) === undefined
  );
}
