import { isDeepStrictEqual } from "node:util";
import { isJsonObject } from "@acumen/core";
import { cleanText, type ContentPart } from "./content-parts.ts";

const MAX_DEPTH = 64;
/** More is not compared, and so shown. */
const MAX_VALUES = 5000;
const MAX_TEXT_CHARS = 2_000_000;

/** A structure that is shown beside or instead of texts. */
export interface ChosenContent {
  readonly parts: readonly ContentPart[];
  /** Absent: the parts say it all. */
  readonly structured?: { readonly data: unknown };
}

/**
 * Servers send a structure and the same again as text. The texts are kept, and the structure only comes in when it says
 * something that they do not: then it takes the place of those that are a part of it. Nothing is shown twice, nothing is lost.
 * @param structured undefined or null: there is none
 */
export function chooseContent(parts: readonly ContentPart[], structured: unknown): ChosenContent {
  const data = cleanData(structured, MAX_DEPTH);
  if (data === undefined || data === null) return { parts };
  const said = parts.flatMap((part) =>
    (part.type === "text" || part.type === "resource") && part.text.trim() !== ""
      ? [{ part, json: jsonOf(part.text) }]
      : [],
  );
  const isEmpty = typeof data === "object" && Object.keys(data).length === 0;
  if (isEmpty && said.length > 0) return { parts };
  if (said.some(({ json }) => json !== undefined && holds(json, data))) return { parts };
  const words = said.filter(({ json }) => json === undefined).map(({ part }) => part.text);
  if (isSaid(data, words.join("\n"))) return { parts };
  const values = valuesIn(data);
  const repeated = new Set<ContentPart>(
    said
      .filter(({ json }) => json !== undefined && (holds(data, json) || isAmong(json, values)))
      .map(({ part }) => part),
  );
  const blank = (part: ContentPart): boolean => part.type === "text" && part.text.trim() === "";
  return {
    parts: parts.filter((part) => !repeated.has(part) && !blank(part)),
    structured: { data },
  };
}

/** An object or a list that is written in a text. */
function jsonOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text) || text.length > MAX_TEXT_CHARS) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** All of `part` is in `whole`, at the same place. */
function holds(whole: unknown, part: unknown, depth = MAX_DEPTH): boolean {
  if (depth === 0) return false;
  if (Array.isArray(part)) {
    if (!Array.isArray(whole) || whole.length !== part.length) return false;
    return part.every((item, index) => holds(whole[index], item, depth - 1));
  }
  if (!isJsonObject(part)) return Object.is(whole, part);
  if (!isJsonObject(whole)) return false;
  return Object.entries(part).every(
    ([key, item]) => Object.hasOwn(whole, key) && holds(whole[key], item, depth - 1),
  );
}

function isAmong(json: unknown, values: readonly unknown[]): boolean {
  return values.some(
    (value) => typeof value === "object" && value !== null && isDeepStrictEqual(value, json),
  );
}

/** Every text and number of the data can be read in the text. */
function isSaid(data: unknown, text: string): boolean {
  const values = valuesIn(data);
  if (values.length >= MAX_VALUES || text.length > MAX_TEXT_CHARS) return false;
  const leaves = values.filter((value) => typeof value !== "object" || value === null);
  const telling = leaves.filter((value) => typeof value === "string" || typeof value === "number");
  return telling.length === leaves.length && leaves.length > 0
    ? telling.every((value) => isWritten(String(value), text))
    : false;
}

/** As a word of its own. */
function isWritten(value: string, text: string): boolean {
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1)) {
    const before = text[at - 1] ?? " ";
    const after = text.slice(at + value.length, at + value.length + 2);
    if (!/[\p{L}\p{N}.-]/u.test(before) && !/^(?:[\p{L}\p{N}-]|\.\p{N})/u.test(after)) return true;
  }
  return false;
}

/** The data and everything in it, up to a limit. */
function valuesIn(data: unknown): readonly unknown[] {
  const values = [data];
  for (const value of values) {
    if (typeof value !== "object" || value === null) continue;
    for (const item of Object.values(value)) {
      if (values.length >= MAX_VALUES) return values;
      values.push(item);
    }
  }
  return values;
}

/** What nests too deep is no data any more but a note. */
function cleanData(value: unknown, depth: number): unknown {
  if (typeof value === "string") return cleanText(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) return "[nested too deep to be shown]";
  if (Array.isArray(value)) return value.map((item) => cleanData(item, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [cleanText(key), cleanData(item, depth - 1)]),
  );
}
