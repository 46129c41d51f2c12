import { isJsonObject } from "@acumen/core";
import type { Redactor } from "../../../redaction/redactor.ts";
import { cleanServerName, cleanServerText } from "../clean-server-text.ts";
import type { Schema } from "./copy-schema.ts";
import { knownProperties, namesForTest } from "./known-properties.ts";
import type { PropertyNames } from "./property-names.ts";
import { CONDITIONS, propertiesOf, UNIONS } from "./sub-schemas.ts";
import { impliedType, isImpossible, typesOf, valueKeywords } from "./value-keywords.ts";
import { withNote } from "./with-note.ts";

const MAX_DESCRIPTION_BYTES = 1024;
const MAX_TITLE_BYTES = 200;
const MAX_DEFAULT_CHARS = 1000;
const MAX_EXAMPLES_CHARS = 500;
const MAX_PATTERN_CHARS = 500;
const MAX_POSITIONS = 10;
const NONE: ReadonlySet<string> = new Set();

/**
 * The form for models, which drafts 7 and 2020-12 read alike: known keywords only, each with a value of the right kind, lists
 * with one schema for all items, names of properties that every provider takes.
 * @param resolved without references, in the words of 2020-12
 */
export function modelSchema(resolved: Schema, names: PropertyNames, redact: Redactor): Schema {
  const root = new ModelForm(names, redact).part(resolved, NONE);
  const { enum: _values, const: _value, ...schema } = root;
  return { ...schema, type: "object", properties: propertiesOf(root) };
}

class ModelForm {
  readonly #names: PropertyNames;
  readonly #redact: Redactor;

  constructor(names: PropertyNames, redact: Redactor) {
    this.#names = names;
    this.#redact = redact;
  }

  /** @param outer names of properties that whatever this is an alternative of has */
  part(node: unknown, outer: ReadonlySet<string>): Schema {
    if (!isJsonObject(node)) return node === false ? { not: {} } : {};
    const type = typesOf(node).length === 0 ? impliedType(node) : undefined;
    const typed = type === undefined ? node : { ...node, type };
    const known = knownProperties(typed, outer);
    return this.#noted(typed, {
      ...words(typed, this.#redact),
      ...valueKeywords(typed),
      ...text(typed),
      ...this.#object(typed, known),
      ...this.#list(typed),
      ...this.#alternatives(typed, known),
    });
  }

  #object(node: Schema, known: ReadonlySet<string>): Schema {
    const properties = Object.entries(propertiesOf(node))
      .filter(([, property]) => !isImpossible(property))
      .map(([key, property]) => [this.#names.shown(key), this.part(property, NONE)]);
    const wanted = Array.isArray(node["required"]) ? (node["required"] as string[]) : [];
    const required = wanted.filter((key) => known.has(key)).map((key) => this.#names.shown(key));
    const more = this.#moreProperties(node);
    return {
      ...(isJsonObject(node["properties"]) && { properties: Object.fromEntries(properties) }),
      ...(required.length > 0 && { required }),
      ...(more !== undefined && { additionalProperties: more }),
    };
  }

  /** Names that follow a pattern are said to be possible. */
  #moreProperties(node: Schema): unknown {
    const { additionalProperties: more, patternProperties } = node;
    const patterns = isJsonObject(patternProperties) ? Object.values(patternProperties) : [];
    if (more === false && patterns.length > 0) {
      return patterns.length === 1 ? this.part(patterns[0], NONE) : undefined;
    }
    return isJsonObject(more) ? this.part(more, NONE) : more;
  }

  #list(node: Schema): Schema {
    const { prefixItems, items } = node;
    if (!Array.isArray(prefixItems)) {
      if (isJsonObject(items)) return { items: this.part(items, NONE) };
      const isList = typesOf(node).includes("array");
      if (items === false) return { items: {}, maxItems: 0 };
      return isList || items === true ? { items: {} } : {};
    }
    const rest = isJsonObject(items) ? [items] : [];
    const kinds = [...(prefixItems as unknown[]), ...rest].map((item) => this.part(item, NONE));
    const different = [...new Map(kinds.map((kind) => [JSON.stringify(kind), kind])).values()];
    const [only = {}] = different;
    return {
      items: different.length === 1 ? only : { anyOf: different },
      ...(items === false && { maxItems: prefixItems.length }),
    };
  }

  #alternatives(node: Schema, known: ReadonlySet<string>): Schema {
    const made: Record<string, unknown> = {};
    for (const union of UNIONS) {
      const parts = Array.isArray(node[union]) ? (node[union] as unknown[]) : [];
      const possible = union === "allOf" ? parts : parts.filter((part) => !isImpossible(part));
      if (possible.length > 0) made[union] = possible.map((part) => this.part(part, known));
    }
    for (const keyword of [...CONDITIONS, "not"]) {
      const part = node[keyword];
      if (isJsonObject(part)) made[keyword] = this.part(part, namesForTest(keyword, part, known));
    }
    return made;
  }

  #noted(node: Schema, made: Schema): Schema {
    const { prefixItems, patternProperties } = node;
    let noted = made;
    if (Array.isArray(prefixItems)) noted = withNote(noted, this.#positions(prefixItems));
    if (isJsonObject(patternProperties)) {
      const patterns = Object.keys(patternProperties).slice(0, 3);
      const shown = patterns
        .map((pattern) => cleanServerName(pattern, undefined, this.#redact))
        .join(", ");
      if (shown !== "") noted = withNote(noted, `More names are possible, of the form ${shown}`);
    }
    return noted;
  }

  #positions(items: readonly unknown[]): string {
    const kinds = items.slice(0, MAX_POSITIONS).map((item, index) => {
      const form = this.part(item, NONE);
      const types = typesOf(form).join(" or ") || "anything";
      return `${index + 1}. ${typeof form["title"] === "string" ? form["title"] : types}`;
    });
    const more = items.length > MAX_POSITIONS ? ", …" : "";
    return `In this order: ${kinds.join(", ")}${more}`;
  }
}

/** What is said about it. An example that holds a secret is none. */
function words(node: Schema, redact: Redactor): Schema {
  const { title, description, default: initial, examples } = node;
  const shownTitle =
    typeof title === "string" ? cleanServerName(title, MAX_TITLE_BYTES, redact) : "";
  const shown =
    typeof description === "string"
      ? cleanServerText(description, MAX_DESCRIPTION_BYTES, redact)
      : "";
  return {
    ...(shownTitle !== "" && { title: shownTitle }),
    ...(shown !== "" && { description: shown }),
    ...(fits(initial, MAX_DEFAULT_CHARS, redact) && { default: initial }),
    ...(Array.isArray(examples) && fits(examples, MAX_EXAMPLES_CHARS, redact) && { examples }),
  };
}

function fits(value: unknown, maxChars: number, redact: Redactor): boolean {
  if (value === undefined) return false;
  const text = JSON.stringify(value) ?? "";
  return text.length <= maxChars && redact(text) === text;
}

/** How a text has to look. */
function text({ pattern, format }: Schema): Schema {
  return {
    ...(typeof pattern === "string" && isPattern(pattern) && { pattern }),
    ...(typeof format === "string" && /^[a-z0-9-]{1,40}$/.test(format) && { format }),
  };
}

/** Other languages write some that are none here, and providers that read them refuse the request. */
function isPattern(pattern: string): boolean {
  if (pattern.length > MAX_PATTERN_CHARS) return false;
  try {
    return new RegExp(pattern, "u").source !== "";
  } catch {
    return false;
  }
}
