import { execFileSync, spawn } from "node:child_process";
import { closeSync, constants, openSync, readFileSync } from "node:fs";
import { childEnvironment, tempFolder } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { aceMcpCommand, samplesOf, serverEnvironment, startAceMcp } from "./support/ace-mcp.ts";

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe("a client that stops reading", () => {
  test("gets every answer when it reads on, each once", async () => {
    await using client = await startAceMcp();
    for (let batch = 0; batch < 8; batch += 1)
      await client.call("ace.learn.sample", {
        session_id: "s",
        samples: samplesOf(25, batch * 25),
      });
    client.process.child.stdout.pause();
    const count = 300;
    const calls = Array.from({ length: count }, () =>
      client.call("ace.skillbook.get", { session_id: "s", limit: 200 }),
    );
    await pause(1_500);
    client.process.child.stdout.resume();
    const replies = await Promise.all(calls);
    expect(replies.every((reply) => !reply.isError)).toBe(true);
    expect(new Set(replies.map((reply) => JSON.stringify(reply.body))).size).toBe(1);
    const ids = client.messages.flatMap((message) => message.id ?? []);
    expect(ids).toHaveLength(new Set(ids).size);
    // Megabytes had to wait: the pipe holds some 64 KiB.
    const bytes = replies.reduce((sum, reply) => sum + JSON.stringify(reply.result).length, 0);
    expect(bytes).toBeGreaterThan(5_000_000);
    expect(await client.close()).toMatchObject({ code: 0 });
  });

  // Node gives its children socket pairs; hosts in other languages use pipes, which behave differently when full.
  test.each(["SIGTERM", "EOF"] as const)(
    "and never reads again: %s still ends the server within two seconds",
    async (end) => {
      await using folder = await tempFolder("acumen-pipe");
      const fifo = folder.join("stdout");
      execFileSync("mkfifo", [fifo]);
      const reading = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
      const writing = openSync(fifo, constants.O_WRONLY);
      const { command, args } = aceMcpCommand();
      const server = spawn(command, args, {
        env: childEnvironment(serverEnvironment()),
        stdio: ["pipe", writing, "pipe"],
      });
      closeSync(writing);
      const { stdin, stderr: errors } = server;
      if (stdin === null || errors === null) throw new Error("the child has no pipes");
      let stderr = "";
      errors.setEncoding("utf8").on("data", (text: string) => (stderr += text));
      stdin.on("error", () => undefined);
      const exited = new Promise<unknown>((resolve) => {
        server.on("close", (code, signal) => resolve({ code, signal }));
      });
      const send = (message: unknown): void => {
        stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...(message as object) })}\n`);
      };
      const call = (id: number, name: string, extra: object): void =>
        send({
          id,
          method: "tools/call",
          params: { name, arguments: { session_id: "s", ...extra } },
        });
      send({
        id: 0,
        method: "initialize",
        params: {
          protocolVersion: "2025-11-25",
          capabilities: {},
          clientInfo: { name: "deaf", version: "1" },
        },
      });
      send({ method: "notifications/initialized" });
      for (let id = 1; id <= 8; id += 1)
        call(id, "ace.learn.sample", { samples: samplesOf(25, id * 25) });
      for (let id = 9; id <= 200; id += 1) call(id, "ace.skillbook.get", { limit: 200 });
      await pause(2_500);
      const rss = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"));
      expect(Number(rss?.[1]) / 1024).toBeLessThan(400);
      const started = performance.now();
      if (end === "EOF") stdin.end();
      else server.kill("SIGTERM");
      const timer = setTimeout(() => server.kill("SIGKILL"), 10_000);
      expect(await exited, stderr).toEqual({ code: 0, signal: null });
      clearTimeout(timer);
      expect(performance.now() - started).toBeLessThan(2_000);
      closeSync(reading);
    },
  );
});
