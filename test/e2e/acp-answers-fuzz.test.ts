import { mkdir, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { AcpAgentServer, stdioStream } from "@acumen/acp";
import { CodingAgentBuilder, DEFAULT_SETTINGS, MemorySessionStore } from "@acumen/agent";
import { createScriptedModel } from "@acumen/models/testing";
import { tempFolder } from "@acumen/testkit";
import { beforeAll, expect, test, vi } from "vitest";
import { type Json, mutate } from "./support/mutations.ts";
import { pick, seededRandom } from "./support/random.ts";

const SEED = 20_261_130;
const SESSIONS = 30;
const PROMPTS = 5;
/** For one turn; nothing in it takes long. */
const WITHIN_MS = 60_000;
const ENDED = new Set(["completed", "failed"]);

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly update?: {
      readonly sessionUpdate: string;
      readonly toolCallId?: string;
      readonly status?: string;
    };
  };
  readonly result?: { readonly sessionId?: string; readonly stopReason?: string };
  readonly error?: { readonly code: number; readonly data?: { readonly code?: unknown } };
}

/** What a host answers that means well. */
const WELL: Readonly<Record<string, readonly [Json, ...Json[]]>> = {
  "session/request_permission": [
    { outcome: { outcome: "selected", optionId: "allow_once" } },
    ...Array.from({ length: 12 }, () => ({
      outcome: { outcome: "selected", optionId: "allow_once" },
    })),
    { outcome: { outcome: "selected", optionId: "allow_always" } },
    { outcome: { outcome: "selected", optionId: "reject_once" } },
    { outcome: { outcome: "cancelled" } },
  ],
  "fs/read_text_file": [{ content: "one\ntwo\n" }, { content: "not saved\n" }],
  "fs/write_text_file": [{}, null],
  "terminal/create": [{ terminalId: "t-1" }],
  "terminal/wait_for_exit": [
    { exitCode: 0, signal: null },
    { exitCode: null, signal: "SIGKILL" },
  ],
  "terminal/output": [
    { output: "out\n", truncated: false, exitStatus: { exitCode: 0, signal: null } },
  ],
  "terminal/kill": [{}],
  "terminal/release": [{}],
  "elicitation/create": [
    { action: "accept", content: { choice: "red", answer: "or blue" } },
    { action: "decline" },
    { action: "cancel" },
  ],
};
const ERRORS: readonly [Json, ...Json[]] = [
  { code: -32_601, message: "Method not found" },
  { code: -32_603, message: "Internal error", data: { details: "no such buffer" } },
  { code: -32_800, message: "Request cancelled" },
  { code: -32_000, message: "denied", data: null },
];

const TURN: readonly unknown[] = [
  {
    toolCalls: [
      { tool: "read_file", input: { path: "a.txt" } },
      { tool: "bash", input: { command: "echo 1" } },
    ],
  },
  {
    toolCalls: [
      { tool: "write_file", input: { path: "b.txt", content: "new\n" } },
      { tool: "edit", input: { path: "a.txt", old_string: "two", new_string: "two!" } },
    ],
  },
  { toolCalls: [{ tool: "ask_user", input: { question: "Which?", options: ["red", "blue"] } }] },
  { text: "Done." },
];

// The SDK says of each odd message that it was one.
beforeAll(() => void vi.spyOn(console, "error").mockImplementation(() => undefined));

/** An answer of a host: a whole envelope, because a request that is never answered waits as long as a person may take. */
function answerTo(method: string, random: () => number): Json {
  // Most calls get past their permission, so that what is behind it is reached.
  const isAsked = method === "session/request_permission";
  const isError = random() < (isAsked ? 0.05 : 0.15);
  let body = pick(random, isError ? ERRORS : (WELL[method] ?? [null]));
  if (random() < (isAsked ? 0.2 : 0.5))
    for (let times = 0; times <= random() * 3; times += 1) body = mutate(body, random);
  return isError ? { error: body } : { result: body };
}

interface Answering extends AsyncDisposable {
  readonly cwd: string;
  /** Answers to what the agent asked, by method. */
  readonly answered: Map<string, number>;
  /** Status of each call that was announced. */
  readonly calls: Map<string, string>;
  readonly replies: Message[];
  /** @throws Error when no answer comes */
  ask(method: string, params: object): Promise<Message>;
}

