import { RequestError } from "@agentclientprotocol/sdk";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { expect, test, vi } from "vitest";
import { calls, clientBench } from "./support/client-bench.ts";
import { editor } from "./support/editor.ts";

const BOTH = { readTextFile: true, writeTextFile: true };
const read = (path: string) => ({ tool: "read_file", input: { path } });
const edit = (path: string, old_string: string, new_string: string) => ({
  tool: "edit",
  input: { path, old_string, new_string },
});
const write = (path: string, content: string) => ({ tool: "write_file", input: { path, content } });
const DONE = { text: "done" };

test("the model reads what is not saved, edits that, and the disk stays as it was, also after an undo", async () => {
  const { buffers, serves } = editor();
  await using bench = await clientBench({
    features: BOTH,
    serves,
    steps: [calls(read("a.ts")), calls(edit("a.ts", "draft", "final")), calls(read("a.ts")), DONE],
  });
  await bench.put("a.ts", "saved = 1;\n");
  const { mtimeMs } = await stat(bench.path("a.ts"));
  buffers.set(bench.path("a.ts"), "draft = 1;\n");
  expect(await bench.prompt()).toEqual([
    "completed: draft = 1;\n",
    "completed: Edited a.ts: 1 replacement.",
    "completed: final = 1;\n",
  ]);
  expect([...buffers]).toEqual([[bench.path("a.ts"), "final = 1;\n"]]);
  expect(bench.host.asked("fs/write_text_file")).toEqual([
    { path: bench.path("a.ts"), content: "final = 1;\n" },
  ]);
  const untouched = async (): Promise<void> => {
    expect(await bench.get("a.ts")).toBe("saved = 1;\n");
    expect((await stat(bench.path("a.ts"))).mtimeMs).toBe(mtimeMs);
    expect(await readdir(dirname(bench.path("a.ts")))).toEqual(["a.ts"]);
  };
  await untouched();
  expect(await bench.session.undo()).toEqual({ restored: [bench.path("a.ts")], removed: [] });
  expect([...buffers]).toEqual([[bench.path("a.ts"), "draft = 1;\n"]]);
  await untouched();
  expect(bench.host.faults).toEqual([]);
});

test("an editor that saves what it is given: the write is its own, and the undo gives the file back", async () => {
  const { serves } = editor({
    read: (path) => readFile(path, "utf8"),
    write: (path, content) => writeFile(path, content),
  });
  await using bench = await clientBench({
    features: BOTH,
    serves,
    steps: [calls(edit("a.ts", "one", "two")), calls(write("n.ts", "new\n")), DONE],
  });
  await bench.put("a.ts", "\uFEFFone\r\nlast\r\n");
  expect(await bench.prompt()).toEqual([
    "completed: Edited a.ts: 1 replacement.",
    "completed: Created n.ts.",
  ]);
  expect(await bench.get("a.ts")).toBe("\uFEFFtwo\r\nlast\r\n");
  expect(await bench.get("n.ts")).toBe("new\n");
  expect(await bench.session.undo()).toEqual({
    restored: [bench.path("a.ts")],
    removed: [bench.path("n.ts")],
  });
  expect(await bench.get("a.ts")).toBe("\uFEFFone\r\nlast\r\n");
  await expect(bench.get("n.ts")).rejects.toThrow(/ENOENT/);
});

test("a buffer that the person changed since it was read is not written over", async () => {
  const { buffers, serves } = editor();
  await using bench = await clientBench({
    features: BOTH,
    serves,
    steps: [calls(read("a")), calls(edit("a", "one", "two")), DONE],
  });
  await bench.put("a", "one\n");
  buffers.set(bench.path("a"), "one\n");
  bench.session.subscribe((event) => {
    if (event.type === "TOOL_RESULT") buffers.set(bench.path("a"), "one, and mine\n");
  });
  const [, result] = await bench.prompt();
  expect(result).toContain("a was changed by somebody else since it was read");
  expect(buffers.get(bench.path("a"))).toBe("one, and mine\n");
  expect(bench.host.asked("fs/write_text_file")).toEqual([]);
});

