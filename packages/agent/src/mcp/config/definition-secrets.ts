import { childEnvironment } from "../../process/child-environment.ts";
import { argumentSecrets, inAddress, withoutScheme } from "./argument-secrets.ts";
import type { McpServerDefinition } from "./server-definition.ts";

const MAX_DEPTH = 8;

/**
 * What may show up nowhere of a definition: values of `env` and `headers`, those that were put in for variables, and arguments and
 * parameters of the address whose name says so. Values that every child of the agent has anyway (of `HOME`, `PATH`, …) are no secrets.
 * @param values what was put in for variables
 */
export function definitionSecrets(
  definition: McpServerDefinition,
  values: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const known = new Set(Object.values(childEnvironment(environment)));
  const own =
    definition.transport === "stdio"
      ? [
          ...Object.values(definition.env).flatMap(withoutScheme),
          ...argumentSecrets(definition.args),
        ]
      : [...Object.values(definition.headers).flatMap(withoutScheme), ...inAddress(definition.url)];
  return distinct([...own, ...values]).filter((secret) => !known.has(secret));
}

/** The same for a definition that cannot be used, as far as it is written there, whatever form it has. */
export function writtenSecrets(fields: Readonly<Record<string, unknown>>): readonly string[] {
  const { env, environment, headers, args, command, url } = fields;
  const values = [env, environment, headers].flatMap((field) => leavesOf(field));
  const words = [command, args].flatMap((field) => leavesOf(field));
  const addresses = leavesOf(url).flatMap(inAddress);
  return distinct([...values.flatMap(withoutScheme), ...argumentSecrets(words), ...addresses]);
}

/** Texts, numbers and truth values at any place in it, as texts. */
function leavesOf(value: unknown, depth = MAX_DEPTH): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number" || typeof value === "boolean") return [String(value)];
  if (typeof value !== "object" || value === null || depth === 0) return [];
  return Object.values(value).flatMap((item) => leavesOf(item, depth - 1));
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].filter((text) => text !== "");
}
