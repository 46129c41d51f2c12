import { mkdir, writeFile } from "node:fs/promises";
import { sourceCommand, startProcess, type TestProcess, tempFolder } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { wordServer } from "../support/word-server.ts";

const BIN = new URL("../../src/bin.ts", import.meta.url);
const INITIALIZE = { protocolVersion: 1 };

function send(child: TestProcess, id: number, method: string, params: object): void {
  child.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
}

function messages(child: TestProcess): Record<string, unknown>[] {
  const lines = child.stdout().split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

interface Served extends AsyncDisposable {
  readonly child: TestProcess;
  readonly cwd: string;
}

async function serve(env: Readonly<Record<string, string>> = {}): Promise<Served> {
  const folder = await tempFolder();
  const cwd = folder.join("work");
  await mkdir(cwd);
  const script = folder.join("script.json");
  await writeFile(script, '{"steps":[{"text":"Yes."}],"repeatLast":true}');
  const child = startProcess(sourceCommand(BIN, ["acp", "--model", `scripted/${script}`]), {
    cwd,
    env: { ACUMEN_HOME: folder.join("home"), ...env },
  });
  send(child, 1, "initialize", INITIALIZE);
  await child.waitFor("stdout", '"id":1', 60_000);
  return {
    child,
    cwd,
    [Symbol.asyncDispose]: async () => {
      await child[Symbol.asyncDispose]();
      await folder.remove();
    },
  };
}

describe("report 58: logs or escape codes on stdout", () => {
  test("whatever is printed, by whom and how, stdout has nothing but messages", async () => {
    await using folder = await tempFolder();
    await mkdir(folder.path, { recursive: true });
    const noisy = folder.join("noisy.mjs");
    await writeFile(
      noisy,
      [
        'const say = () => { console.log("\\u001b[32mlog\\u001b[0m"); console.info("info"); console.debug("debug"); };',
        'const raw = () => process.stdout.write("\\u001b[31mraw\\u001b[0m\\n");',
        // Once the server stands: before, there is nobody to keep stdout from.
        "setInterval(() => { if (Object.hasOwn(process.stdout, 'write')) { say(); raw(); } }, 5).unref();",
      ].join("\n"),
    );
    const env = { NODE_OPTIONS: `--import=${noisy}`, ACUMEN_LOG: "debug", FORCE_COLOR: "3" };
    await using served = await serve(env);
    const { child, cwd } = served;
    send(child, 2, "session/new", { cwd, mcpServers: [] });
    await child.waitFor("stdout", '"id":2', 60_000);
    await child.waitFor("stderr", "raw", 60_000);
    expect(messages(child).every(({ jsonrpc }) => jsonrpc === "2.0")).toBe(true);
    expect(child.stdout()).not.toContain("\u001b");
    expect(child.stdout()).not.toMatch(/raw|debug/);
    // What went through the console is a line of the log, which no terminal obeys.
    const logged = child
      .stderr()
      .split("\n")
      .filter((line) => line.includes('"origin":"console"'));
    expect(logged.length).toBeGreaterThan(0);
    expect(logged.join("\n")).not.toContain("\u001b");
  });
});

describe("report 59: a process that outlives its host", () => {
  test("the end of stdin ends it, with its MCP servers, whatever is open", async () => {
    await using served = await serve();
    const { child, cwd } = served;
    const [command = "", ...args] = wordServer("one");
    const words = { name: "words", command, args, env: [] };
    send(child, 2, "session/new", { cwd, mcpServers: [words] });
    await child.waitFor("stdout", '"sessionId"', 60_000);
    const [, sessionId] = /"sessionId":"([^"]+)"/.exec(child.stdout()) ?? [];
    const prompt = [{ type: "text", text: "Go." }];
    send(child, 3, "session/prompt", { sessionId, prompt });
    await child.waitFor("stdout", '"stopReason"', 60_000);
    const started = performance.now();
    child.child.stdin.end();
    expect(await child.exited, child.stderr()).toEqual({ code: 0, signal: null });
    expect(performance.now() - started).toBeLessThan(4_500);
  });

  test("so it does before the host said anything", async () => {
    await using child = startProcess(sourceCommand(BIN, ["acp"]), {});
    child.child.stdin.end();
    expect(await child.exited, child.stderr()).toEqual({ code: 0, signal: null });
    expect(child.stdout()).toBe("");
  });

  test("a host that ends its input with its last request is answered before", async () => {
    await using child = startProcess(sourceCommand(BIN, ["acp"]), {});
    send(child, 1, "initialize", INITIALIZE);
    child.child.stdin.end();
    expect(await child.exited, child.stderr()).toEqual({ code: 0, signal: null });
    expect(messages(child)).toMatchObject([{ id: 1, result: { protocolVersion: 1 } }]);
  });
});
