import { PassThrough } from "node:stream";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { stdioStream } from "../../src/index.ts";
import { benchServer } from "../support/bench-server.ts";

const TIMES = 20;
const RUNS = { text: "word ".repeat(9_000), delayMs: 5 };

interface Answer {
  readonly id?: number;
  readonly result?: { readonly sessionId: string; readonly stopReason: string };
}

/** A host that writes lines, any number of them in one chunk. */
async function lineHost(steps: readonly unknown[]) {
  const bench = await benchServer({ steps });
  const [input, output] = [new PassThrough(), new PassThrough()];
  const connection = bench.server.connect(stdioStream(input, output));
  const answers = new Map<number, (answer: Answer) => void>();
  let words = 0;
  createInterface({ input: output }).on("line", (line) => {
    const message = JSON.parse(line) as Answer;
    if (line.includes("agent_message_chunk")) words += 1;
    if (message.id !== undefined) answers.get(message.id)?.(message);
  });
  let lastId = 0;
  const line = (method: string, params: unknown): { text: string; answer: Promise<Answer> } => {
    lastId += 1;
    const id = lastId;
    const answer = new Promise<Answer>((resolve) => answers.set(id, resolve));
    return { text: `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`, answer };
  };
  const ask = (method: string, params: unknown): Promise<Answer> => {
    const { text, answer } = line(method, params);
    input.write(text);
    return answer;
  };
  await ask("initialize", { protocolVersion: 1 });
  const { result } = await ask("session/new", { cwd: bench.cwd, mcpServers: [] });
  const sessionId = result?.sessionId ?? "";
  return {
    input,
    words: () => words,
    prompt: () => line("session/prompt", { sessionId, prompt: [{ type: "text", text: "Go." }] }),
    cancel: `${JSON.stringify({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } })}\n`,
    [Symbol.asyncDispose]: async () => {
      connection.close();
      await bench.end();
      await bench.remove();
    },
  };
}

test("a prompt right behind a cancel is answered, where nothing runs", async () => {
  await using host = await lineHost(Array.from({ length: TIMES }, () => ({ text: "Done." })));
  for (let time = 0; time < TIMES; time += 1) {
    const next = host.prompt();
    host.input.write(host.cancel + next.text);
    expect(await next.answer).toMatchObject({ result: { stopReason: "end_turn" } });
  }
});

test("a prompt right behind a cancel is answered, where the cancel ends a turn and those that wait", async () => {
  const steps = Array.from({ length: TIMES }, () => [RUNS, { text: "Done." }]).flat();
  await using host = await lineHost(steps);
  for (let time = 0; time < TIMES; time += 1) {
    const running = host.prompt();
    const before = host.words();
    host.input.write(running.text);
    await expect.poll(host.words, { interval: 5, timeout: 10_000 }).toBeGreaterThan(before);
    const [waiting, next] = [host.prompt(), host.prompt()];
    host.input.write(waiting.text + host.cancel + next.text);
    expect(await running.answer).toMatchObject({ result: { stopReason: "cancelled" } });
    expect(await waiting.answer).toMatchObject({ result: { stopReason: "cancelled" } });
    expect(await next.answer).toMatchObject({ result: { stopReason: "end_turn" } });
  }
});

test("a cancel in one chunk with its prompt ends it", async () => {
  await using host = await lineHost([RUNS]);
  const prompt = host.prompt();
  host.input.write(prompt.text + host.cancel);
  expect(await prompt.answer).toMatchObject({ result: { stopReason: "cancelled" } });
});