async function startAnswering(random: () => number): Promise<Answering> {
  const folder = await tempFolder("acumen-acp-answers");
  const [home, cwd] = [folder.join("home"), folder.join("project")];
  await Promise.all([mkdir(home), mkdir(cwd)]);
  await writeFile(`${cwd}/a.txt`, "one\ntwo\n");
  const steps = [...Array.from({ length: PROMPTS }, () => TURN).flat(), { text: "Done." }];
  const agent = new CodingAgentBuilder({
    home,
    store: new MemorySessionStore(),
    resolveModel: () => Promise.resolve(createScriptedModel({ steps, repeatLast: true })),
    settingsFor: () => Promise.resolve(DEFAULT_SETTINGS),
    environment: { PATH: process.env["PATH"] },
    trustOnce: true,
  }).build();
  const server = new AcpAgentServer({
    info: { name: "acumen", title: "Acumen", version: "0.0.0" },
    greet: () => Promise.resolve({ image: true }),
    open: () =>
      Promise.resolve({
        agent,
        choose: () => Promise.resolve({ model: "scripted/inline", mode: "manual" }),
        models: () => Promise.resolve([{ id: "scripted/inline", name: "Scripted" }]),
      }),
  });
  const [input, output] = [new PassThrough(), new PassThrough()];
  const connection = server.connect(stdioStream(input, output));
  const answered = new Map<string, number>();
  const calls = new Map<string, string>();
  const replies: Message[] = [];
  const waiting = new Map<unknown, (reply: Message) => void>();
  const send = (message: object): void =>
    void input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  createInterface({ input: output }).on("line", (line) => {
    const message = JSON.parse(line) as Message;
    const { id, method, params } = message;
    if (method === "session/update") {
      const { toolCallId, status } = params?.update ?? {};
      if (toolCallId !== undefined && status !== undefined) calls.set(toolCallId, status);
    } else if (method !== undefined && id !== undefined) {
      answered.set(method, (answered.get(method) ?? 0) + 1);
      send({ id, ...(answerTo(method, random) as object) });
    } else if (method === undefined) {
      replies.push(message);
      waiting.get(id)?.(message);
    }
  });
  let lastId = 0;
  const ask: Answering["ask"] = (method, params) => {
    lastId += 1;
    const id = `h-${lastId}`;
    const reply = new Promise<Message>((resolve, reject) => {
      waiting.set(id, resolve);
      setTimeout(() => reject(new Error(`${method} was not answered`)), WITHIN_MS).unref();
    });
    send({ id, method, params });
    return reply;
  };
  await ask("initialize", {
    protocolVersion: 1,
    clientCapabilities: {
      fs: { readTextFile: true, writeTextFile: true },
      terminal: true,
      elicitation: { form: {} },
    },
  });
  return {
    cwd,
    answered,
    calls,
    replies,
    ask,
    [Symbol.asyncDispose]: async () => {
      input.end();
      await connection.closed;
      await server.close();
      await agent.close();
      await folder.remove();
    },
  };
}

test(`${SESSIONS * PROMPTS} turns whose host answers anything, seed ${SEED}: no crash, no hang, every call ends`, async () => {
  const thrown: unknown[] = [];
  const onThrown = (error: unknown): void => void thrown.push(error);
  process.on("unhandledRejection", onThrown);
  try {
    await using it = await startAnswering(seededRandom(SEED));
    const reasons = new Set<unknown>();
    for (let session = 0; session < SESSIONS; session += 1) {
      const { result } = await it.ask("session/new", { cwd: it.cwd, mcpServers: [] });
      const sessionId = result?.sessionId;
      for (let turn = 0; turn < PROMPTS; turn += 1) {
        it.calls.clear();
        const prompt = [{ type: "text", text: "Go." }];
        const reply = await it.ask("session/prompt", { sessionId, prompt });
        // What a host answers is no failure of the prompt.
        expect(reply.error).toBeUndefined();
        reasons.add(reply.result?.stopReason);
        const open = [...it.calls].filter(([, status]) => !ENDED.has(status));
        expect(open, `session ${session}, turn ${turn}`).toEqual([]);
      }
      await it.ask("session/close", { sessionId });
    }
    expect(reasons).toEqual(new Set(["end_turn", "cancelled"]));
    // Each kind of question was asked, and often enough for its answers to differ.
    const seldom = Object.keys(WELL).filter((method) => (it.answered.get(method) ?? 0) < 15);
    expect(seldom, JSON.stringify([...it.answered])).toEqual(["terminal/kill"]);
    const ids = it.replies.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(thrown).toEqual([]);
  } finally {
    process.off("unhandledRejection", onThrown);
  }
});
