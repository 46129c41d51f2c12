import { isJsonObject } from "@acumen/core";

/** A schema, or a part of one. */
export type Schema = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 64;
/** Objects and arrays. */
const MAX_NODES = 5000;
const MAX_CHARS = 100_000;

export type CopiedSchema =
  | { readonly ok: true; readonly copy: Schema }
  | { readonly ok: false; readonly reason: string };

/** A deep copy that is no larger than a schema needs to be, also of what refers to itself. */
export function copySchema(raw: Schema): CopiedSchema {
  let nodes = 0;
  let chars = 0;
  const copy = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") chars += value.length;
    if (chars > MAX_CHARS) throw new TooLarge(`is larger than ${MAX_CHARS / 1000} kB`);
    if (typeof value !== "object" || value === null) return value;
    nodes += 1;
    if (nodes > MAX_NODES) throw new TooLarge(`has more than ${MAX_NODES} parts`);
    if (depth > MAX_DEPTH) throw new TooLarge(`nests deeper than ${MAX_DEPTH} levels`);
    if (Array.isArray(value)) {
      chars += value.length;
      return value.map((item) => copy(item, depth + 1));
    }
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        chars += key.length + 2;
        return [key, copy(item, depth + 1)];
      }),
    );
  };
  try {
    const copied = copy(raw, 1);
    return { ok: true, copy: isJsonObject(copied) ? copied : {} };
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    return { ok: false, reason: `Its inputSchema ${error.message}.` };
  }
}

class TooLarge extends Error {}
