import { tempFolder } from "@acumen/testkit";
import { readFile, stat, utimes, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { copyIndex } from "../../src/sandbox/copy-index.ts";

test("an index is copied with its time, which says which files may have changed unseen", async () => {
  await using folder = await tempFolder();
  const [from, to] = [folder.join("index"), folder.join("copy")];
  await writeFile(from, "index");
  await utimes(from, 1_000_000_000, 1_000_000_001);
  await copyIndex(from, to);
  expect(await readFile(to, "utf8")).toBe("index");
  expect((await stat(to)).mtimeMs).toBe(1_000_000_001_000);
});
