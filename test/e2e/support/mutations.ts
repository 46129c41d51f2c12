import { pick } from "./random.ts";

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

type Random = () => number;

/** Values that a careless or hostile caller could send anywhere. */
const ODD: readonly [Json, ...Json[]] = [
  null,
  true,
  0,
  -1,
  1e308,
  -0.5,
  9_007_199_254_740_992,
  "",
  " ",
  "\u0000\u0007",
  "\u202Eevil\u202C",
  "\uD800",
  "null",
  "{}",
  "[]",
  "../../etc/passwd",
  "/",
  "~",
  "con.json",
  "x".repeat(5_000),
  "ε̈".repeat(50),
  [],
  {},
  [[[[[]]]]],
  { a: { b: { c: null } } },
  { constructor: 1, toString: "x" },
  ["s", "s"],
];

/** Changes one place of a JSON value: replaces, removes, adds, doubles or wraps it. */
export function mutate(value: Json, random: Random): Json {
  if (Array.isArray(value) && value.length > 0 && random() < 0.7)
    return mutateItem(value as readonly Json[], random);
  if (isObject(value) && Object.keys(value).length > 0 && random() < 0.85)
    return mutateField(value, random);
  return replace(value, random);
}

function mutateItem(list: readonly Json[], random: Random): Json {
  const at = Math.floor(random() * list.length);
  const item = list[at] ?? null;
  const rest = list.filter((_, index) => index !== at);
  if (random() < 0.2) return rest;
  if (random() < 0.1) return Array.from({ length: 40 }, () => item);
  return [...rest, mutate(item, random)];
}

function mutateField(value: { readonly [key: string]: Json }, random: Random): Json {
  const keys = Object.keys(value);
  const key = keys[Math.floor(random() * keys.length)] ?? "";
  const { [key]: field = null, ...rest } = value;
  const roll = random();
  if (roll < 0.15) return rest;
  if (roll < 0.25) return { ...rest, [`${key}s`]: field };
  if (roll < 0.35) return { ...value, [pick(random, STRANGE_KEYS)]: pick(random, ODD) };
  // Some hosts send objects as JSON text.
  if (roll < 0.42) return { ...rest, [key]: JSON.stringify(field) };
  return { ...rest, [key]: mutate(field, random) };
}

const STRANGE_KEYS = [
  "__proto__x",
  "constructor",
  "toString",
  "",
  "session_id ",
  "a.b",
  "$ref",
] as const;

function replace(value: Json, random: Random): Json {
  const roll = random();
  if (roll < 0.15) return [value];
  if (roll < 0.3) return { value };
  if (typeof value === "string" && roll < 0.5)
    return value + String.fromCodePoint(Math.floor(random() * 0xd000));
  if (typeof value === "number" && roll < 0.5) return value * (random() < 0.5 ? -1 : 1e9);
  return pick(random, ODD);
}

function isObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Damages a line: cuts, doubles, swaps or inserts bytes. The result may or may not be JSON. */
export function damage(line: string, random: Random): string {
  const at = Math.floor(random() * line.length);
  const roll = random();
  if (roll < 0.3) return line.slice(0, at);
  if (roll < 0.5) return line.slice(0, at) + line.slice(at + 1 + Math.floor(random() * 5));
  if (roll < 0.7) return line.slice(0, at) + pick(random, NOISE) + line.slice(at);
  if (roll < 0.8) return line + line;
  if (roll < 0.9) return `[${line},${line}]`;
  return line.slice(at) + line.slice(0, at);
}

const NOISE = ["\u0000", '"', "}", "\\", "\uFFFD", "\t", "{", ",", "\u2028", "NaN", "\r"] as const;
