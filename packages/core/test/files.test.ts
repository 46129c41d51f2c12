import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { coreError, ensureFolder, readTextFile, writeFileAtomic } from "@acumen/core";
import { tempFolder } from "@acumen/testkit";
import { describe, expect, it } from "vitest";

describe("writeFileAtomic", () => {
  it("writes, replaces, and leaves no temp file", async () => {
    await using folder = await tempFolder();
    const path = folder.join("a.json");
    await writeFileAtomic(path, "one");
    await writeFileAtomic(path, "two");
    expect(await readFile(path, "utf8")).toBe("two");
    expect(await readdir(folder.path)).toEqual(["a.json"]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("replaces a link instead of following it", async () => {
    await using folder = await tempFolder();
    await writeFile(folder.join("target"), "keep");
    await symlink(folder.join("target"), folder.join("link"));
    await writeFileAtomic(folder.join("link"), "new");
    expect(await readFile(folder.join("target"), "utf8")).toBe("keep");
  });

  it("writes files whose names are as long as file systems take", async () => {
    await using folder = await tempFolder();
    const names = ["a".repeat(255), "\u{1F389}".repeat(63)];
    for (const name of names) await writeFileAtomic(folder.join(name), name);
    expect((await readdir(folder.path)).toSorted()).toEqual(names.toSorted());
  });

  it("keeps the old file when the check refuses, the signal aborts, or the folder is missing", async () => {
    await using folder = await tempFolder();
    const path = folder.join("a");
    await writeFileAtomic(path, "old");
    const refuse = (): Promise<never> =>
      Promise.reject(coreError("CORE_FILE_NOT_WRITABLE", "outside"));
    await expect(writeFileAtomic(path, "new", { check: refuse })).rejects.toThrow("outside");
    await expect(
      writeFileAtomic(path, "new", { signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ code: "CORE_ABORTED" });
    await expect(writeFileAtomic(folder.join("no", "a"), "new")).rejects.toMatchObject({
      code: "CORE_FILE_NOT_WRITABLE",
      details: { errno: "ENOENT" },
    });
    expect(await readFile(path, "utf8")).toBe("old");
    expect(await readdir(folder.path)).toEqual(["a"]);
  });
});

describe("readTextFile", () => {
  it("reads up to its limit and names what is wrong otherwise", async () => {
    await using folder = await tempFolder();
    await writeFile(folder.join("a"), "12345");
    await mkdir(folder.join("dir"));
    expect(await readTextFile(folder.join("a"), { maxBytes: 5 })).toBe("12345");
    await expect(readTextFile(folder.join("a"), { maxBytes: 4 })).rejects.toMatchObject({
      code: "CORE_FILE_TOO_LARGE",
    });
    await expect(readTextFile(folder.join("b"), { maxBytes: 4 })).rejects.toMatchObject({
      code: "CORE_FILE_NOT_FOUND",
    });
    await expect(readTextFile(folder.join("a", "b"), { maxBytes: 4 })).rejects.toMatchObject({
      code: "CORE_FILE_NOT_FOUND",
    });
    await expect(readTextFile(folder.join("dir"), { maxBytes: 4 })).rejects.toMatchObject({
      code: "CORE_FILE_UNREADABLE",
      details: { reason: "not_a_file" },
    });
  });

  it("does not hang on a pipe", async () => {
    await using folder = await tempFolder();
    const { execFileSync } = await import("node:child_process");
    execFileSync("mkfifo", [folder.join("pipe")]);
    await expect(readTextFile(folder.join("pipe"), { maxBytes: 4 })).rejects.toMatchObject({
      code: "CORE_FILE_UNREADABLE",
    });
  });

  it("stops at a check before the first byte", async () => {
    await using folder = await tempFolder();
    await writeFile(folder.join("a"), "x");
    await chmod(folder.join("a"), 0o600);
    const check = (): Promise<never> =>
      Promise.reject(coreError("CORE_FILE_UNREADABLE", "swapped"));
    await expect(readTextFile(folder.join("a"), { maxBytes: 4, check })).rejects.toThrow("swapped");
  });
});

describe("ensureFolder", () => {
  it("creates parents and reports a file in the way", async () => {
    await using folder = await tempFolder();
    await ensureFolder(folder.join("a", "b"));
    await writeFile(folder.join("file"), "");
    await expect(ensureFolder(folder.join("file", "b"))).rejects.toMatchObject({
      code: "CORE_FILE_NOT_WRITABLE",
    });
  });

  it("gives the mode to folders that it makes, and accepts those that are there", async () => {
    await using folder = await tempFolder();
    await ensureFolder(folder.join("a", "b"), { mode: 0o700 });
    await ensureFolder(folder.join("a", "b"), { mode: 0o755 });
    await Promise.all([1, 2, 3].map(() => ensureFolder(folder.join("c", "d", "e"))));
    expect((await stat(folder.join("a", "b"))).mode & 0o777).toBe(0o700);
  });

  it("ends below /proc, where nothing can be made", async () => {
    await expect(ensureFolder("/proc/nowhere/deep/er")).rejects.toMatchObject({
      code: "CORE_FILE_NOT_WRITABLE",
      details: { errno: "ENOENT" },
    });
  });
});
