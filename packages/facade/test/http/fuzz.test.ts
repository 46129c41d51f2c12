import { expect, it } from "vitest";
import { fuzz } from "../support/fuzz.ts";
import { fuzzBench } from "../support/fuzz-bench.ts";
import { FUZZ_CODES, provokedCodes } from "../support/provoked.ts";

it("whatever is sent to any operation, the answer is an envelope with its id, never a 500, and each operation does its work", async () => {
  await using bench = await fuzzBench("memory");
  const { answered, operations, codes } = await fuzz(bench, { requests: 1_000, seed: 20_261_201 });
  expect(operations.length).toBeGreaterThan(20);
  expect(operations.filter((name) => !answered.has(name))).toEqual([]);
  const seen = new Set([...codes, ...(await provokedCodes(bench))]);
  expect([...seen].toSorted()).toEqual(FUZZ_CODES);
}, 60_000);
