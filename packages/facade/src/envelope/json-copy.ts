import type { JsonValue } from "./json-value.ts";

/** Levels of objects and lists, the outermost counted. Deeper nesting is no request of anybody, and costs stack. */
export const MAX_DEPTH = 32;
/** More than fit into a body of 1 MiB. Few objects that hold each other often are as good as endless. */
const MAX_VALUES = 1024 * 1024;

/** What keeps a value from being JSON, and where. */
interface NoJson {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export type JsonCopy = { readonly value: JsonValue } | { readonly fault: NoJson };

interface Place {
  readonly path: (string | number)[];
  left: number;
}

class Fault extends Error {}

/**
 * Plain JSON of its own, as a wire would bring it: members that are undefined are left out, -0 is 0, and the outermost object may be one of
 * a class. Each member is read once, so that nothing is another value later than when it was looked at. Never throws, whatever getters and
 * proxies do.
 */
export function jsonCopy(value: unknown): JsonCopy {
  const place: Place = { path: [], left: MAX_VALUES };
  try {
    return { value: copied(value, place) };
  } catch (error) {
    const message = error instanceof Fault ? error.message : "cannot be read";
    return { fault: { path: place.path, message } };
  }
}

function copied(value: unknown, place: Place): JsonValue {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "object") return copiedObject(value, place);
  if (typeof value !== "number") throw new Fault(`expected JSON, not ${typeof value}`);
  if (!Number.isFinite(value)) throw new Fault(`expected JSON, not ${value}`);
  return value + 0;
}

function copiedObject(value: object, place: Place): JsonValue {
  if (place.path.length >= MAX_DEPTH) throw new Fault(`nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) return copiedList(value, place);
  if (!isPlain(value) && place.path.length > 0) {
    throw new Fault("expected JSON, not an object of a class");
  }
  const keys = Object.keys(value);
  take(keys.length, place);
  const copy: Record<string, JsonValue> = {};
  for (const key of keys) {
    place.path.push(key);
    if (key === "__proto__") throw new Fault("no key may have this name");
    const member: unknown = (value as Readonly<Record<string, unknown>>)[key];
    if (member !== undefined) copy[key] = copied(member, place);
    place.path.pop();
  }
  return copy;
}

function copiedList(list: readonly unknown[], place: Place): JsonValue {
  const { length } = list;
  take(length, place);
  const copy: JsonValue[] = [];
  for (let index = 0; index < length; index += 1) {
    place.path.push(index);
    copy.push(copied(list[index], place));
    place.path.pop();
  }
  return copy;
}

function take(count: number, place: Place): void {
  place.left -= count;
  if (place.left < 0) throw new Fault(`more than ${MAX_VALUES} values`);
}

/** Also one of another realm, whose prototype is another object. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return true;
  return Object.hasOwn(prototype as object, "isPrototypeOf");
}
