import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { bench, PING, scripted, started } from "./support.ts";

function note(text: string): JSONRPCMessage {
  return { jsonrpc: "2.0", method: "note", params: { text } };
}

test("a large message passes, one without an end is cut off before it fills the memory", async () => {
  await using b = await bench();
  const large = await b.open(
    scripted(`send({ method: "note", params: { text: "x".repeat(30e6) } }); listen();`),
  );
  const heard = await started(large);
  await expect.poll(() => heard.messages.length).toBe(1);
  const endless = await b.open(
    scripted(
      `const part = Buffer.alloc(1 << 20, 120); const write = () => process.stdout.write(part, write); write();`,
    ),
  );
  const before = process.memoryUsage().rss;
  const other = await started(endless);
  const end = await endless.ended;
  expect(end).toMatchObject({ kind: "broken", exitCode: null });
  expect(end.error?.message).toBe(`The MCP server "small" sent a message of more than 64 MiB.`);
  expect(other.closed()).toBe(1);
  expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024);
});

test("a server that reads nothing delays nobody: small messages pass, then sending fails and says why", async () => {
  await using b = await bench();
  const opened = await b.open(scripted(`setInterval(() => {}, 1000);`));
  await started(opened);
  await opened.transport.send(PING);
  const text = "x".repeat(3 * 1024 * 1024);
  const waiting: Promise<void>[] = [];
  for (let sent = 0; sent < 6; sent += 1) waiting.push(opened.transport.send(note(text)));
  const outcomes = Promise.allSettled(waiting);
  await expect(opened.transport.send(PING)).rejects.toThrow(
    /^The MCP server "small" does not read: \d{8} bytes wait for it\.$/,
  );
  await opened.close();
  expect((await outcomes).map(({ status }) => status)).toEqual(Array(6).fill("rejected"));
});

test("a slow reader gets everything, and sending waits for it", async () => {
  await using b = await bench();
  const opened = await b.open(
    scripted(`
      let bytes = 0;
      setTimeout(() => process.stdin.on("data", (chunk) => {
        bytes += chunk.length;
        if (chunk.includes("last")) send({ method: "note", params: { text: String(bytes) } });
      }), 300);`),
  );
  const heard = await started(opened);
  const large = note("x".repeat(5 * 1024 * 1024));
  const last = note("last");
  const begin = performance.now();
  await opened.transport.send(large);
  expect(performance.now() - begin).toBeGreaterThan(250);
  await opened.transport.send(last);
  await expect.poll(() => heard.messages).toHaveLength(1);
  const bytes = [large, last].reduce((sum, each) => sum + JSON.stringify(each).length + 1, 0);
  expect(heard.messages).toEqual([note(String(bytes))]);
});
