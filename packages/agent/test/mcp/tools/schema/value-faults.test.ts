import { expect, test } from "vitest";
import { valueFaults } from "../../../../src/index.ts";

const SCHEMA = {
  type: "object",
  properties: { name: { $ref: "#/$defs/name" }, count: { type: "integer", minimum: 1 } },
  required: ["name"],
  additionalProperties: false,
  $defs: { name: { type: "string", minLength: 2 } },
};

test("says nothing of a value that fits", () => {
  expect(valueFaults({ name: "ab", count: 1 }, SCHEMA)).toEqual([]);
});

test("names each place and what was expected there, through references", () => {
  expect(valueFaults({ name: "a", count: 0.5, more: 1 }, SCHEMA)).toEqual([
    { path: ["name"], text: "must have at least 2 characters" },
    { path: ["count"], text: "expected integer" },
    { path: ["more"], text: "unknown field" },
  ]);
  expect(valueFaults({}, SCHEMA)).toEqual([{ path: ["name"], text: "is missing" }]);
});
