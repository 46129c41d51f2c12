import assert from "node:assert/strict";
import { test } from "node:test";
import { groupPrice } from "./prices.mjs";

test("nine people pay the full price", () => {
  assert.equal(groupPrice(9), 108);
});

test("ten people pay the price of a group", () => {
  assert.equal(groupPrice(10), 95);
});
