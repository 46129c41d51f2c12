import { type ClientApp, RequestError } from "@agentclientprotocol/sdk";
import { expect, test, vi } from "vitest";
import { calls, clientBench } from "./support/client-bench.ts";
import { Terminals } from "./support/terminals.ts";

const TERMINAL = { terminal: true };
const DONE = { text: "done" };
const bash = (command: string, more: object = {}) =>
  calls({ tool: "bash", input: { command, ...more } });
const silent = (): Promise<never> => new Promise(() => undefined);

/** A host whose terminals answer as they do, but for some methods. */
function partly(
  terminals: Terminals,
  answers: Readonly<Record<string, (params: object) => unknown>>,
): (host: ClientApp) => ClientApp {
  return (host) => terminals.serves(host, answers);
}

test("a command runs in the host's terminal, which the host is shown before it is let go", async () => {
  const terminals = new Terminals();
  const shown: unknown[] = [];
  await using bench = await clientBench({
    features: TERMINAL,
    serves: (host) => terminals.serves(host),
    environment: { PATH: process.env["PATH"], OPENAI_API_KEY: "sk-secret", LANG: "C" },
    operations: {
      onTerminal: async (callId, terminalId) => {
        shown.push({ callId, terminalId, open: terminals.open, seen: [...terminals.seen] });
      },
    },
    steps: [
      bash(`printf '%s ' "$ACUMEN_AGENT" "$PWD" "$OPENAI_API_KEY"; echo err >&2; exit 3`),
      DONE,
    ],
  });
  expect(await bench.prompt()).toEqual([
    `failed: 1 ${bench.path("")}  err\n[exit code 3]`.replace("/  err", "  err"),
  ]);
  const call = bench.session.events.find(({ type }) => type === "TOOL_CALL");
  const callId = call?.type === "TOOL_CALL" ? call.payload.call_id : "";
  expect(shown).toEqual([{ callId, terminalId: "term_1", open: ["term_1"], seen: ["create"] }]);
  await vi.waitFor(() => expect(terminals.open).toEqual([]));
  expect(terminals.seen).toEqual(["create", "wait", "output", "release"]);
  const [created] = bench.host.asked("terminal/create");
  expect(created).toMatchObject({
    command: "/bin/bash",
    args: ["-c", expect.stringContaining("printf")],
    cwd: bench.session.workspace.cwd,
    outputByteLimit: 1024 * 1024,
  });
  const { env } = created as { env: { name: string; value: string }[] };
  expect(env).toContainEqual({ name: "ACUMEN_AGENT", value: "1" });
  expect(env).toContainEqual({ name: "LANG", value: "C" });
  expect(JSON.stringify(bench.host.sent)).not.toContain("sk-secret");
  expect(bench.timer.pending).toEqual([]);
  expect(bench.host.faults).toEqual([]);
});

