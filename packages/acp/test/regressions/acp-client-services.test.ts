import { type ClientApp, RequestError } from "@agentclientprotocol/sdk";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { Terminals } from "../client/support/terminals.ts";
import { type HostBench, hostBench } from "../support/host-bench.ts";

const FS = { fs: { readTextFile: true, writeTextFile: true } };
const DONE = { text: "done" };
const write = (path: string) => ({
  toolCalls: [{ tool: "write_file", input: { path, content: "new\n" } }],
});
const bash = (command: string) => ({ toolCalls: [{ tool: "bash", input: { command } }] });

async function newSession({ host, cwd }: HostBench): Promise<string> {
  return (await host.request("session/new", { cwd, mcpServers: [] })).sessionId;
}

function prompted({ host }: HostBench, sessionId: string): Promise<{ stopReason: string }> {
  return host.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "go" }] });
}

/** What the host is shown of the last state of each call. */
function results({ updates }: HostBench): readonly string[] {
  return updates.flatMap((update) =>
    update.sessionUpdate === "tool_call_update" &&
    (update.status === "completed" || update.status === "failed")
      ? [`${update.status}: ${JSON.stringify(update.content)}`]
      : [],
  );
}

describe("fs requests that hosts refuse: outside of their project, for new files, with objects for reasons", () => {
  test.each([
    ["resource not found", new RequestError(-32_002, "Resource not found")],
    ["invalid params", RequestError.invalidParams({ path: ["path"] })],
    ["an internal error with a nested object", new RequestError(-32_603, "x", { a: { b: 1 } })],
    ["an invalid path", new Error("invalid path")],
    ["a path outside of its folder", new Error("Path is outside allowed cwd subtree: /x")],
    ["no such method", RequestError.methodNotFound("fs")],
  ])("%s: the disk is read and written", async (_, error) => {
    const refuse = (): never => {
      throw error;
    };
    await using bench = await hostBench({
      mode: "auto",
      capabilities: FS,
      serves: (host: ClientApp) =>
        host.onRequest("fs/read_text_file", refuse).onRequest("fs/write_text_file", refuse),
      steps: [write("old"), write("sub/new"), DONE],
    });
    await writeFile(join(bench.cwd, "old"), "old\n");
    expect(await prompted(bench, await newSession(bench))).toEqual({ stopReason: "end_turn" });
    expect(await readFile(join(bench.cwd, "old"), "utf8")).toBe("new\n");
    expect(await readFile(join(bench.cwd, "sub/new"), "utf8")).toBe("new\n");
    for (const result of results(bench)) {
      expect(result).toMatch(/^completed: /);
      expect(result).not.toContain("[object Object]");
    }
    expect(bench.faults).toEqual([]);
  });

  test("report 43: a reason that is an object is told as words, where the write is not made", async () => {
    await using bench = await hostBench({
      mode: "auto",
      capabilities: FS,
      serves: (host: ClientApp) =>
        host
          .onRequest("fs/read_text_file", () => ({ content: "" }))
          .onRequest("fs/write_text_file", () => {
            throw new RequestError(-32_603, "Rejected", { by: { name: "policy" } });
          }),
      steps: [write("new"), DONE],
    });
    await prompted(bench, await newSession(bench));
    const [result] = results(bench);
    expect(result).toMatch(/^failed: .*The editor did not write new \(Rejected\)/);
    expect(result).not.toContain("[object Object]");
  });
});

