import { mkdir } from "node:fs/promises";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { AcpAgentServer, stdioStream } from "@acumen/acp";
import { CodingAgentBuilder, DEFAULT_SETTINGS, MemorySessionStore } from "@acumen/agent";
import { createScriptedModel } from "@acumen/models/testing";
import { tempFolder } from "@acumen/testkit";
import { beforeAll, expect, test, vi } from "vitest";
import { damage, type Json, mutate } from "./support/mutations.ts";
import { pick, seededRandom } from "./support/random.ts";

const SEED = 20_261_130;
const MESSAGES = 6_000;
const BATCH = 100;
/** For one batch; nothing in it takes long. */
const WITHIN_MS = 120_000;

interface Reply {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

// The SDK says of each odd message that it was one.
beforeAll(() => void vi.spyOn(console, "error").mockImplementation(() => undefined));

/** The server and the agent behind it in this process, spoken to line by line. */
interface Fuzzed extends AsyncDisposable {
  readonly cwd: string;
  readonly replies: Reply[];
  /** Lines that are no JSON object. */
  readonly stray: string[];
  send(line: string): void;
  /** @throws Error when no answer comes */
  ask(id: string, method: string, params: object): Promise<Reply>;
}

async function startFuzzed(): Promise<Fuzzed> {
  const folder = await tempFolder("acumen-acp-fuzz");
  const [home, cwd] = [folder.join("home"), folder.join("project")];
  await Promise.all([mkdir(home), mkdir(cwd)]);
  const model = createScriptedModel({ steps: [{ text: "Yes." }], repeatLast: true });
  const agent = new CodingAgentBuilder({
    home,
    store: new MemorySessionStore(),
    resolveModel: () => Promise.resolve(model),
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
        choose: () => Promise.resolve({ model: "scripted/inline", mode: "safe" }),
        models: () => Promise.resolve([{ id: "scripted/inline", name: "Scripted" }]),
      }),
  });
  const [input, output] = [new PassThrough(), new PassThrough()];
  const connection = server.connect(stdioStream(input, output));
  const replies: Reply[] = [];
  const stray: string[] = [];
  const waiting = new Map<unknown, (reply: Reply) => void>();
  createInterface({ input: output }).on("line", (line) => {
    const message = JSON.parse(line) as Reply & { readonly method?: string };
    if (message.method !== undefined) return;
    if (!("result" in message || "error" in message)) stray.push(line);
    replies.push(message);
    waiting.get(message.id)?.(message);
  });
  const send = (line: string): void => void input.write(`${line}\n`);
  const ask: Fuzzed["ask"] = (id, method, params) => {
    const reply = new Promise<Reply>((resolve, reject) => {
      waiting.set(id, resolve);
      setTimeout(() => reject(new Error(`${method} was not answered`)), WITHIN_MS).unref();
    });
    send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return reply;
  };
  await ask("init", "initialize", { protocolVersion: 1, clientCapabilities: { terminal: false } });
  return {
    cwd,
    replies,
    stray,
    send,
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

/** One valid message of each kind that a host sends. */
function validMessages(sessionId: string, cwd: string): readonly [Json, ...Json[]] {
  const request = (method: string, params: Json): Json => ({ method, params });
  const servers = [
    { name: "gone", command: "/no/such/program", args: ["x"], env: [{ name: "A", value: "b" }] },
    { type: "http", name: "web", url: "http://127.0.0.1:9/mcp", headers: [] },
  ];
  const link = { type: "resource_link", uri: "file:///etc/hosts", name: "hosts" };
  const file = {
    type: "resource",
    resource: { uri: "file:///a.txt", text: "a", mimeType: "text/plain" },
  };
  const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
  const text = (words: string): Json => ({ type: "text", text: words });
  return [
    request("initialize", {
      protocolVersion: 1,
      clientInfo: { name: "fuzz", version: "1" },
      clientCapabilities: { fs: { readTextFile: true }, elicitation: { form: {} } },
    }),
    request("authenticate", { methodId: "acumen-setup" }),
    request("session/new", { cwd, mcpServers: [], additionalDirectories: [cwd] }),
    request("session/new", { cwd, mcpServers: servers }),
    request("session/load", { sessionId, cwd, mcpServers: [] }),
    request("session/resume", { sessionId, cwd, mcpServers: [] }),
    request("session/list", { cwd, cursor: null }),
    request("session/prompt", { sessionId, prompt: [text("Go."), link, file, image] }),
    request("session/prompt", { sessionId, prompt: [text("/help")] }),
    request("session/prompt", { sessionId, prompt: [text("/mode manual")] }),
    request("session/prompt", { sessionId, prompt: [text("/compact now")], _meta: { a: [1] } }),
    request("session/set_mode", { sessionId, modeId: "safe" }),
    request("session/set_config_option", {
      sessionId,
      configId: "model",
      value: "scripted/inline",
    }),
    request("session/close", { sessionId: `${sessionId}-other` }),
    request("session/delete", { sessionId: `${sessionId}-other` }),
    request("session/cancel", { sessionId }),
    request("$/cancel_request", { requestId: "m-1" }),
    request("_private/thing", { a: 1 }),
  ];
}

const CODES = new Set([-32600, -32601, -32602, -32603, -32800, -32000, -32002]);

/** What is wrong with an answer, if anything. */
function faultOf({ error }: Reply): string | undefined {
  if (error === undefined) return undefined;
  if (!CODES.has(error.code)) return `code ${error.code}`;
  if (typeof error.message !== "string" || error.message === "") return "no message";
  const data = error.data as { code?: unknown } | undefined;
  if (error.code === -32603 && (data?.code === undefined || data.code === "INTERNAL"))
    return `internal: ${JSON.stringify(error).slice(0, 300)}`;
  return undefined;
}

/** A request as JSON-RPC defines it, whose id nobody changed. */
function isRequest(value: Json, id: string): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const message = value as { readonly [key: string]: Json };
  return (
    message["jsonrpc"] === "2.0" && message["id"] === id && typeof message["method"] === "string"
  );
}

