import { mkdir, writeFile } from "node:fs/promises";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { checkWorkspace } from "../../src/doctor/settings-checks.ts";

test("a workspace's own settings are not read, and it says so", async () => {
  await using folder = await tempFolder();
  expect(await checkWorkspace(folder.path)).toBeUndefined();
  await mkdir(folder.join(".acumen"));
  await writeFile(folder.join(".acumen", "config.json"), "{}");
  expect(await checkWorkspace(folder.path)).toMatchObject({
    status: "note",
    message: expect.stringContaining("is not read: this workspace is not trusted") as string,
  });
});
