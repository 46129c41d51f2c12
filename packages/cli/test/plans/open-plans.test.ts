import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { runMain } from "../support/run-main.ts";

const TOKEN = `acm_${"a".repeat(40)}`;

test.each([
  [`${TOKEN}\n\nToken 1 of local: plan:read.`, "several lines"],
  [`${TOKEN} `.repeat(2), "such as a space"],
  [`“${TOKEN}”`, "characters that no token has"],
])("what is no token is said before anybody is asked: %j", async (token, why) => {
  await using home = await tempFolder("acumen-token");
  const variables = { ACUMEN_TOKEN: token, ACUMEN_URL: "http://127.0.0.1:9" };
  const { code, stderr } = await runMain(["plan", "list"], { home: home.path, variables });
  expect([code, stderr]).toEqual([2, expect.stringContaining("CLI_USAGE: ACUMEN_TOKEN")]);
  expect(stderr).toContain(why);
  expect(stderr).not.toContain(TOKEN);
});
