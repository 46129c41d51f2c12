import { ConflictError } from "../errors/domain-error.ts";
import type { Page } from "./facade-store.ts";
import { placeOf } from "./page-query.ts";

interface Versioned {
  readonly owner: string;
  readonly version: number;
}

/** Somebody else was faster, or made the record first. */
export function staleVersion(kind: string, id: string, version: number): ConflictError {
  const text =
    version === 1
      ? `The ${kind} ${id} exists already.`
      : `Somebody else changed the ${kind} ${id} meanwhile; read it again.`;
  return new ConflictError(text, { details: { [`${kind}_id`]: id, version } });
}

/** Records of one kind in memory, per owner in the order in which they were made. */
export class RecordTable<T extends Versioned> {
  readonly #kind: string;
  readonly #idOf: (record: T) => string;
  readonly #owners = new Map<string, Map<string, T>>();

  constructor(kind: string, idOf: (record: T) => string) {
    this.#kind = kind;
    this.#idOf = idOf;
  }

  /** @throws ConflictError when one of them does not follow the version that is there */
  check(records: readonly T[]): void {
    const versions = new Map<string, number>();
    for (const record of records) {
      const id = this.#idOf(record);
      const key = JSON.stringify([record.owner, id]);
      const known = versions.get(key) ?? this.get(record.owner, id)?.version ?? 0;
      if (record.version !== known + 1) throw staleVersion(this.#kind, id, record.version);
      versions.set(key, record.version);
    }
  }

  put(records: readonly T[]): void {
    for (const record of records) {
      let owned = this.#owners.get(record.owner);
      if (owned === undefined) this.#owners.set(record.owner, (owned = new Map()));
      owned.set(this.#idOf(record), record);
    }
  }

  get(owner: string, id: string): T | undefined {
    return this.#owners.get(owner)?.get(id);
  }

  /** Newest first. */
  page(
    query: { readonly owner: string; readonly cursor?: string; readonly limit: number },
    matches: (record: T) => boolean,
  ): Page<T> {
    const records = [...(this.#owners.get(query.owner)?.values() ?? [])];
    const items: T[] = [];
    for (let place = Math.min(placeOf(query) ?? records.length, records.length); place > 0;) {
      const record = records[--place];
      if (record === undefined || !matches(record)) continue;
      if (items.length === query.limit) return { items, nextCursor: String(place + 1) };
      items.push(record);
    }
    return { items, nextCursor: null };
  }

  /** Of every owner. */
  all(): T[] {
    return [...this.#owners.values()].flatMap((owned) => [...owned.values()]);
  }
}
