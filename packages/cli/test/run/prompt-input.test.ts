import { PassThrough, Readable } from "node:stream";
import { expect, test } from "vitest";
import type { InputStream } from "../../src/command-context.ts";
import { cliError } from "../../src/errors.ts";
import { readPrompt } from "../../src/run/prompt-input.ts";

interface Read {
  readonly prompt: Awaited<ReturnType<typeof readPrompt>>;
  readonly notes: readonly string[];
}

async function read(
  words: readonly string[],
  parts: readonly (string | Uint8Array)[],
  isTTY = false,
): Promise<Read> {
  const stdin = Object.assign(Readable.from(parts), { isTTY }) as unknown as InputStream;
  const notes: string[] = [];
  const { signal } = new AbortController();
  const note = (text: string): number => notes.push(text);
  const prompt = await readPrompt({ words, stdin: () => stdin, signal, note });
  return { prompt, notes };
}

test("words on a terminal are the whole prompt; nobody waits for the keyboard", async () => {
  const never = Object.assign(new PassThrough(), { isTTY: true }) as unknown as InputStream;
  const { signal } = new AbortController();
  const sources = { words: ["do", "it"], stdin: () => never, signal, note: () => undefined };
  expect(await readPrompt(sources)).toEqual([{ type: "text", text: "do it" }]);
});

test("an empty pipe attaches nothing", async () => {
  expect((await read(["do it"], [])).prompt).toEqual([{ type: "text", text: "do it" }]);
});

test("a prompt that is typed is told how it ends", async () => {
  const { prompt, notes } = await read(["-"], ["typed\n"], true);
  expect(prompt).toEqual([{ type: "text", text: "typed\n" }]);
  expect(notes).toEqual([expect.stringContaining("Ctrl-D")]);
});

test("characters that lie across two pieces are read whole, a byte order mark is dropped", async () => {
  const bytes = Buffer.from("\uFEFFgrüß");
  const { prompt, notes } = await read([], [bytes.subarray(0, 6), bytes.subarray(6)]);
  expect(prompt).toEqual([{ type: "text", text: "grüß" }]);
  expect(notes).toEqual([]);
});

test("bytes that are no UTF-8 are named, binary data is refused", async () => {
  const { prompt, notes } = await read(["look"], [Buffer.from([0x66, 0xfc, 0x72])]);
  expect(prompt[1]).toMatchObject({ text: "f\uFFFDr" });
  expect(notes).toEqual([expect.stringContaining("not all UTF-8")]);
  await expect(read(["look"], [Buffer.from("PNG\0\0")])).rejects.toMatchObject({
    code: "CLI_USAGE",
    message: expect.stringContaining("binary"),
  });
});

test("12 MiB are taken, one byte more is refused with the limit", async () => {
  const most = Buffer.alloc(12 * 1024 * 1024, "a");
  expect((await read([], [most])).prompt[0]).toMatchObject({ type: "text" });
  await expect(read(["look"], [most, Buffer.from("b")])).rejects.toMatchObject({
    code: "CLI_USAGE",
    message: expect.stringContaining("more than 12 MiB"),
    details: { max_bytes: most.byteLength },
  });
});

test("a pipe that stays silent is named, and a signal ends the waiting", async () => {
  const silent = new PassThrough();
  const controller = new AbortController();
  let heard: (text: string) => void = () => undefined;
  const noted = new Promise<string>((resolve) => (heard = resolve));
  const prompt = readPrompt({
    words: ["look"],
    stdin: () => silent as unknown as InputStream,
    signal: controller.signal,
    note: heard,
  });
  const outcome = expect(prompt).rejects.toMatchObject({ code: "CLI_INTERRUPTED" });
  expect(await noted).toContain("/dev/null");
  controller.abort(cliError("CLI_INTERRUPTED", "Ended.", { details: { signal: "SIGINT" } }));
  await outcome;
  expect(silent.destroyed).toBe(true);
});
