import { randomInt } from "node:crypto";
import { expect, it } from "vitest";
import { fuzz } from "../support/fuzz.ts";
import { fuzzBench } from "../support/fuzz-bench.ts";
import { FUZZ_CODES, provokedCodes } from "../support/provoked.ts";

it("no request makes a server over a real repository answer with a 500, and each operation does its work", async () => {
  // Another one each time; every failure names it, and FUZZ_SEED repeats it.
  const seed = Number(process.env["FUZZ_SEED"] ?? randomInt(2 ** 31));
  await using bench = await fuzzBench("git");
  const { answered, operations, codes } = await fuzz(bench, { requests: 5_000, seed });
  const missing = operations.filter((name) => !answered.has(name));
  expect(missing, `seed ${seed}`).toEqual([]);
  const seen = new Set([...codes, ...(await provokedCodes(bench))]);
  expect([...seen].toSorted(), `seed ${seed}`).toEqual(expect.arrayContaining([...FUZZ_CODES]));
}, 240_000);
