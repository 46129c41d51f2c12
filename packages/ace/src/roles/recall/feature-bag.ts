/**
 * Features of a case: parallel lists of keys (hashes of feature names, the same in any process) and weights before inverse document
 * frequency, in steps of 1/100.
 */
export interface Features {
  readonly keys: Int32Array;
  readonly weights: Uint8Array;
}

/** Collects features; one that is seen twice keeps its larger weight, so that repeating a word brings nothing. */
export class FeatureBag {
  readonly #weights = new Map<number, number>();

  /** `weight` is at most 2.55. */
  add(name: string, weight: number): void {
    const key = hash(name);
    if (weight > (this.#weights.get(key) ?? 0)) this.#weights.set(key, weight);
  }

  features(): Features {
    const weights = Uint8Array.from(this.#weights.values(), (weight) =>
      Math.max(1, Math.min(255, Math.round(weight * 100))),
    );
    return { keys: Int32Array.from(this.#weights.keys()), weights };
  }
}

/** FNV-1a. Numbers as keys take a fraction of the memory of names, and two of a million names falling together does no harm. */
function hash(name: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) {
    value = Math.imul(value ^ name.charCodeAt(i), 0x01000193);
  }
  return value | 0;
}
