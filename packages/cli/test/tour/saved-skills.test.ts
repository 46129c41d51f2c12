import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { countKept, readSavedSkills } from "../../src/tour/saved-skills.ts";

test("counts the records that are equal in every field", () => {
  const before = { a: { content: "x", sources: [1] }, b: { content: "y" }, c: { content: "z" } };
  expect(countKept(before, before)).toBe(3);
  expect(countKept(before, { a: { content: "x", sources: [2] }, b: { content: "y" } })).toBe(1);
  expect(countKept(before, {})).toBe(0);
});

test("reads the records of a skillbook file, none of another file", async () => {
  await using folder = await tempFolder();
  const path = join(folder.path, "book.json");
  await writeFile(path, '{"skills": {"a": {"content": "x"}}}');
  expect(await readSavedSkills(path)).toEqual({ a: { content: "x" } });
  await writeFile(path, "[]");
  expect(await readSavedSkills(path)).toEqual({});
});
