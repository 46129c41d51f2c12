import { closest } from "@acumen/core";
import { redactedHead } from "../../../redaction/redacted-head.ts";
import type { Redactor } from "../../../redaction/redactor.ts";
import { argumentFaults, type ArgumentFault } from "./argument-faults.ts";
import type { Schema } from "./copy-schema.ts";
import type { PropertyNames } from "./property-names.ts";
import { propertiesOf } from "./sub-schemas.ts";

const MAX_SHOWN = 8;
const MAX_LISTED = 30;
const MAX_NAME_CHARS = 64;

interface Forms {
  /** Without references, in the words of 2020-12, with the server's names. */
  readonly resolved: Schema;
  /** The form for models. */
  readonly shown: Schema;
  readonly names: PropertyNames;
  readonly redact: Redactor;
}

/**
 * What is wrong with arguments in the server's form, in the words of the form for models, and what the tool takes. Undefined:
 * nothing that can be told here.
 */
export function argumentCheck(
  args: Schema,
  { resolved, shown, names, redact }: Forms,
): string | undefined {
  const faults = argumentFaults(args, resolved, redact);
  if (faults.length === 0) return undefined;
  const fields = Object.keys(propertiesOf(shown));
  const texts = [...new Set(faults.map((fault) => faultText(fault, fields, { names, redact })))];
  const more = texts.length > MAX_SHOWN ? "; and more" : "";
  const takes = `It takes {${takenFields(fields, shown).join(", ")}}.`;
  return `${texts.slice(0, MAX_SHOWN).join("; ")}${more}. ${takes}`;
}

function faultText(
  { path, text }: ArgumentFault,
  fields: readonly string[],
  { names, redact }: Pick<Forms, "names" | "redact">,
): string {
  const shown = path.map((name) => redactedHead(names.shown(name), MAX_NAME_CHARS, redact));
  const at = shown.join(".");
  if (text !== "unknown field") return `${at === "" ? "the input" : at}: ${text}`;
  const near = path.length === 1 ? closest(at, fields) : undefined;
  return `unknown field "${at}"${near === undefined ? "" : ` (did you mean "${near}"?)`}`;
}

function takenFields(fields: readonly string[], shown: Schema): readonly string[] {
  const needed = new Set(Array.isArray(shown["required"]) ? (shown["required"] as string[]) : []);
  const listed = fields
    .slice(0, MAX_LISTED)
    .map((field) => (needed.has(field) ? field : `${field}?`));
  return fields.length > MAX_LISTED ? [...listed, "…"] : listed;
}
