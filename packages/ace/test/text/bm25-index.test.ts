import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { Bm25Index } from "../../src/text/bm25-index.ts";

function scoresOf(index: Bm25Index, ...terms: string[]): Map<number, number> {
  const scores = new Map<number, number>();
  index.score(new Map(terms.map((term) => [term, 1])), (slot, score) => scores.set(slot, score));
  return scores;
}

describe("Bm25Index", () => {
  it("scores by Okapi BM25", () => {
    const index = new Bm25Index();
    const a = index.add(["red", "fox", "red"]);
    index.add(["blue"]);
    // N = 2, n = 1, tf = 2, length 3, average length 2.
    const idf = Math.log(1 + (2 - 1 + 0.5) / (1 + 0.5));
    const expected = (idf * 2 * 2.2) / (2 + 1.2 * (0.25 + (0.75 * 3) / 2));
    expect(scoresOf(index, "red")).toEqual(new Map([[a, expected]]));
  });

  it("visits each document once and forgets the scores afterwards", () => {
    const index = new Bm25Index();
    const a = index.add(["red", "fox"]);
    const b = index.add(["fox"]);
    const first = scoresOf(index, "red", "fox");
    expect(new Set(first.keys())).toEqual(new Set([a, b]));
    expect(scoresOf(index, "red", "fox")).toEqual(first);
  });

  it("prefers rare terms, short documents and repeated terms", () => {
    const index = new Bm25Index();
    const rare = index.add(["fox", "den"]);
    const common = index.add(["dog", "den"]);
    const long = index.add(["dog", "a", "b", "c", "d"]);
    const twice = index.add(["dog", "dog"]);
    const scores = scoresOf(index, "fox", "dog");
    const of = (slot: number): number => scores.get(slot) ?? 0;
    expect(of(rare)).toBeGreaterThan(of(common));
    expect(of(common)).toBeGreaterThan(of(long));
    expect(of(twice)).toBeGreaterThan(of(common));
  });

  it("scores after additions and removals exactly as an index built from what is left", () => {
    const document = fc.array(fc.constantFrom("a", "b", "c", "d", "e"), { maxLength: 6 });
    const steps = fc.array(fc.record({ terms: document, drop: fc.option(fc.nat()) }), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(steps, (list) => {
        const index = new Bm25Index();
        const held = new Map<number, string[]>();
        for (const { terms, drop } of list) {
          held.set(index.add(terms), terms);
          const slots = [...held.keys()];
          const gone = drop === null ? undefined : slots[drop % slots.length];
          if (gone === undefined) continue;
          index.remove(gone, held.get(gone) ?? []);
          held.delete(gone);
        }
        const fresh = new Bm25Index();
        const places = new Map([...held].map(([slot, terms]) => [fresh.add(terms), slot]));
        expect(index.size).toBe(fresh.size);
        expect(index.frequency("a")).toBe(fresh.frequency("a"));
        const expected = [...scoresOf(fresh, "a", "b", "e")].map(([slot, score]) => [
          places.get(slot),
          score,
        ]);
        expect(scoresOf(index, "a", "b", "e")).toEqual(new Map(expected as [number, number][]));
      }),
    );
  });
});