test("a signal is told, and of a long output the end is kept and the cut is said", async () => {
  const terminals = new Terminals();
  await using bench = await clientBench({
    features: TERMINAL,
    serves: (host) => terminals.serves(host),
    steps: [bash("kill -9 $$"), bash("head -c 2000000 /dev/zero | tr '\\0' x; echo end"), DONE],
  });
  const [killed, long] = await bench.prompt();
  expect(killed).toBe("failed: (no output)\n[ended by the signal SIGKILL]");
  expect(long).toMatch(
    /^completed: \[the beginning of the output is not kept by the editor's terminal\]\nx/,
  );
  expect(long).toMatch(/end$/);
  expect(bench.session.events.findLast(({ type }) => type === "TOOL_RESULT")).toMatchObject({
    payload: { truncated: true, exit_code: 0 },
  });
});

test("a host that keeps more output than it was asked to is not believed to be bounded", async () => {
  const terminals = new Terminals();
  await using bench = await clientBench({
    features: TERMINAL,
    serves: partly(terminals, {
      "terminal/output": () => ({ output: `${"x".repeat(1_100_000)}end`, truncated: false }),
    }),
    steps: [bash("true"), DONE],
  });
  const [result] = await bench.prompt();
  expect(result).toContain("[the beginning of the output is not kept");
  expect(result).toMatch(/end$/);
});

test("a command that takes too long is ended, with what it said until then", async () => {
  const terminals = new Terminals();
  await using bench = await clientBench({
    features: TERMINAL,
    serves: (host) => terminals.serves(host),
    steps: [bash("echo begun; sleep 600 & wait", { timeout_ms: 1_234 }), DONE],
  });
  const results = bench.prompt();
  await vi.waitFor(() => expect(terminals.seen).toContain("wait"));
  await vi.waitFor(() => expect(terminals.outputOf("term_1")).toBe("begun\n"));
  expect(bench.timer.pass(1_234)).toBe(true);
  expect(await results).toEqual([
    expect.stringMatching(/^failed: begun\n\[timed out after 1234 ms/),
  ]);
  await vi.waitFor(() => expect(terminals.open).toEqual([]));
  expect(terminals.seen).toEqual(["create", "wait", "kill", "output", "release"]);
});

test("a cancel ends the command and lets the terminal go within a second, also when the host is silent", async () => {
  for (const answers of [{}, { "terminal/kill": silent, "terminal/release": silent }]) {
    const terminals = new Terminals();
    await using bench = await clientBench({
      features: TERMINAL,
      serves: partly(terminals, answers),
      steps: [bash("sleep 600"), DONE],
    });
    const controller = new AbortController();
    const results = bench.prompt(controller.signal);
    await vi.waitFor(() => expect(terminals.seen).toContain("wait"));
    const startedAt = performance.now();
    controller.abort();
    await vi.waitFor(() => expect(bench.timer.pass(500) || terminals.open.length === 0).toBe(true));
    expect(await results).toEqual([expect.stringMatching(/^cancelled: /)]);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    const asked = (): readonly string[] =>
      bench.host.methods().filter((method) => method !== "$/cancel_request");
    await vi.waitFor(() =>
      expect(asked().slice(-2)).toEqual(["terminal/kill", "terminal/release"]),
    );
    expect(bench.host.methods()).toContain("$/cancel_request");
    terminals.end();
  }
});

test("closing the session gives its terminal back, and sends nothing afterwards", async () => {
  const terminals = new Terminals();
  const ended = new AbortController();
  await using bench = await clientBench({
    features: TERMINAL,
    serves: (host) => terminals.serves(host),
    operations: { ended: ended.signal },
    steps: [bash("sleep 600"), DONE],
  });
  const results = bench.prompt();
  await vi.waitFor(() => expect(terminals.seen).toContain("wait"));
  ended.abort();
  await bench.session.close();
  expect(bench.host.methods()).toContain("terminal/release");
  expect(await results).toEqual([expect.stringMatching(/^cancelled: /)]);
  const { length } = bench.host.sent;
  await vi.waitFor(() => expect(terminals.open).toEqual([]));
  expect(bench.host.sent).toHaveLength(length);
});

test("a terminal that comes after the session was closed is not asked about", async () => {
  const terminals = new Terminals();
  const ended = new AbortController();
  let open = (): void => undefined;
  await using bench = await clientBench({
    features: TERMINAL,
    serves: partly(terminals, {
      "terminal/create": async (params) => {
        await new Promise<void>((resolve) => (open = resolve));
        return terminals.create(params as Parameters<Terminals["create"]>[0]);
      },
    }),
    operations: { ended: ended.signal },
    steps: [bash("sleep 600"), DONE],
  });
  const results = bench.prompt();
  await vi.waitFor(() => expect(bench.host.methods()).toEqual(["terminal/create"]));
  ended.abort();
  await bench.session.close();
  await results;
  open();
  await vi.waitFor(() => expect(terminals.seen).toEqual(["create"]));
  await new Promise((resolve) => setImmediate(resolve));
  expect(bench.host.methods()).toEqual(["terminal/create", "$/cancel_request"]);
  terminals.end();
});

test("a host that cannot be shown the terminal runs the command all the same", async () => {
  await using bench = await clientBench({
    features: TERMINAL,
    serves: (host) => new Terminals().serves(host),
    operations: { onTerminal: () => Promise.reject(new Error("gone")) },
    steps: [bash("echo ran"), DONE],
  });
  expect(await bench.prompt()).toEqual(["completed: ran"]);
});

test("a cancel while the terminal is made lets the late terminal go", async () => {
  const terminals = new Terminals();
  let open = (): void => undefined;
  await using bench = await clientBench({
    features: TERMINAL,
    serves: partly(terminals, {
      "terminal/create": async (params) => {
        await new Promise<void>((resolve) => (open = resolve));
        return terminals.create(params as Parameters<Terminals["create"]>[0]);
      },
    }),
    steps: [bash("sleep 600"), DONE],
  });
  const controller = new AbortController();
  const results = bench.prompt(controller.signal);
  await vi.waitFor(() => expect(bench.host.methods()).toEqual(["terminal/create"]));
  controller.abort();
  expect(await results).toEqual([expect.stringMatching(/^cancelled: /)]);
  open();
  await vi.waitFor(() => expect(terminals.seen).toEqual(["create", "release"]));
  expect(terminals.open).toEqual([]);
});

test.each([
  ["is not there", RequestError.methodNotFound("terminal/create"), 1],
  ["cannot be opened", new Error("spawn /bin/bash ENOENT"), 2],
])(
  "a terminal that %s started nothing, so commands run on this machine",
  async (_, error, asked) => {
    await using bench = await clientBench({
      features: TERMINAL,
      serves: (host) =>
        host.onRequest("terminal/create", () => {
          throw error;
        }),
      steps: [bash("echo one"), bash("echo two"), DONE],
    });
    expect(await bench.prompt()).toEqual(["completed: one", "completed: two"]);
    expect(bench.host.methods()).toEqual(Array.from({ length: asked }, () => "terminal/create"));
  },
);

test("a decision against the command is no reason to run it elsewhere", async () => {
  await using bench = await clientBench({
    features: TERMINAL,
    serves: (host) =>
      host.onRequest("terminal/create", () => {
        throw new Error("Permission denied for terminal/create");
      }),
    steps: [bash("touch ran"), DONE],
  });
  const [result] = await bench.prompt();
  expect(result).toMatch(/^failed: .*the editor said: .*Permission denied for terminal\/create/);
  await expect(bench.get("ran")).rejects.toThrow(/ENOENT/);
});

test.each([
  ["does not answer", silent, true],
  ["answers without a terminal", () => ({ terminalId: 7 }), false],
])(
  "a host that %s may have started the command: it fails, later ones run here",
  async (_, create, waits) => {
    await using bench = await clientBench({
      features: TERMINAL,
      serves: partly(new Terminals(), { "terminal/create": create }),
      steps: [bash("echo one"), bash("echo two"), DONE],
    });
    const results = bench.prompt();
    if (waits) {
      await vi.waitFor(() => expect(bench.timer.pass(10_000)).toBe(true));
    }
    const [one, two] = await results;
    expect(one).toMatch(/^failed: .*It may run there, so it was not started a second time/);
    expect(two).toBe("completed: two");
  },
);

test("a host that cannot wait is asked for the output, which may tell the end", async () => {
  const terminals = new Terminals();
  await using bench = await clientBench({
    features: TERMINAL,
    serves: partly(terminals, {
      "terminal/wait_for_exit": () => {
        throw new Error("not supported");
      },
      "terminal/output": () => ({ output: "said", truncated: false, exitStatus: { exitCode: 4 } }),
    }),
    steps: [bash("true"), DONE],
  });
  expect(await bench.prompt()).toEqual(["failed: said\n[exit code 4]"]);
});

test("a host that tells no end: the command is ended and fails, and the terminal is let go", async () => {
  const terminals = new Terminals();
  await using bench = await clientBench({
    features: TERMINAL,
    serves: partly(terminals, {
      "terminal/wait_for_exit": () => {
        throw new Error("not supported");
      },
    }),
    steps: [bash("sleep 600"), DONE],
  });
  const [result] = await bench.prompt();
  expect(result).toMatch(
    /^failed: .*the editor did not say how the command ended \(Internal error: not supported\)/,
  );
  await vi.waitFor(() => expect(terminals.open).toEqual([]));
  expect(terminals.seen).toEqual(["create", "output", "kill", "release"]);
});

test("a host that is silent about kill and output is not waited for without a limit", async () => {
  const terminals = new Terminals();
  await using bench = await clientBench({
    features: TERMINAL,
    serves: partly(terminals, { "terminal/kill": silent, "terminal/output": silent }),
    steps: [bash("sleep 600", { timeout_ms: 1_234 }), DONE],
  });
  const results = bench.prompt();
  await vi.waitFor(() => expect(bench.timer.pass(1_234)).toBe(true));
  for (const method of ["terminal/kill", "terminal/output"]) {
    await vi.waitFor(() => expect(bench.host.methods()).toContain(method));
    expect(bench.timer.pass(10_000)).toBe(true);
  }
  expect(await results).toEqual([
    expect.stringMatching(/^failed: \[the editor did not give the output .*\n\[timed out/),
  ]);
  await vi.waitFor(() => expect(terminals.open).toEqual([]));
});

test("what goes on in the background runs on this machine", async () => {
  await using bench = await clientBench({
    features: TERMINAL,
    serves: (host) => new Terminals().serves(host),
    steps: [
      calls({ tool: "bash", input: { action: "start", command: "sleep 600" } }),
      calls({ tool: "bash", input: { action: "stop", process_id: "bg_1" } }),
      DONE,
    ],
  });
  for (const result of await bench.prompt()) expect(result).toMatch(/^completed: /);
  expect(bench.host.sent).toEqual([]);
});