test(`${MESSAGES} mutated messages, seed ${SEED}: no crash, no hang, one answer for each request`, async () => {
  await using it = await startFuzzed();
  const opened = await it.ask("new", "session/new", { cwd: it.cwd, mcpServers: [] });
  const { sessionId } = opened.result as { sessionId: string };
  const valid = validMessages(sessionId, it.cwd);
  const random = seededRandom(SEED);
  const expected = new Map<string, string>();
  const counts = (): Map<unknown, number> => {
    const found = new Map<unknown, number>();
    for (const { id } of it.replies) found.set(id, (found.get(id) ?? 0) + 1);
    return found;
  };
  for (let sent = 0; sent < MESSAGES; sent += 1) {
    const id = `m-${sent}`;
    const { method, params } = pick(random, valid) as { method: string; params: Json };
    // Most of the time the envelope stays whole, so that what is behind it is reached.
    const inner = random() < 0.7;
    let changed = params;
    for (let times = inner ? 0 : 3; times <= random() * 3; times += 1)
      changed = mutate(changed, random);
    const whole: Json = { jsonrpc: "2.0", id, method, params: changed };
    const message = inner ? whole : mutate(whole, random);
    if (isRequest(message, id)) expected.set(id, JSON.stringify(message));
    it.send(JSON.stringify(message));
    if (sent % BATCH !== BATCH - 1) continue;
    await it.ask(`alive-${sent}`, "session/list", {});
    const missing = (): string[] => {
      const found = counts();
      return [...expected].filter(([key]) => found.get(key) !== 1).map(([, line]) => line);
    };
    await expect.poll(missing, { timeout: WITHIN_MS }).toEqual([]);
  }
  const faults = it.replies.flatMap((reply) => {
    const fault = faultOf(reply);
    return fault === undefined ? [] : [`${fault} <- ${expected.get(String(reply.id)) ?? "?"}`];
  });
  expect([...new Set(faults)].slice(0, 20)).toEqual([]);
  expect(it.stray).toEqual([]);
  // Neither all refused (then nothing behind the checks was reached) nor all accepted.
  const refused = it.replies.filter(({ error }) => error !== undefined).length;
  expect(refused).toBeGreaterThan(MESSAGES * 0.2);
  expect(refused).toBeLessThan(MESSAGES * 0.9);
  // The session that all of them were about still works.
  const prompt = [{ type: "text", text: "Still there?" }];
  await it.ask("resume", "session/resume", { sessionId, cwd: it.cwd, mcpServers: [] });
  const last = await it.ask("last", "session/prompt", { sessionId, prompt });
  expect(last.result).toEqual({ stopReason: "end_turn" });
});

test("3,000 damaged lines: what is no message is skipped or refused, and the next one is served", async () => {
  await using it = await startFuzzed();
  const opened = await it.ask("new", "session/new", { cwd: it.cwd, mcpServers: [] });
  const { sessionId } = opened.result as { sessionId: string };
  const valid = validMessages(sessionId, it.cwd);
  const random = seededRandom(SEED + 1);
  for (let sent = 0; sent < 3_000; sent += 1) {
    const message = pick(random, valid) as { method: string; params: Json };
    it.send(damage(JSON.stringify({ jsonrpc: "2.0", id: `d-${sent}`, ...message }), random));
    if (sent % BATCH === BATCH - 1) await it.ask(`alive-${sent}`, "session/list", {});
  }
  const codes = new Set(it.replies.map(({ error }) => error?.code));
  expect(
    [...codes].filter((code) => code !== undefined && code !== -32700 && !CODES.has(code)),
  ).toEqual([]);
  expect(codes).toContain(-32700);
  expect(it.stray).toEqual([]);
});
