import { PassThrough } from "node:stream";
import { type Logger, silentLogger } from "@acumen/core";
import { expect, test } from "vitest";
import { takeOutput } from "../../src/acp/private-output.ts";

test("report 58: what others print goes to stderr and the log, until it is released", () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const lines: string[] = [];
  const note = (message: string): void => void lines.push(message);
  const logger: Logger = { ...silentLogger, info: note, warn: note };
  const before = globalThis.console.log;
  const output = takeOutput({ stdout, stderr }, logger);
  try {
    stdout.write("banner\n");
    globalThis.console.log("%s of %d", "one", 2);
    globalThis.console.error("\u001b[31mred\u001b[0m");
    output.stream.write('{"jsonrpc":"2.0"}\n');
  } finally {
    output.release();
  }
  expect(String(stdout.read())).toBe('{"jsonrpc":"2.0"}\n');
  expect(String(stderr.read())).toBe("banner\n");
  expect(lines).toEqual(["one of 2", "\u001b[31mred\u001b[0m"]);
  stdout.write("after\n");
  expect(String(stdout.read())).toBe("after\n");
  expect(globalThis.console.log).toBe(before);
  expect(Object.hasOwn(stdout, "write")).toBe(false);
});

test("what the reader has not taken counts as unread, and a broken pipe is an error of the stream", async () => {
  const stdout = new PassThrough({ highWaterMark: 16 });
  const output = takeOutput({ stdout, stderr: new PassThrough() }, silentLogger);
  try {
    const { stream } = output;
    for (let count = 0; count < 50; count += 1) stream.write("x".repeat(1_000));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(stream.writableLength).toBeGreaterThan(40_000);
    const failed = new Promise((resolve) => stream.once("error", resolve));
    stdout.on("error", () => undefined).destroy(new Error("EPIPE"));
    expect(await failed).toBeInstanceOf(Error);
  } finally {
    output.release();
  }
});

test("a plain object with a write function serves as stdout, too", () => {
  let text = "";
  const stdout = { write: (part: string) => (text += part) };
  const output = takeOutput({ stdout, stderr: { write: () => true } }, silentLogger);
  output.stream.write("one\n");
  stdout.write("stray\n");
  output.release();
  stdout.write("two\n");
  expect(text).toBe("one\ntwo\n");
});
