import { PassThrough } from "node:stream";
import type { AnyMessage } from "@agentclientprotocol/sdk";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stdioStream } from "../../src/index.ts";

interface Bench {
  readonly input: PassThrough;
  readonly output: PassThrough;
  readonly received: AnyMessage[];
  readonly ended: Promise<void>;
  write(message: object): Promise<void>;
  /** Lines that the host has read. */
  answers(): Record<string, unknown>[];
}

function bench(): Bench {
  const input = new PassThrough();
  const output = new PassThrough();
  const { readable, writable } = stdioStream(input, output);
  const received: AnyMessage[] = [];
  const read = async (): Promise<void> => {
    for await (const message of readable) received.push(message);
  };
  const writer = writable.getWriter();
  let text = "";
  return {
    input,
    output,
    received,
    ended: read(),
    write: (message) => writer.write(message as AnyMessage),
    answers: () => {
      text += String(output.read() ?? "");
      return text
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
  };
}

const moment = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
const request = (id: number, extra: object = {}): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method: "x", params: extra })}\n`;
const notification = (method: string): string => `${JSON.stringify({ jsonrpc: "2.0", method })}\n`;

describe("lines of the host", () => {
  test("become messages, wherever the chunks are cut; the last one needs no line end", async () => {
    const text = `${request(1, { text: "häß 🦊" })}\r\n\n${request(2).trimEnd()}`;
    const bytes = Buffer.from(text);
    await fc.assert(
      fc.asyncProperty(
        fc
          .array(fc.nat({ max: bytes.length }), { maxLength: 12 })
          .map((cuts) => cuts.toSorted((a, b) => a - b)),
        async (cuts) => {
          const it = bench();
          for (const [index, start] of [0, ...cuts].entries())
            it.input.write(bytes.subarray(start, [...cuts, bytes.length][index]));
          it.input.end();
          await it.ended;
          expect(it.received).toMatchObject([{ id: 1, params: { text: "häß 🦊" } }, { id: 2 }]);
          expect(it.answers()).toEqual([]);
        },
      ),
      { numRuns: 50 },
    );
  });

  test.each([
    ["no JSON", "{oops", -32700],
    ["a cut message", '{"jsonrpc":"2.0","id":1', -32700],
    ["bytes that are no text", "\u0000\u0001", -32700],
    ["a batch", `[${request(1).trim()}]`, -32600],
    ["a number", "42", -32600],
    ["null", "null", -32600],
    ["text", '"initialize"', -32600],
    ["what nests too deep", `{"a":${"[".repeat(300)}${"]".repeat(300)}}`, -32600],
    ["what would exhaust the stack", "[".repeat(2_000_000), -32600],
  ])("that are none are answered, and the next one arrives: %s", async (_name, line, code) => {
    const it = bench();
    it.input.write(`${line}\n${request(7)}`);
    it.input.end();
    await it.ended;
    expect(it.received).toMatchObject([{ id: 7 }]);
    expect(it.answers()).toMatchObject([{ jsonrpc: "2.0", id: null, error: { code } }]);
  });

  test("of more than 64 MiB are skipped with an answer; one of 63 MiB arrives", async () => {
    const it = bench();
    const chunk = Buffer.alloc(1024 * 1024, "x");
    it.input.resume();
    for (let mib = 0; mib < 66; mib += 1) it.input.write(chunk);
    it.input.write(`\n{"jsonrpc":"2.0","method":"m","params":"`);
    for (let mib = 0; mib < 63; mib += 1) it.input.write(chunk);
    it.input.end(`"}\n${request(7)}`);
    await it.ended;
    expect(it.received.map((message) => "id" in message)).toEqual([false, true]);
    expect(it.answers()).toMatchObject([{ id: null, error: { code: -32600 } }]);
  });
});

describe("a host that does not read", () => {
  const large = { text: "x".repeat(300_000) };

  async function stuck(): Promise<Bench & { readonly last: Promise<void> }> {
    const it = bench();
    let last = Promise.resolve();
    for (let count = 0; count < 5; count += 1) last = it.write({ jsonrpc: "2.0", ...large });
    await moment();
    return Object.assign(it, { last });
  }

  test("makes writers wait until it reads on", async () => {
    const it = await stuck();
    let done = false;
    void it.last.then(() => (done = true));
    await moment();
    expect(done).toBe(false);
    it.output.resume();
    await it.last;
    expect(done).toBe(true);
  });

  test("has its requests wait, in order; what ends a turn arrives while none does", async () => {
    const it = await stuck();
    it.input.write(notification("session/cancel"));
    it.input.write(request(1));
    it.input.write("{oops\n");
    it.input.write(notification("late"));
    it.input.write(request(2));
    await expect.poll(() => it.received.length).toBe(1);
    await moment();
    expect(it.received).toMatchObject([{ method: "session/cancel" }]);
    it.output.resume();
    await it.last;
    await expect.poll(() => it.received.length).toBe(4);
    expect(it.received).toMatchObject([
      { method: "session/cancel" },
      { id: 1 },
      { method: "late" },
      { id: 2 },
    ]);
  });

  test("is noticed when it goes away, and what waited is dropped", async () => {
    const it = await stuck();
    it.input.write(request(1));
    it.input.end();
    await it.ended;
    expect(it.received).toEqual([]);
    // Nobody waits for it.
    await it.last;
  });

  test("is cut off once it has sent 64 MiB that nobody may answer", async () => {
    const it = await stuck();
    for (let id = 0; id < 9; id += 1) it.input.write(request(id, { text: "x".repeat(8_000_000) }));
    await it.ended;
    expect(it.received).toEqual([]);
  });
});

test("output that fails ends the messages, and further writes do nothing", async () => {
  const it = bench();
  it.output.destroy(Object.assign(new Error("broken pipe"), { code: "EPIPE" }));
  await it.ended;
  await it.write({ jsonrpc: "2.0" });
  expect(it.answers()).toEqual([]);
});

test("what is written after the end of the input still goes out, until nobody reads it", async () => {
  const it = bench();
  it.input.end();
  await it.ended;
  await it.write({ jsonrpc: "2.0", id: 1, result: {} });
  expect(it.answers()).toMatchObject([{ id: 1, result: {} }]);
  const large = { jsonrpc: "2.0", id: 2, result: { text: "x".repeat(600_000) } };
  // Nobody waits for a host that has ended its input and does not read.
  for (let count = 0; count < 5; count += 1) await it.write(large);
});
