import { isJsonObject } from "@acumen/core";
import type { Redactor } from "../../../redaction/redactor.ts";
import { cleanServerText } from "../clean-server-text.ts";
import type { Schema } from "./copy-schema.ts";

const MAX_TEXT_BYTES = 1024;
/** Words for people. */
const WORDS = new Set(["title", "description", "$comment"]);

/**
 * What a server says of the results of a tool, for whoever lists tools: without secrets, its words without hidden characters. Results are not
 * compared with it.
 * @param copy bounded
 */
export function outputSchema(copy: Schema, redact: Redactor): Schema {
  const cleaned = clean(copy, redact);
  return isJsonObject(cleaned) ? cleaned : {};
}

function clean(value: unknown, redact: Redactor): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((item) => clean(item, redact));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      WORDS.has(key) && typeof item === "string"
        ? cleanServerText(item, MAX_TEXT_BYTES, redact)
        : clean(item, redact),
    ]),
  );
}
