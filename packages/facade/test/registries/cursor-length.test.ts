import { expect, test } from "vitest";
import { actionList } from "../../src/operations/action-list.ts";
import { pageOf } from "../../src/registries/page-of.ts";

test("the cursor of the longest names is taken by the operation that gave it", () => {
  const key = `${"n".repeat(63)}/${"n".repeat(127)}\nlocal/${"p".repeat(100)}-99`;
  const { next_cursor: cursor } = pageOf([key, `${key}x`], { limit: 1 }, (item) => item);
  expect(actionList.params.safeParse({ cursor }).success).toBe(true);
});
