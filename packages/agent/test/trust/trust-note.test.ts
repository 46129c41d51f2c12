import { tempFolder } from "@acumen/testkit";
import { mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { TrustNote, unreadNames } from "../../src/trust/trust-note.ts";

test("each part is said once, whichever comes first", () => {
  const both = new TrustNote({ unread: ["config.json"], hint: "Type `/trust`." });
  expect(both.take(true)).toBe(
    "This workspace is not trusted, so what its .acumen folder brings (config.json) does not count, and mode auto acts as safe: writes and commands ask. Type `/trust`.",
  );
  expect([both.take(true), both.take(false)]).toEqual([undefined, undefined]);

  const apart = new TrustNote({ unread: ["config.json"] });
  expect(apart.take(false)).toMatch(/brings \(config\.json\) does not count\. Trust it with/);
  expect(apart.take(false)).toBeUndefined();
  expect(apart.take(true)).toMatch(/^This workspace is not trusted, so mode auto acts as safe: /);
  expect(apart.take(true)).toBeUndefined();

  expect(new TrustNote().take(false)).toBeUndefined();
});

test("long lists are cut", () => {
  const unread = Array.from({ length: 9 }, (_each, index) => `f${index}`);
  expect(new TrustNote({ unread }).take(false)).toContain("(f0, f1, f2, f3, f4, …)");
});

test("what stands in the folder is named, with nothing hidden in the names", async () => {
  await using folder = await tempFolder();
  const root = await realpath(folder.path);
  const cwd = `${root}/project`;
  const names = async (): Promise<readonly string[]> => unreadNames(cwd, `${root}/home`);
  await mkdir(cwd);
  expect(await names()).toEqual([]);
  await mkdir(`${cwd}/.acumen`);
  expect(await names()).toEqual([]);
  for (const name of ["skillbook.json", "config.json", ".gitignore", "a\u202Eb"])
    await writeFile(`${cwd}/.acumen/${name}`, "x");
  const found = await names();
  expect(found).toHaveLength(3);
  expect(found).toEqual(expect.arrayContaining(["config.json", "skillbook.json"]));
  expect(found.join()).not.toContain("\u202E");
});

test("Acumen's own folder brings nothing, and a link is looked through", async () => {
  await using folder = await tempFolder();
  const root = await realpath(folder.path);
  await mkdir(`${root}/user/.acumen`, { recursive: true });
  await writeFile(`${root}/user/.acumen/config.json`, "{}");
  expect(await unreadNames(`${root}/user`, `${root}/user/.acumen`)).toEqual([]);
  await mkdir(`${root}/project`);
  await symlink(`${root}/user/.acumen`, `${root}/project/.acumen`);
  expect(await unreadNames(`${root}/project`, `${root}/home`)).toEqual(["config.json"]);
});
