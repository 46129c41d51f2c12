import { lstat } from "node:fs/promises";
import { AcumenError, isJsonObject, readTextFile } from "@acumen/core";
import { parseJsonWithComments, type TextPlace } from "../../json/json-with-comments.ts";
import { visibleLine } from "../../text/visible-text.ts";

/** Why a file does not count. */
export interface ConfigFault {
  /** With the file and, where there is one, the place; one line, safe to show, without a value of the file. */
  readonly message: string;
  /** From 1; absent when the file could not be read at all. */
  readonly place?: TextPlace;
}

export type ConfigDocument =
  | {
      readonly ok: true;
      readonly value: Readonly<Record<string, unknown>>;
      /** The keys of the object at `path` as they stand there: objects put names that are numbers first. */
      keysAt(path: readonly string[]): readonly string[];
      fault(at: readonly (string | number)[], reason: string): ConfigFault;
    }
  | { readonly ok: false; readonly fault: ConfigFault };

export const MAX_CONFIG_BYTES = 1_000_000;
export const NOT_UTF8 = "is not UTF-8; save it as UTF-8";
/** A reason may name a key, and keys have no limit. */
const MAX_REASON = 300;

/** JSON with comments whose root is an object. An empty text is an empty object. */
export function parseConfig(path: string, text: string): ConfigDocument {
  const body = withoutMark(text);
  const parsed = parseJsonWithComments(body.trim() === "" ? "{}" : body);
  if ("fault" in parsed)
    return { ok: false, fault: faultAt(path, parsed.fault, parsed.fault.text) };
  const { value, placeOf } = parsed;
  if (!isJsonObject(value)) {
    return { ok: false, fault: faultAt(path, placeOf([]), "expected an object in braces") };
  }
  const offset = (at: readonly string[]): number => {
    const { line, column } = placeOf(at);
    return line * MAX_CONFIG_BYTES + column;
  };
  return {
    ok: true,
    value,
    keysAt: (at) => {
      const object = at.reduce<unknown>((one, key) => (isJsonObject(one) ? one[key] : {}), value);
      const keys = isJsonObject(object) ? Object.keys(object) : [];
      if (!keys.some((key) => /^\d+$/u.test(key))) return keys;
      const places = new Map(keys.map((key) => [key, offset([...at, key])]));
      return keys.toSorted((one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0));
    },
    fault: (at, reason) => faultAt(path, placeOf(at), reason),
  };
}

/** Undefined: there is no such file. */
export async function readConfig(path: string): Promise<ConfigDocument | undefined> {
  try {
    const text = await readTextFile(path, { maxBytes: MAX_CONFIG_BYTES });
    // How UTF-16 looks when it is read as UTF-8.
    if (!text.startsWith("\uFFFD") && !text.includes("\0")) return parseConfig(path, text);
    return { ok: false, fault: { message: visibleLine(`${path} ${NOT_UTF8}.`) } };
  } catch (error) {
    if (!AcumenError.isInstance(error)) throw error;
    if (error.code === "CORE_FILE_NOT_FOUND") return danglingLink(path);
    return { ok: false, fault: { message: visibleLine(error.message) } };
  }
}

async function danglingLink(path: string): Promise<ConfigDocument | undefined> {
  const isLink = await lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );
  if (!isLink) return undefined;
  const message = `${path} is a link that leads to nothing.`;
  return { ok: false, fault: { message: visibleLine(message) } };
}

function faultAt(path: string, { line, column }: TextPlace, reason: string): ConfigFault {
  const shown = reason.length > MAX_REASON ? `${reason.slice(0, MAX_REASON)}…` : reason;
  const message = visibleLine(`${path}:${line}:${column}: ${shown}.`);
  return { message, place: { line, column } };
}

/** Without the byte order mark that some editors put in front. */
export function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}
