import { RequestError } from "@agentclientprotocol/sdk";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { tempFolder } from "@acumen/testkit";
import { silentLogger } from "@acumen/core";
import { expect, test, vi } from "vitest";
import { ClientRequests } from "../../src/client/client-requests.ts";
import { hostFiles } from "../../src/client/host-files.ts";
import { hostOperations } from "../../src/client/host-operations.ts";
import { connectedHost, NO_FEATURES } from "./support/client-bench.ts";
import { ManualTimer } from "./support/manual-timer.ts";

const READ = "fs/read_text_file";
const WRITE = "fs/write_text_file";
const { signal } = new AbortController();

interface Answers {
  readonly read?: (path: string) => unknown;
  readonly write?: (path: string, content: string) => unknown;
}

/** Reads and writes of one file `a`, which the disk has in these bytes; undefined: it has none. */
async function exchange(disk: string | Uint8Array | undefined, answers: Answers) {
  const folder = await tempFolder();
  const path = folder.join("a");
  if (disk !== undefined) await writeFile(path, disk);
  const host = connectedHost((app) =>
    app
      .onRequest(READ, ({ params }) => answers.read?.(params.path) as { content: string })
      .onRequest(WRITE, ({ params }) => answers.write?.(params.path, params.content) as object),
  );
  const timer = new ManualTimer();
  const requests = new ClientRequests({
    client: host.client,
    sessionId: () => "one",
    timer: timer.after,
  });
  const features = { readTextFile: true, writeTextFile: true };
  const files = hostFiles(requests, features, silentLogger);
  if (files?.readBuffer === undefined || files.writeBuffer === undefined) throw new Error("none");
  const { readBuffer, writeBuffer } = files;
  return {
    host,
    timer,
    path,
    read: (name = path) => readBuffer(name, signal),
    write: (content: string, name = path, aborts = signal) => writeBuffer(name, content, aborts),
    /** Lets the deadline of what is asked next pass. */
    passed: async <T>(work: Promise<T>): Promise<T> => {
      await vi.waitFor(() => expect(timer.pass(10_000)).toBe(true));
      return work;
    },
    [Symbol.asyncDispose]: async () => {
      expect(host.faults).toEqual([]);
      host.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test("a host that offers nothing stands in for nothing, and one that offers half for that half", () => {
  using host = connectedHost((app) => app);
  const operationsOf = (features: Partial<typeof NO_FEATURES>) =>
    hostOperations({
      client: host.client,
      sessionId: () => "one",
      features: { ...NO_FEATURES, ...features },
    });
  expect(operationsOf({})).toBeUndefined();
  expect(Object.keys(operationsOf({ readTextFile: true })?.files ?? {})).toEqual(["readBuffer"]);
  expect(Object.keys(operationsOf({ writeTextFile: true })?.files ?? {})).toEqual(["writeBuffer"]);
  expect(Object.keys(operationsOf({ terminal: true }) ?? {})).toEqual(["processes"]);
});

test.each([
  ["what is not saved", "saved\n", "unsaved\n", "unsaved\n"],
  ["a new file that is not saved", undefined, "new", "new"],
  ["nothing where there is no file", undefined, "", undefined],
  ["an emptied buffer", "saved\n", "", ""],
  ["what the disk has", "same\n", "same\n", undefined],
  ["the same without the last line's end", "same\n", "same", undefined],
  ["the same with LF for CRLF", "a\r\nb\r\n", "a\nb\n", undefined],
  ["the same without a mark", "\uFEFFa\n", "a\n", undefined],
  ["another text of a file with CRLF", "a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"],
  ["another text with CRLF of its own", "a\r\nb\r\n", "a\r\nc\n", "a\r\nc\n"],
  ["another text of a file with mixed ends", "a\r\nb\n", "a\nc\n", "a\nc\n"],
  ["another text of a file with a mark", "\uFEFFa\r\n", "b\n", "\uFEFFb\r\n"],
  ["another text that has its mark", "\uFEFFa\n", "\uFEFFb\n", "\uFEFFb\n"],
])("reads %s", async (_, disk, held, expected) => {
  await using files = await exchange(disk, { read: () => ({ content: held }) });
  expect(await files.read()).toBe(expected);
  expect(files.host.asked(READ)).toEqual([{ path: files.path }]);
});

test.each([
  ["UTF-16", Buffer.from("\uFEFFtext", "utf16le")],
  ["latin-1", Buffer.from("caf\u00e9\n", "latin1")],
  ["binary", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2])],
])("a file of %s never goes through the editor", async (_, bytes) => {
  await using files = await exchange(bytes, {
    read: () => ({ content: "x" }),
    write: () => ({}),
  });
  expect(await files.read()).toBeUndefined();
  expect(await files.write("text")).toBe(false);
  expect(files.host.sent).toEqual([]);
});

test("folders, links, files over 10 MiB and contents that are no text never go through the editor", async () => {
  await using files = await exchange("x".repeat(10 * 1024 * 1024 + 1), { write: () => ({}) });
  expect(await files.read()).toBeUndefined();
  await mkdir(`${files.path}-folder`);
  await symlink(files.path, `${files.path}-link`);
  for (const name of [files.path, `${files.path}-folder`, `${files.path}-link`])
    expect(await files.write("x", name)).toBe(false);
  expect(await files.write("a\0b", `${files.path}-new`)).toBe(false);
  expect(await files.write("a\ud800b", `${files.path}-new`)).toBe(false);
  expect(files.host.sent).toEqual([]);
});

test.each([
  ["no object", "text"],
  ["no content", {}],
  ["a number", { content: 1 }],
  ["null", { content: null }],
  ["a zero character", { content: "a\0" }],
  ["half a character", { content: "a\ud800" }],
])("an answer with %s is none: the disk is read, and written", async (_, answer) => {
  await using files = await exchange("saved", { read: () => answer, write: () => ({}) });
  expect(await files.read()).toBeUndefined();
  // Whatever the editor holds unsaved must not be written over.
  expect(await files.write("new")).toBe(false);
  expect(files.host.methods()).toEqual([READ]);
});

test.each([
  new RequestError(-32_002, "Resource not found"),
  new RequestError(-32_602, "Invalid params"),
  new Error("Path is outside allowed cwd subtree: /a"),
  new Error("Permission denied for fs/read_text_file (--deny-all)"),
])("a read that is refused (%s) is one of the disk", async (error) => {
  await using files = await exchange("saved", {
    read: () => {
      throw error;
    },
    write: () => ({}),
  });
  expect(await files.read()).toBeUndefined();
  expect(await files.write("new")).toBe(true);
});

test("a read without an answer is one of the disk, and what could write over unsaved work is written to the disk", async () => {
  let answers = false;
  await using files = await exchange("saved", {
    read: () => (answers ? { content: "unsaved" } : new Promise(() => undefined)),
    write: () => ({}),
  });
  expect(await files.passed(files.read())).toBeUndefined();
  expect(await files.write("new")).toBe(false);
  answers = true;
  expect(await files.read()).toBe("unsaved");
  expect(await files.write("new")).toBe(true);
});

test("a host that is silent twice in a row is not asked for files any more", async () => {
  await using files = await exchange("saved", { read: () => new Promise(() => undefined) });
  await files.passed(files.read());
  await files.passed(files.read());
  expect(await files.read()).toBeUndefined();
  expect(await files.write("new", `${files.path}-other`)).toBe(false);
  expect(files.host.asked(READ)).toHaveLength(2);
  expect(files.host.asked(WRITE)).toEqual([]);
});

test("an abort ends a read at once", async () => {
  await using files = await exchange("saved", { read: () => new Promise(() => undefined) });
  const controller = new AbortController();
  const { readBuffer } =
    hostOperations({
      client: files.host.client,
      sessionId: () => "one",
      features: { ...NO_FEATURES, readTextFile: true },
    })?.files ?? {};
  const read = readBuffer?.(files.path, controller.signal);
  await vi.waitFor(() => expect(files.host.methods()).toEqual([READ]));
  controller.abort();
  await expect(read).rejects.toMatchObject({ code: "CORE_ABORTED" });
});

test("writes the whole text: line ends as they are, a byte order mark unless the editor keeps it to itself", async () => {
  const written: string[] = [];
  let held = "\uFEFFa\r\n";
  await using files = await exchange("\uFEFFa\r\n", {
    read: () => ({ content: held }),
    write: (_path, content) => void written.push(content),
  });
  expect(await files.write("\uFEFFb\r\n")).toBe(true);
  await files.read();
  expect(await files.write("\uFEFFc\r\n")).toBe(true);
  held = "a\n";
  await files.read();
  expect(await files.write("\uFEFFd\r\n")).toBe(true);
  expect(written).toEqual(["\uFEFFb\r\n", "\uFEFFc\r\n", "d\r\n"]);
  expect(await readFile(files.path, "utf8")).toBe("\uFEFFa\r\n");
});

test.each([
  ["not found", new RequestError(-32_002, "Resource not found")],
  ["bad parameters", new RequestError(-32_602, "Invalid params")],
  ["an invalid path", new Error("invalid path")],
  ["a path outside", new Error("Path is outside allowed cwd subtree: /a")],
  ["an object for a reason", new RequestError(-32_603, "Internal error", { a: {} })],
])("a host that cannot write (%s) leaves it to the disk", async (_, error) => {
  await using files = await exchange(undefined, {
    write: () => {
      throw error;
    },
  });
  expect(await files.write("new")).toBe(false);
  expect(await files.write("again")).toBe(false);
  expect(files.host.asked(WRITE)).toHaveLength(2);
});

test.each([
  [new Error("Permission denied for fs/write_text_file"), /Permission denied/],
  [new RequestError(-32_800, "Request cancelled"), /Request cancelled/],
  [new RequestError(-32_000, "Authentication required"), /Authentication required/],
])("a decision against the write (%s) is no reason to write around it", async (error, reason) => {
  await using files = await exchange("saved", {
    write: () => {
      throw error;
    },
  });
  await expect(files.write("new")).rejects.toThrow(reason);
});

test("nobody knows whether a host wrote that does not answer, that is told to stop, or that goes", async () => {
  await using files = await exchange("saved", { write: () => new Promise(() => undefined) });
  expect(await files.passed(files.write("new"))).toBe("unconfirmed");
  const controller = new AbortController();
  const aborted = files.write("new", files.path, controller.signal);
  await vi.waitFor(() => expect(files.host.asked(WRITE)).toHaveLength(2));
  controller.abort();
  expect(await aborted).toBe("unconfirmed");
  const left = files.write("new");
  await vi.waitFor(() => expect(files.host.asked(WRITE)).toHaveLength(3));
  files.host.close();
  expect(await left).toBe("unconfirmed");
});

test("a method that the host does not have is asked for once", async () => {
  await using folder = await tempFolder();
  using host = connectedHost((app) => app);
  const { readBuffer, writeBuffer } =
    hostOperations({
      client: host.client,
      sessionId: () => "one",
      features: { ...NO_FEATURES, readTextFile: true, writeTextFile: true },
    })?.files ?? {};
  for (const name of ["a", "b"]) {
    expect(await readBuffer?.(folder.join(name), signal)).toBeUndefined();
    expect(await writeBuffer?.(folder.join(name), "x", signal)).toBe(false);
  }
  expect(host.methods()).toEqual([READ, WRITE]);
});
