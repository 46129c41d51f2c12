import { createHash } from "node:crypto";
import {
  chmod,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { FakeClock, type TempFolder, tempFolder } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import {
  EventLog,
  FileSessionStore,
  type HostWritten,
  type OpenedSession,
  openWorkspace,
  undoTo,
  type Workspace,
} from "../../src/index.ts";
import { created, newMeta, START } from "./support.ts";

const clock = new FakeClock(START);
const hashOf = (content: string): string => createHash("sha256").update(content).digest("hex");

interface Work {
  readonly folder: TempFolder;
  readonly opened: OpenedSession;
  readonly log: EventLog;
  readonly workspace: Workspace;
  readonly path: (name: string) => string;
  /** A call of the agent leaves this content, null for no file. */
  readonly change: (seq: number, name: string, content: string | null) => Promise<void>;
  readonly undo: (toSeq: number) => ReturnType<typeof undoTo>;
  /** Every file of the workspace with its content. */
  readonly files: () => Promise<Record<string, string>>;
}

async function working(folder: TempFolder): Promise<Work> {
  const meta = newMeta();
  const home = folder.join("home");
  const root = folder.join("workspace");
  await mkdir(root);
  const workspace = await openWorkspace({ cwd: root });
  const opened = await new FileSessionStore({ home, clock }).create(meta, [created(meta)]);
  const log = new EventLog(opened, { clock });
  const path = (name: string): string => join(root, name);
  return {
    folder,
    opened,
    log,
    workspace,
    path,
    change: async (seq, name, content) => {
      const file = path(name);
      const before = await readFile(file).catch(() => null);
      const mode = before === null ? null : (await stat(file)).mode & 0o7777;
      const afterHash = content === null ? null : hashOf(content);
      await opened.saveBeforeImage({ seq, path: file, content: before, mode, afterHash });
      await mkdir(dirname(file), { recursive: true });
      if (content === null) await unlink(file);
      else await writeFile(file, content);
    },
    undo: (toSeq) => undoTo(opened, log, { toSeq, workspace }),
    files: async () => {
      const entries = await readdir(root, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => !entry.isDirectory());
      const pairs = files.map(async ({ parentPath, name }) => {
        const file = join(parentPath, name);
        return [file.slice(root.length + 1), await readFile(file, "utf8")] as const;
      });
      return Object.fromEntries(await Promise.all(pairs));
    },
  };
}

describe("undo", () => {
  test("gives every file what it was before the first call of that seq or later", async () => {
    await using folder = await tempFolder();
    const { change, undo, files, path, log, opened } = await working(folder);
    const long = `${"n".repeat(251)}.txt`;
    await writeFile(path("script.sh"), "one\r\n");
    await chmod(path("script.sh"), 0o6751);
    await writeFile(path(long), "long name");
    await change(3, "script.sh", "two");
    await change(5, "script.sh", "three");
    await change(5, "deep/new/file.txt", "new");
    await change(7, long, null);
    await change(9, "script.sh", "four");
    await change(9, "deep/new/file.txt", "newer");
    const paths = ["script.sh", "deep/new/file.txt", long].map(path);
    expect(await undo(5)).toEqual({ restored: [paths[0], paths[2]], removed: [paths[1]] });
    expect(await files()).toEqual({ "script.sh": "two", [long]: "long name" });
    expect(log.events.at(-1)).toMatchObject({
      type: "FILES_RESTORED",
      turn_id: null,
      payload: { to_seq: 5, paths },
    });
    expect((await opened.beforeImages()).map(({ seq }) => seq)).toEqual([3]);
    await undo(3);
    expect(await files()).toEqual({ "script.sh": "one\r\n", [long]: "long name" });
    expect((await stat(path("script.sh"))).mode & 0o7777).toBe(0o6751);
    await expect(undo(1)).rejects.toMatchObject({ code: "AGENT_UNDO_REFUSED" });
    await opened.close();
  });

  test("works for bytes of any kind, and after the session was opened again", async () => {
    await using folder = await tempFolder();
    const { change, path, opened, workspace } = await working(folder);
    const bytes = Buffer.from(Array.from({ length: 512 }, (_, i) => i % 256));
    await writeFile(path("image"), bytes);
    await change(2, "image", "text");
    const { session_id } = opened.meta;
    await opened.close();
    const again = await new FileSessionStore({ home: folder.join("home") }).open(session_id);
    await undoTo(again, new EventLog(again, { clock }), { toSeq: 1, workspace });
    expect(await readFile(path("image"))).toEqual(bytes);
    await again.close();
  });

  test("is refused with all names when somebody else changed files since, and changes none", async () => {
    await using folder = await tempFolder();
    const { change, undo, files, path, log, opened } = await working(folder);
    for (const name of ["a", "b", "c", "d", "e"]) await writeFile(path(name), "old");
    for (const name of ["a", "b", "c", "d", "e"]) await change(2, name, "new");
    await change(2, "f", "new");
    await writeFile(path("b"), "mine");
    await unlink(path("c"));
    await unlink(path("d"));
    await mkdir(path("d"));
    await unlink(path("e"));
    await symlink(path("a"), path("e"));
    await writeFile(path("f"), "mine too");
    const before = await files();
    await expect(undo(2)).rejects.toMatchObject({
      code: "AGENT_UNDO_REFUSED",
      message: expect.stringContaining(path("b")),
      details: {
        files: [
          { path: path("b"), reason: "somebody else changed it" },
          { path: path("c"), reason: "somebody removed it" },
          { path: path("d"), reason: "it is no file any more" },
          { path: path("e"), reason: "a link stands in its place" },
          { path: path("f"), reason: "somebody else changed it" },
        ],
      },
    });
    expect(await files()).toEqual(before);
    expect(log.events).toHaveLength(1);
    expect(await opened.beforeImages()).toHaveLength(6);
    await opened.close();
  });

  test("goes through when a call failed before its write, or an earlier undo died half-way", async () => {
    await using folder = await tempFolder();
    const { change, undo, files, path, opened } = await working(folder);
    for (const name of ["a", "b"]) await writeFile(path(name), "old");
    await change(2, "a", "new");
    await change(2, "b", "new");
    const content = Buffer.from("new");
    const failed = { seq: 4, path: path("a"), content, mode: 0o644, afterHash: hashOf("never") };
    await opened.saveBeforeImage(failed);
    await opened.saveBeforeImage({ ...failed, path: path("x"), content: null, mode: null });
    await writeFile(path("b"), "old");
    await undo(2);
    expect(await files()).toEqual({ a: "old", b: "old" });
    await opened.close();
  });

  test("makes folders again that are gone", async () => {
    await using folder = await tempFolder();
    const { change, undo, files, path, opened } = await working(folder);
    await mkdir(path("deep/er"), { recursive: true });
    await writeFile(path("deep/er/a"), "old");
    await change(2, "deep/er/a", null);
    await rm(path("deep"), { recursive: true });
    await undo(2);
    expect(await files()).toEqual({ "deep/er/a": "old" });
    await opened.close();
  });
});

describe("undo, all or nothing", () => {
  test("when the last step fails, every file is as before, and no folder or copy is left", async () => {
    await using folder = await tempFolder();
    const { change, files, path, opened, workspace } = await working(folder);
    await mkdir(path("gone"));
    await writeFile(path("gone/d"), "old");
    for (const name of ["a", "b"]) await writeFile(path(name), "old");
    await chmod(path("a"), 0o640);
    await change(2, "a", "new");
    await change(2, "b", null);
    await change(2, "c", "new");
    await change(2, "gone/d", null);
    await rm(path("gone"), { recursive: true });
    const other = await working(await tempFolder());
    await other.opened.close();
    const refused = undoTo(opened, other.log, { toSeq: 2, workspace });
    await expect(refused).rejects.toMatchObject({ code: "AGENT_SESSION_CLOSED" });
    expect(await files()).toEqual({ a: "new", c: "new" });
    expect((await readdir(path("."))).toSorted()).toEqual(["a", "c"]);
    expect((await stat(path("a"))).mode & 0o777).toBe(0o640);
    expect(await opened.beforeImages()).toHaveLength(4);
    await opened.close();
    await other.folder.remove();
  });

  test("when a file can't be written, no other is changed", async () => {
    await using folder = await tempFolder();
    const { change, undo, files, path, opened } = await working(folder);
    await writeFile(path("a"), "old");
    await change(2, "a", "new");
    await mkdir(path("dir"));
    await writeFile(path("dir/b"), "old");
    await change(2, "dir/b", null);
    await rm(path("dir"), { recursive: true });
    await symlink(folder.join("nowhere"), path("dir"));
    await expect(undo(2)).rejects.toMatchObject({ code: expect.stringMatching(/^(AGENT|CORE)_/) });
    expect(await readFile(path("a"), "utf8")).toBe("new");
    await unlink(path("dir"));
    expect(await files()).toEqual({ a: "new" });
    expect(await readdir(folder.path)).not.toContain("nowhere");
    await opened.close();
  });
});

describe("undo and links", () => {
  test("a folder that is a link now is not written through", async () => {
    await using folder = await tempFolder();
    const { change, undo, path, opened } = await working(folder);
    await mkdir(path("dir/sub"), { recursive: true });
    await writeFile(path("dir/sub/a"), "old");
    await change(2, "dir/sub/a", "new");
    await rename(path("dir"), folder.join("outside"));
    await symlink(folder.join("outside"), path("dir"));
    await expect(undo(2)).rejects.toMatchObject({
      code: "AGENT_UNDO_REFUSED",
      details: { files: [{ reason: "its folder is reached through a link now" }] },
    });
    expect(await readFile(folder.join("outside/sub/a"), "utf8")).toBe("new");
    expect(await readdir(folder.join("outside/sub"))).toEqual(["a"]);
    await opened.close();
  });

  test("a file that is outside of the workspace by now is refused, and no other is changed", async () => {
    await using folder = await tempFolder();
    const { change, path, opened, log } = await working(folder);
    await mkdir(path("inside"));
    await change(2, "inside/a", "new");
    await change(2, "b", "new");
    const workspace = await openWorkspace({ cwd: path("inside") });
    await expect(undoTo(opened, log, { toSeq: 2, workspace })).rejects.toMatchObject({
      code: "AGENT_UNDO_REFUSED",
      details: { files: [{ path: path("b"), reason: "it is outside of the workspace" }] },
    });
    expect(await readFile(path("inside/a"), "utf8")).toBe("new");
    await opened.close();
  });

  test("what the session made is taken away again, also with a secret's name, key content or a second name", async () => {
    await using folder = await tempFolder();
    const { change, undo, files, path, opened } = await working(folder);
    await change(2, ".env", "KEY=1");
    await change(2, "key", "-----BEGIN PRIVATE KEY-----\n");
    await change(2, "linked", "new");
    await chmod(path("linked"), 0o444);
    await link(path("linked"), folder.join("second"));
    await undo(2);
    expect(await files()).toEqual({});
    expect(await readFile(folder.join("second"), "utf8")).toBe("new");
    await opened.close();
  });
});

describe("undo of files that an editor holds unsaved", () => {
  /** An editor whose buffers nobody saves. */
  function editor(buffers: Map<string, string>, takes: () => HostWritten = () => true) {
    return {
      readBuffer: async (path: string) => buffers.get(path),
      writeBuffer: async (path: string, content: string) => {
        const taken = takes();
        if (taken === true) buffers.set(path, content);
        return taken;
      },
    };
  }
  /** The session wrote `new` into a buffer that held `draft`; the disk still has `saved`. */
  async function unsaved(folder: TempFolder): Promise<Work> {
    const work = await working(folder);
    await writeFile(work.path("a"), "saved");
    await work.opened.saveBeforeImage({
      seq: 2,
      path: work.path("a"),
      content: Buffer.from("draft"),
      mode: 0o644,
      afterHash: hashOf("new"),
    });
    return work;
  }

  test("gives the editor its former text, and leaves the disk alone", async () => {
    await using folder = await tempFolder();
    const { path, opened, log, workspace, change } = await unsaved(folder);
    await writeFile(path("b"), "old");
    await change(3, "b", "new");
    const buffers = new Map([[path("a"), "new"]]);
    const operations = editor(buffers);
    expect(await undoTo(opened, log, { toSeq: 2, workspace, operations })).toEqual({
      restored: [path("a"), path("b")],
      removed: [],
    });
    expect([...buffers]).toEqual([[path("a"), "draft"]]);
    expect(await readFile(path("a"), "utf8")).toBe("saved");
    expect(await readFile(path("b"), "utf8")).toBe("old");
    await opened.close();
  });

  test.each([
    ["mine", true, "somebody else changed it"],
    ["new", false, "the editor holds it unsaved and does not take its former text"],
    ["new", "unconfirmed", "the editor did not answer"],
  ] as const)("a buffer of %j that is taken: %j refuses all", async (held, taken, reason) => {
    await using folder = await tempFolder();
    const { path, opened, log, workspace, change } = await unsaved(folder);
    await writeFile(path("b"), "old");
    await change(3, "b", "new");
    const buffers = new Map([[path("a"), held as string]]);
    const operations = editor(buffers, () => taken);
    await expect(undoTo(opened, log, { toSeq: 2, workspace, operations })).rejects.toMatchObject({
      code: "AGENT_UNDO_REFUSED",
      details: { files: [{ path: path("a"), reason }] },
    });
    expect([...buffers]).toEqual([[path("a"), held]]);
    expect(await readFile(path("b"), "utf8")).toBe("new");
    await opened.close();
  });

  test("a new file that is only in the editor is for the person to close", async () => {
    await using folder = await tempFolder();
    const { path, opened, log, workspace } = await working(folder);
    const image = { seq: 2, path: path("n"), content: null, mode: null, afterHash: hashOf("new") };
    await opened.saveBeforeImage(image);
    const operations = editor(new Map([[path("n"), "new"]]));
    await expect(undoTo(opened, log, { toSeq: 2, workspace, operations })).rejects.toMatchObject({
      code: "AGENT_UNDO_REFUSED",
      message: expect.stringContaining("close it there without saving it"),
    });
    await opened.close();
  });
});
