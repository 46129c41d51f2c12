import { PassThrough } from "node:stream";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { stdioStream } from "../../src/index.ts";
import { benchServer } from "../support/bench-server.ts";

const TIMES = 20;
const FEW = 5;
const RUNS = { text: "word ".repeat(9_000), delayMs: 5 };
const ASKS = { toolCalls: [{ tool: "bash", input: { command: "touch x" } }] };

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
  const asked: unknown[] = [];
  let words = 0;
  createInterface({ input: output }).on("line", (line) => {
    const message = JSON.parse(line) as Answer & { readonly method?: string };
    if (line.includes("agent_message_chunk")) words += 1;
    if (message.method === "session/request_permission") asked.push(message.id);
    else if (message.id !== undefined) answers.get(message.id)?.(message);
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
    /** Ids of the permissions that were asked for. */
    asked,
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
    await expect.poll(host.words, { interval: 5 }).toBeGreaterThan(before);
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

const CANCELLED_ANSWERS = [
  ["an answer", { result: { outcome: { outcome: "cancelled" } } }],
  ["an answer with a note", { result: { outcome: { outcome: "cancelled" }, _meta: { a: 1 } } }],
  ["an error", { error: { code: -32_800, message: "Request cancelled" } }],
  ["an error with more", { error: { code: -32_800, message: "Request cancelled", data: "x" } }],
] as const;

test.each(CANCELLED_ANSWERS)(
  "a permission that is cancelled by %s ends its turn and what waited, and not the prompt right behind it",
  async (_name, cancelled) => {
    const steps = Array.from({ length: FEW }, () => [ASKS, { text: "Done." }]).flat();
    await using host = await lineHost(steps);
    for (let time = 0; time < FEW; time += 1) {
      const [running, waiting, next] = [host.prompt(), host.prompt(), host.prompt()];
      host.input.write(running.text);
      await expect.poll(() => host.asked.length, { interval: 5, timeout: 10_000 }).toBe(time + 1);
      const answer = { jsonrpc: "2.0", id: host.asked.at(-1), ...cancelled };
      host.input.write(`${waiting.text}${JSON.stringify(answer)}\n${next.text}`);
      expect(await running.answer).toMatchObject({ result: { stopReason: "cancelled" } });
      expect(await waiting.answer).toMatchObject({ result: { stopReason: "cancelled" } });
      expect(await next.answer).toMatchObject({ result: { stopReason: "end_turn" } });
    }
  },
);
