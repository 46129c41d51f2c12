import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { childEnvironment, tempFolder } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { aceMcpCommand, samplesOf, serverEnvironment, startAceMcp } from "./support/ace-mcp.ts";
import { readBook } from "./support/skillbook-files.ts";
import { startWireClient, type WireClient } from "./support/wire-client.ts";

/** The contract says two seconds; a busy machine gets some more. */
const ENDED_WITHIN_MS = 4_000;

/** How far the client has come when the end arrives. */
const PHASES: Readonly<Record<string, (client: WireClient) => Promise<void>>> = {
  // Not earlier: before node has read the program, a signal means what it means to node.
  "before initialize": async (client) => void (await client.request("ping")),
  "between initialize and initialized": async (client) => {
    await client.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "wire", version: "1" },
    });
  },
  "idle with live sessions": async (client) => {
    await client.initialize();
    for (const session_id of ["a", "b", "c"])
      await client.call("ace.learn.sample", { session_id, samples: samplesOf(4) });
  },
  "in the middle of learning": async (client) => {
    await client.initialize();
    await startLearning(client, "a");
  },
  "with calls waiting for a busy session": async (client) => {
    await client.initialize();
    const underWay = startLearning(client, "a");
    for (let index = 0; index < 20; index += 1)
      void client
        .call("ace.learn.sample", { session_id: "a", samples: samplesOf(25), epochs: 20 })
        .catch(() => undefined);
    await underWay;
  },
};

/** Starts a long call and resolves as soon as it is at work: when its first progress notification is here. */
async function startLearning(client: WireClient, session_id: string): Promise<void> {
  const progress = client.next((message) => message.method === "notifications/progress");
  const args = { session_id, samples: samplesOf(25), epochs: 20 };
  void client
    .request("tools/call", {
      name: "ace.learn.sample",
      arguments: args,
      _meta: { progressToken: "lesson" },
    })
    .catch(() => undefined);
  await progress;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function start(env: Readonly<Record<string, string>> = {}): WireClient {
  return startWireClient(aceMcpCommand(), { env: serverEnvironment({ env }) });
}

describe.each(Object.entries(PHASES))("the end comes %s", (_phase, reach) => {
  test.each(["EOF", "SIGTERM", "SIGHUP", "SIGINT"] as const)(
    "%s ends the server with exit 0 within two seconds and leaves no process",
    async (end) => {
      await using client = start();
      await reach(client);
      const started = performance.now();
      if (end === "EOF") client.process.child.stdin.end();
      else client.process.kill(end);
      const exit = await client.process.exited;
      expect(exit, client.process.stderr()).toEqual({ code: 0, signal: null });
      expect(performance.now() - started).toBeLessThan(ENDED_WITHIN_MS);
      expect(isAlive(client.process.pid)).toBe(false);
      expect(client.noise).toEqual([]);
      expect(client.process.stderr()).not.toMatch(/^\s+at /m);
    },
  );
});

describe("the end with work to keep", () => {
  test.each(["EOF", "SIGTERM"] as const)(
    "%s: the answered samples of an autosaved session are in its file",
    async (end) => {
      await using folder = await tempFolder("acumen-end");
      const settings = { root: folder.path, env: { ACE_MCP_AUTOSAVE: "true" } };
      await using client = await startAceMcp(settings);
      const learned = await client.call("ace.learn.sample", {
        session_id: "kept",
        samples: samplesOf(12),
      });
      await startLearning(client, "kept");
      if (end === "EOF") client.process.child.stdin.end();
      else client.process.kill(end);
      expect(await client.process.exited).toEqual({ code: 0, signal: null });
      await using again = await startAceMcp(settings);
      const { body } = await again.call("ace.skillbook.get", { session_id: "kept" });
      expect((body["stats"] as { skills: number }).skills).toBeGreaterThanOrEqual(
        Number(learned.body["skill_count_after"]),
      );
    },
  );

  test("a save that was asked for just before EOF is done or not begun, and answered when done", async () => {
    await using folder = await tempFolder("acumen-end-save");
    await using client = await startAceMcp({ root: folder.path });
    await client.call("ace.learn.sample", { session_id: "s", samples: samplesOf(12) });
    const save = client.call("ace.skillbook.save", { session_id: "s", path: "book.json" }).then(
      (reply) => !reply.isError,
      () => false,
    );
    expect(await client.close()).toMatchObject({ code: 0 });
    const answered = await save;
    const there = existsSync(folder.join("book.json"));
    if (answered) expect(there).toBe(true);
    if (there) readBook(folder.join("book.json"));
  });
});

describe("a client that goes away", () => {
  test("both pipes closed in the middle of a call: quiet exit, no stack trace", async () => {
    await using client = await startAceMcp();
    await Promise.all(["a", "b", "c"].map((session_id) => startLearning(client, session_id)));
    client.process.child.stdout.destroy();
    client.process.child.stdin.destroy();
    const exit = await client.process.exited;
    expect(exit).toEqual({ code: 0, signal: null });
    // One structured line may say that the other side is gone; a stack or a line per lost answer may not.
    const lines = client.process
      .stderr()
      .split("\n")
      .filter((line) => line !== "");
    expect(lines.length).toBeLessThanOrEqual(1);
    for (const line of lines) expect(JSON.parse(line)).not.toHaveProperty("frames");
  });

  test("only its reading end closed: the next answers go nowhere and end the server, they do not crash it", async () => {
    await using client = await startAceMcp();
    await client.call("ace.ask", { session_id: "a", question: "Ready?" });
    client.process.child.stdout.destroy();
    for (let index = 0; index < 50; index += 1)
      void client.call("ace.ask", { session_id: "a", question: "Hello?" }).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 300));
    client.process.child.stdin.end();
    expect(await client.process.exited).toEqual({ code: 0, signal: null });
    expect(client.process.stderr()).not.toMatch(/^\s+at /m);
  });

  test("its process killed: the server it had started is gone within two seconds", async () => {
    const { command, args } = aceMcpCommand();
    // A host that starts the server, reports its pid, shakes hands, teaches, and is then killed without a farewell.
    const host = spawn(
      process.execPath,
      [
        "--input-type=module",
        "--eval",
        `import { spawn } from "node:child_process";
         const server = spawn(${JSON.stringify(command)}, ${JSON.stringify(args)}, { stdio: ["pipe", "pipe", "ignore"] });
         const send = (message) => server.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
         send({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "h", version: "1" } } });
         server.stdout.once("data", () => {
           send({ method: "notifications/initialized" });
           send({ id: 2, method: "tools/call", params: { name: "ace.ask", arguments: { session_id: "s", question: "q" } } });
           server.stdout.once("data", () => process.stdout.write(String(server.pid) + "\\n"));
         });`,
      ],
      { env: childEnvironment(serverEnvironment()), stdio: ["ignore", "pipe", "inherit"] },
    );
    const pid = await new Promise<number>((resolve) => {
      host.stdout.once("data", (data) => resolve(Number(data)));
    });
    expect(isAlive(pid)).toBe(true);
    host.kill("SIGKILL");
    const deadline = performance.now() + ENDED_WITHIN_MS;
    while (isAlive(pid) && !isZombie(pid) && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isAlive(pid) && !isZombie(pid)).toBe(false);
  });
});

/** An orphan that has ended may wait for an init process that never collects it (containers). */
function isZombie(pid: number): boolean {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
