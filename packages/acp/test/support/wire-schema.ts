import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

interface Definition {
  readonly "x-method"?: string;
  readonly "x-side"?: string;
}

/** The definitions of the protocol, as the SDK ships them. */
const SCHEMA = JSON.parse(
  readFileSync(
    fileURLToPath(import.meta.resolve("@agentclientprotocol/sdk/schema/v1/schema.json")),
    "utf8",
  ),
) as { readonly $defs: Readonly<Record<string, Definition>> };

const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false });
// The root accepts nearly everything: it only lends its definitions.
ajv.addSchema({ $id: "acp", $defs: SCHEMA.$defs });
const compiled = new Map<string, ValidateFunction>();

type Kind = "Request" | "Response" | "Notification";

/** Why a message of the agent breaks the protocol; undefined: it keeps it. */
export function schemaFault(method: string, kind: Kind, value: unknown): string | undefined {
  const name = Object.entries(SCHEMA.$defs).find(
    ([key, definition]) => definition["x-method"] === method && key.endsWith(kind),
  )?.[0];
  return name === undefined
    ? `${method} has no ${kind} in the schema`
    : definitionFault(name, value);
}

/** Why a value is no such thing of the protocol; undefined: it is one. */
export function definitionFault(name: string, value: unknown): string | undefined {
  const validate = compiled.get(name) ?? ajv.compile({ $ref: `acp#/$defs/${name}` });
  compiled.set(name, validate);
  return validate(value) ? undefined : `${name}: ${ajv.errorsText(validate.errors)}`;
}
