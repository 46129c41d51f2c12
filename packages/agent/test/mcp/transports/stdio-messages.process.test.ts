import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { expect, test, vi } from "vitest";
import { eventually } from "../../tools/bash/fixture.ts";
import { bench, PING, scripted, started, stdio } from "./support.ts";

function note(text: string): JSONRPCMessage {
  return { jsonrpc: "2.0", method: "note", params: { text } };
}

test("messages arrive whatever surrounds them: byte order mark, banners, colours, CRLF, foreign JSON, split characters", async () => {
  await using b = await bench();
  const opened = await b.open(
    scripted(`
      const bytes = Buffer.from(
        "\\uFEFF" + JSON.stringify({ jsonrpc: "2.0", method: "note", params: { text: "first" } }) + "\\r\\n" +
        "[dotenv] injecting 3 variables\\n\\x1b[32mready\\x1b[0m\\n\\n" +
        '{"level":"info"}\\n"text"\\n17\\nnull\\n{"jsonrpc":"2.0","id":{}}\\n' +
        JSON.stringify({ jsonrpc: "2.0", method: "note", params: { text: "größer 🎉" } }) + "\\n" +
        JSON.stringify([1, 2].map((n) => ({ jsonrpc: "2.0", method: "note", params: { text: "batch " + n } }))) + "\\n");
      const write = (at) => at < bytes.length ? process.stdout.write(bytes.subarray(at, at + 1), () => write(at + 1)) : listen();
      write(0);`),
  );
  const heard = await started(opened);
  await vi.waitFor(() => expect(heard.messages).toHaveLength(4));
  expect(heard.messages).toEqual(["first", "größer 🎉", "batch 1", "batch 2"].map(note));
  expect(opened.skippedTail()).toBe(
    '[dotenv] injecting 3 variables\n\x1b[32mready\x1b[0m\n{"level":"info"}\n"text"\n17\nnull\n{"jsonrpc":"2.0","id":{}}\n',
  );
  expect(heard.errors).toEqual([]);
});

test("the tail of skipped lines is bounded", async () => {
  await using b = await bench();
  const opened = await b.open(
    scripted(
      `for (let n = 0; n < 500; n += 1) console.log("line " + n); console.log("x".repeat(1e6)); send({ method: "note", params: { text: "end" } }); listen();`,
    ),
  );
  const heard = await started(opened);
  await vi.waitFor(() => expect(heard.messages).toHaveLength(1));
  expect(opened.skippedTail().length).toBeLessThanOrEqual(2048);
  expect(opened.skippedTail()).toContain("line 499\nxxx");
});

test("last words before the end arrive, also a line without an end, and then the exit", async () => {
  await using b = await bench();
  const opened = await b.open(
    scripted(
      `send({ method: "note", params: { text: "a" } }); process.stderr.write("fatal: größer"); process.stdout.write('{"jsonrpc":"2.0","method":"note","params":{"text":"b"}}', () => process.exit(3));`,
    ),
  );
  const heard = await started(opened);
  expect(await opened.ended).toEqual({ kind: "exited", exitCode: 3, signal: null });
  expect(heard.messages).toEqual([note("a"), note("b")]);
  expect(opened.stderrTail()).toBe("fatal: größer");
  expect(heard.closed()).toBe(1);
  await opened.close();
  expect(heard.closed()).toBe(1);
  await expect(opened.transport.send(PING)).rejects.toThrow(
    `The MCP server "small" is not connected.`,
  );
});

test("a signal that ends it is told", async () => {
  await using b = await bench();
  const opened = await b.open(scripted(`process.kill(process.pid, "SIGKILL");`));
  await started(opened);
  expect(await opened.ended).toEqual({ kind: "exited", exitCode: null, signal: "SIGKILL" });
});

test("stderr is read all the time, its last 8 KiB are kept, and it is no failure", async () => {
  await using b = await bench();
  const opened = await b.open(
    scripted(
      `for (let n = 0; n < 40000; n += 1) require("fs").writeSync(2, "warning größer " + n + "\\n"); listen();`,
    ),
  );
  const heard = await started(opened);
  await opened.transport.send({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  await vi.waitFor(() => expect(heard.messages).toHaveLength(1));
  await eventually(() => opened.stderrTail().endsWith("warning größer 39999\n"));
  const length = Buffer.byteLength(opened.stderrTail());
  expect(length).toBeGreaterThan(8180);
  expect(length).toBeLessThanOrEqual(8192);
});

test.concurrent.each([
  ["output", "exec >&-; sleep 300"],
  ["input", "exec <&-; echo ready >&2; sleep 300"],
])("a server that closes its %s and lives on has ended", async (what, script) => {
  await using b = await bench();
  const opened = await b.open(stdio("sh", ["-c", script]));
  const heard = await started(opened);
  if (what === "input") {
    await eventually(() => opened.stderrTail() !== "");
    await opened.transport.send(PING);
  }
  const end = await opened.ended;
  expect(end.kind).toBe("broken");
  expect(end.error?.message).toBe(
    `The MCP server "small" closed its ${what} while it went on running.`,
  );
  expect(heard.closed()).toBe(1);
});

test("a listener that throws harms nobody", async () => {
  await using b = await bench();
  const opened = await b.open(
    scripted(
      `for (const text of ["a", "b"]) send({ method: "note", params: { text } }); listen();`,
    ),
  );
  const heard = await started(opened);
  const seen: JSONRPCMessage[] = [];
  opened.transport.onmessage = (message) => {
    seen.push(message);
    throw new Error("no");
  };
  await vi.waitFor(() => expect(seen).toHaveLength(2));
  expect(heard.errors.map(({ message }) => message)).toEqual(["no", "no"]);
});
