import { isJsonObject } from "@acumen/core";
import { childEnvironment } from "../../process/child-environment.ts";
import type { McpServerDefinition } from "./server-definition.ts";

/** `Bearer abc`: what follows the scheme is a secret without it, too. */
const SCHEME = /^[A-Za-z][A-Za-z0-9_-]*\s+(\S.*)$/u;
const SECRET_NAME = /key|token|secret|auth|passw|sig/iu;

/**
 * What may show up nowhere of a definition: values of `env` and `headers`, those that were put in for variables, and parameters of
 * the address whose name says so. Values that every child of the agent has anyway (of `HOME`, `PATH`, …) are no secrets.
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
      ? Object.values(definition.env)
      : [...Object.values(definition.headers).flatMap(withoutScheme), ...inAddress(definition.url)];
  return distinct([...own, ...values]).filter((secret) => !known.has(secret));
}

/** The same for a definition that cannot be used, as far as it is written there. */
export function writtenSecrets(fields: Readonly<Record<string, unknown>>): readonly string[] {
  const texts = [fields["env"], fields["environment"], fields["headers"]]
    .filter((field) => isJsonObject(field))
    .flatMap((field) => Object.values(field))
    .filter((value) => typeof value === "string")
    .flatMap(withoutScheme);
  return distinct(texts);
}

function withoutScheme(value: string): readonly string[] {
  const rest = SCHEME.exec(value)?.[1];
  return rest === undefined ? [value] : [value, rest];
}

function inAddress(url: string): readonly string[] {
  if (!URL.canParse(url)) return [];
  return [...new URL(url).searchParams]
    .filter(([name]) => SECRET_NAME.test(name))
    .map(([, v]) => v);
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].filter((text) => text !== "");
}