describe("hosts that never answer", () => {
  test("a cancel ends a turn that waits for a file, a terminal or a form, and the next prompt is taken", async () => {
    const silent = (): Promise<never> => new Promise(() => undefined);
    const waiting = ["fs/read_text_file", "terminal/create", "elicitation/create"] as const;
    await using bench = await hostBench({
      mode: "auto",
      capabilities: { ...FS, terminal: true, elicitation: { form: {} } },
      serves: (host: ClientApp) =>
        waiting.reduce(
          (app, method) => app.onRequest(method, (params: unknown) => params, silent),
          host,
        ),
      steps: [
        { toolCalls: [{ tool: "read_file", input: { path: "a" } }] },
        bash("true"),
        { toolCalls: [{ tool: "ask_user", input: { question: "Which?" } }] },
        DONE,
      ],
    });
    const sessionId = await newSession(bench);
    for (const method of waiting) {
      const answer = prompted(bench, sessionId);
      await vi.waitFor(() =>
        expect(bench.sent).toContainEqual(expect.objectContaining({ method })),
      );
      const startedAt = performance.now();
      await bench.host.notify("session/cancel", { sessionId });
      expect(await answer).toEqual({ stopReason: "cancelled" });
      expect(performance.now() - startedAt).toBeLessThan(3_000);
    }
    expect(await prompted(bench, sessionId)).toEqual({ stopReason: "end_turn" });
    expect(bench.faults).toEqual([]);
  });

  test("a question that nobody can answer ends the turn with it", async () => {
    await using bench = await hostBench({
      mode: "auto",
      capabilities: { elicitation: { form: {} } },
      steps: [{ toolCalls: [{ tool: "ask_user", input: { question: "Which?" } }] }, DONE],
    });
    const sessionId = await newSession(bench);
    expect(await prompted(bench, sessionId)).toEqual({ stopReason: "end_turn" });
    const asked = (): number =>
      bench.sent.filter((message) => "method" in message && message.method.startsWith("elicit"))
        .length;
    expect(asked()).toBe(1);
    expect(results(bench)).toEqual([expect.stringContaining("Nobody is there to answer")]);
  });
});

describe("report 29: a cancel leaves no grandchild of a command", () => {
  const COMMAND = "(sleep 600 & echo $! >> pids; wait) & sleep 600 & echo $! >> pids; wait";
  const isAlive = async (pid: string): Promise<boolean> => {
    const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
    return status !== undefined && !/\) [ZX] /.test(status);
  };

  test.each([
    ["on this machine", {}],
    ["in a terminal of the host", { terminal: true }],
  ])("%s", async (_, capabilities) => {
    const terminals = new Terminals();
    await using bench = await hostBench({
      mode: "auto",
      capabilities,
      serves: (host) => terminals.serves(host),
      steps: [bash(COMMAND), DONE],
    });
    const sessionId = await newSession(bench);
    const answer = prompted(bench, sessionId);
    const pids = async (): Promise<string[]> =>
      (await readFile(join(bench.cwd, "pids"), "utf8")).split("\n").filter(Boolean);
    await vi.waitFor(async () => expect(await pids()).toHaveLength(2));
    await bench.host.notify("session/cancel", { sessionId });
    expect(await answer).toEqual({ stopReason: "cancelled" });
    for (const pid of await pids()) {
      await vi.waitFor(async () => expect(await isAlive(pid)).toBe(false), { timeout: 5_000 });
    }
    await vi.waitFor(() => expect(terminals.open).toEqual([]));
    expect(terminals.seen.includes("create")).toBe("terminal" in capabilities);
    expect(bench.faults).toEqual([]);
  });
});

test("a command of the host's terminal is shown as that terminal, before it is let go and afterwards", async () => {
  const terminals = new Terminals();
  await using bench = await hostBench({
    mode: "auto",
    capabilities: { terminal: true },
    serves: (host) => terminals.serves(host),
    steps: [bash("echo out; exit 3"), DONE],
  });
  await prompted(bench, await newSession(bench));
  const content = [{ type: "terminal", terminalId: "term_1" }];
  const wire = bench.sent.flatMap((message): readonly unknown[] => {
    if (!("method" in message)) return [];
    const { update } = (message.params ?? {}) as { update?: { sessionUpdate?: string } };
    if (update === undefined) return message.method.startsWith("terminal/") ? [message.method] : [];
    return update.sessionUpdate?.startsWith("tool_call") === true ? [update] : [];
  });
  expect(wire).toMatchObject([
    { sessionUpdate: "tool_call", status: "pending" },
    { status: "in_progress" },
    "terminal/create",
    { status: "in_progress", content },
    "terminal/wait_for_exit",
    "terminal/output",
    "terminal/release",
    { status: "failed", content, rawOutput: { exit_code: 3 } },
  ]);
  expect(wire.at(-1)).toHaveProperty("content", content);
  expect(bench.faults).toEqual([]);
});
