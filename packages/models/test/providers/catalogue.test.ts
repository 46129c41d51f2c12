import { expect, test } from "vitest";
import { PROVIDERS } from "../../src/index.ts";

test.each(PROVIDERS)("the address of $prefix may be set by variables of its prefix", (row) => {
  const name = row.prefix.toUpperCase();
  expect(row.baseUrlVariables).toEqual(
    expect.arrayContaining([`${name}_BASE_URL`, `${name}_API_BASE`]),
  );
  expect(new Set(row.baseUrlVariables).size).toBe(row.baseUrlVariables.length);
});