test("files that the host does not know, and files of another encoding, are those of the disk", async () => {
  const { buffers, serves } = editor({ write: () => Promise.reject(new Error("invalid path")) });
  await using bench = await clientBench({
    features: BOTH,
    serves,
    steps: [
      calls(edit("a", "one", "two"), write("sub/n", "new\n")),
      calls(edit("latin", "caf\u00e9", "th\u00e9")),
      DONE,
    ],
  });
  await bench.put("a", "one\n");
  await bench.put("latin", Buffer.from("caf\u00e9\n", "latin1"));
  buffers.set(bench.path("latin"), "other\n");
  expect(await bench.prompt()).toEqual([
    "completed: Edited a: 1 replacement.",
    "completed: Created sub/n.",
    "completed: Edited latin: 1 replacement.",
  ]);
  expect(await bench.get("a")).toBe("two\n");
  expect(await bench.get("sub/n")).toBe("new\n");
  expect(await readFile(bench.path("latin"), "latin1")).toBe("th\u00e9\n");
  expect(bench.host.asked("fs/write_text_file")).toHaveLength(2);
});

test("what the agent's own policy refuses never reaches the host", async () => {
  const { buffers, serves } = editor();
  await using bench = await clientBench({
    features: BOTH,
    serves,
    steps: [calls(read(".env"), read("/etc/hostname"), write(".git/config", "x")), DONE],
  });
  buffers.set(bench.path(".env"), "KEY=secret\n");
  for (const result of await bench.prompt()) expect(result).toMatch(/^failed: /);
  expect(bench.host.sent).toEqual([]);
});

test("a write without an answer fails with a text, and is not made a second time", async () => {
  await using bench = await clientBench({
    features: { writeTextFile: true },
    serves: (app) => app.onRequest("fs/write_text_file", () => new Promise(() => undefined)),
    steps: [calls(write("a", "new\n")), DONE],
  });
  await bench.put("a", "old\n");
  const results = bench.prompt();
  await vi.waitFor(() => expect(bench.timer.pass(10_000)).toBe(true));
  expect(await results).toEqual([
    "failed: The editor did not say whether it wrote a: it may have been written. It was not written again, and nothing else was changed; read it before you go on.",
  ]);
  expect(bench.host.asked("fs/write_text_file")).toHaveLength(1);
  expect(await bench.get("a")).toBe("old\n");
  expect(await readdir(bench.path(""))).toEqual(["a"]);
});

test("a write that the person declined fails, and the disk is not written instead", async () => {
  await using bench = await clientBench({
    features: { writeTextFile: true },
    serves: (app) =>
      app.onRequest("fs/write_text_file", () => {
        throw RequestError.internalError({ details: "The user rejected the change" });
      }),
    steps: [calls(write("a", "new\n")), DONE],
  });
  await bench.put("a", "old\n");
  expect(await bench.prompt()).toEqual([
    "failed: The editor did not write a (Internal error: The user rejected the change). Nothing was changed.",
  ]);
  expect(await bench.get("a")).toBe("old\n");
});

test("a cancel while the host is silent ends the turn at once, and leaves nothing behind", async () => {
  await using bench = await clientBench({
    features: BOTH,
    serves: editor({ read: () => new Promise(() => undefined) }).serves,
    steps: [calls(edit("a", "old", "new")), DONE],
  });
  await bench.put("a", "old\n");
  const controller = new AbortController();
  const results = bench.prompt(controller.signal);
  await vi.waitFor(() => expect(bench.host.methods()).toEqual(["fs/read_text_file"]));
  const startedAt = performance.now();
  controller.abort();
  expect(await results).toEqual([expect.stringMatching(/^cancelled: /)]);
  expect(performance.now() - startedAt).toBeLessThan(3_000);
  expect(bench.timer.pending).toEqual([]);
  expect(await readdir(bench.path(""))).toEqual(["a"]);
});
