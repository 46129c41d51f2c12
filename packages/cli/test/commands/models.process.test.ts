import { PROVIDERS } from "@acumen/models";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { acumen } from "../support/acumen.ts";

test("without words every provider is a line, and without a key it says how to get one", async () => {
  await using home = await tempFolder();
  const { code, stdout, stderr } = await acumen(["models"], { ACUMEN_HOME: home.path });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  for (const { prefix } of PROVIDERS) expect(stdout).toMatch(new RegExp(`^${prefix} `, "m"));
  expect(stdout).toMatch(/^openai .* missing$/m);
  expect(stdout).toMatch(/^ollama .* not needed$/m);
  expect(stdout).toContain("`acumen setup` stores one");
  for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  expect(stdout).not.toContain("\u001B");
});
