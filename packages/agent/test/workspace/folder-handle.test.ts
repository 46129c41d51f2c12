import { tempFolder } from "@acumen/testkit";
import { mkdir, readdir, rename, symlink, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { FolderHandle, openParent } from "../../src/workspace/folder-handle.ts";
import { isFileRefused } from "../../src/workspace/file-refused.ts";

// Where the kernel does not say where an open folder lies, names are all there is.
test.runIf(process.platform === "linux")(
  "a link that is swapped in for a folder after it was opened leads nowhere",
  async () => {
    await using folder = await tempFolder();
    await mkdir(folder.join("dir"));
    await mkdir(folder.join("outside"));
    const held = await FolderHandle.open(folder.join("dir"));
    await rename(folder.join("dir"), folder.join("moved"));
    await symlink(folder.join("outside"), folder.join("dir"));
    await writeFile(held.at("a"), "content");
    await held.close();
    expect(await readdir(folder.join("outside"))).toEqual([]);
    expect(await readdir(folder.join("moved"))).toEqual(["a"]);
    await expect(FolderHandle.open(folder.join("dir"))).rejects.toThrow("ENOTDIR");
  },
);

test("tells of each folder that it made, also when a later one can't be made", async () => {
  await using folder = await tempFolder();
  const made: string[] = [];
  const path = folder.join("one", "two", "n".repeat(300), "file");
  const opening = openParent(path, [folder.path], (each) => made.push(each));
  await expect(opening).rejects.toThrow("ENAMETOOLONG");
  expect(made).toEqual([folder.join("one"), folder.join("one", "two")]);
});

test("makes nothing above a root", async () => {
  await using folder = await tempFolder();
  const root = folder.join("ws");
  const failure = await openParent(folder.join("ws", "a"), [root], () => undefined).catch(
    (error: unknown) => error,
  );
  expect(isFileRefused(failure)).toBe(true);
  expect(await readdir(folder.path)).toEqual([]);
});
