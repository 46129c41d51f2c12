import { expect, it } from "vitest";

import { compareSkillIds } from "../../src/skillbook/id-order.ts";

it("orders ids by number, then by text", () => {
  const ids = ["b-00002", "a-00010", "c-100000", "plain", "a-00002", "x1-00001", "a-", "7"];
  expect(ids.toSorted(compareSkillIds)).toEqual([
    "7",
    "plain",
    "a-",
    "x1-00001",
    "a-00002",
    "b-00002",
    "a-00010",
    "c-100000",
  ]);
});
