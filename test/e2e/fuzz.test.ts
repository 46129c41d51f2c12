import { mkdirSync, readdirSync } from "node:fs";
import { tempFolder } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { samplesOf, startAceMcp, TOOLS } from "./support/ace-mcp.ts";
import { damage, type Json, mutate } from "./support/mutations.ts";
import { pick, seededRandom } from "./support/random.ts";
import type { RpcMessage, WireClient } from "./support/wire-client.ts";

const SEED = 20_261_130;
const CODES = new Set([
  "ACE_MCP_VALIDATION_ERROR",
  "ACE_MCP_SESSION_NOT_FOUND",
  "ACE_MCP_FORBIDDEN_IN_SAFE_MODE",
  "ACE_MCP_SAVE_LOAD_DISABLED",
  "ACE_MCP_PROVIDER_ERROR",
  "ACE_MCP_TIMEOUT",
]);

const [sample] = samplesOf(1);
const VALID: Readonly<Record<(typeof TOOLS)[number], Json>> = {
  "ace.ask": {
    session_id: "f",
    question: "Which team gets an invoice?",
    context: "teams",
    session_config: { model: "builtin/recall", temperature: 0.5, max_tokens: 100 },
    metadata: { origin: "fuzz", depth: { deep: [1, 2] } },
  },
  "ace.learn.sample": {
    session_id: "f",
    samples: [{ ...sample, metadata: { n: 1 } }],
    epochs: 1,
  },
  "ace.learn.feedback": {
    session_id: "f",
    question: "Which team gets an invoice?",
    answer: "billing",
    feedback: "correct",
    ground_truth: "billing",
  },
  "ace.skillbook.get": { session_id: "f", limit: 3, include_invalid: true },
  "ace.skillbook.save": { session_id: "f", path: "book.json" },
  "ace.skillbook.load": { session_id: "f", path: "book.json" },
};

/** Fails unless the server still answers, which it must after whatever was sent. */
async function alive(client: WireClient): Promise<void> {
  const reply = await client.requestAs(`alive-${client.messages.length}`, "ping");
  expect(reply.result).toEqual({});
}

async function startFuzzed(root: string): Promise<WireClient> {
  const client = await startAceMcp({ root, env: { ACE_MCP_LOG_LEVEL: "ERROR" } });
  await client.call("ace.learn.sample", { session_id: "f", samples: samplesOf(8) });
  await client.call("ace.skillbook.save", { session_id: "f", path: "book.json" });
  return client;
}

/** What is wrong with the answer to a mutated `tools/call`, if anything. */
function faultOf(reply: RpcMessage): string | undefined {
  if (reply.error !== undefined)
    return reply.error.code === -32_602 ? undefined : `protocol error ${reply.error.code}`;
  const { isError, content, structuredContent } = reply.result ?? {};
  const text = (content as { text: string }[])[0]?.text ?? "";
  const body = JSON.parse(text) as { code?: string; message?: string; details?: unknown };
  if (isError !== true)
    return structuredContent === undefined ? "no structured content" : undefined;
  if (structuredContent !== undefined) return "structured content in an error";
  if (!CODES.has(body.code ?? "")) return `code ${body.code}`;
  if (typeof body.message !== "string" || body.message === "") return "no message";
  return typeof body.details === "object" ? undefined : "no details";
}

describe(`wire fuzz, seed ${SEED}`, () => {
  test("5,000 calls with mutated arguments: each is answered by a result or a coded error, never an internal one", async () => {
    await using folder = await tempFolder("acumen-fuzz");
    const root = folder.join("root");
    mkdirSync(root);
    await using client = await startFuzzed(root);
    const random = seededRandom(SEED);
    const faults: string[] = [];
    let errors = 0;
    for (let batch = 0; batch < 50; batch += 1) {
      const sent = Array.from({ length: 100 }, async (_, index) => {
        const name = pick(random, TOOLS);
        let args = VALID[name];
        for (let times = 0; times <= random() * 3; times += 1) args = mutate(args, random);
        const params = { name, arguments: args };
        const reply = await client.requestAs(`m-${batch}-${index}`, "tools/call", params, 120_000);
        const fault = faultOf(reply);
        if (fault !== undefined) faults.push(`${fault}: ${JSON.stringify(params).slice(0, 300)}`);
        if (reply.result?.["isError"] === true || reply.error !== undefined) errors += 1;
      });
      await Promise.all(sent);
      await alive(client);
    }
    expect(faults).toEqual([]);
    // Neither all refused (then nothing behind the checks was reached) nor all accepted.
    expect(errors).toBeGreaterThan(1_000);
    expect(errors).toBeLessThan(4_500);
    expect(client.noise).toEqual([]);
    expect(readdirSync(folder.path)).toEqual(["root"]);
    expect(await client.close()).toMatchObject({ code: 0 });
  });

  test("2,000 messages with a mutated envelope: each that is still a request is answered once", async () => {
    await using folder = await tempFolder("acumen-fuzz-envelope");
    await using client = await startFuzzed(folder.path);
    const random = seededRandom(SEED + 1);
    const expected = new Map<string, string>();
    for (let batch = 0; batch < 20; batch += 1) {
      for (let index = 0; index < 100; index += 1) {
        const id = `e-${batch}-${index}`;
        const name = pick(random, TOOLS);
        const message = {
          jsonrpc: "2.0",
          id,
          method: "tools/call",
          params: { name, arguments: VALID[name], _meta: { progressToken: id } },
        };
        const mutated = mutate(message, random);
        const line = JSON.stringify(mutated);
        client.send(line);
        if (isRequest(mutated) && mutated.id === id) expected.set(id, line);
      }
      await alive(client);
    }
    const answered = (): Map<unknown, number> => {
      const counts = new Map<unknown, number>();
      for (const { id, result, error } of client.messages)
        if (result !== undefined || error !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
      return counts;
    };
    const missing = (): string[] => {
      const counts = answered();
      return [...expected].filter(([id]) => counts.get(id) !== 1).map(([, line]) => line);
    };
    for (let waited = 0; waited < 100 && missing().length > 0; waited += 1)
      await new Promise((resolve) => setTimeout(resolve, 100));
    expect(missing()).toEqual([]);
    expect(expected.size).toBeGreaterThan(300);
    expect(client.noise).toEqual([]);
    expect(await client.close()).toMatchObject({ code: 0 });
  });

  test("3,000 damaged lines: the server skips what is no message and serves the next one", async () => {
    await using folder = await tempFolder("acumen-fuzz-bytes");
    await using client = await startFuzzed(folder.path);
    const random = seededRandom(SEED + 2);
    for (let batch = 0; batch < 30; batch += 1) {
      for (let index = 0; index < 100; index += 1) {
        const name = pick(random, TOOLS);
        const line = JSON.stringify({
          jsonrpc: "2.0",
          id: `d-${batch}-${index}`,
          method: "tools/call",
          params: { name, arguments: VALID[name] },
        });
        client.send(damage(line, random));
      }
      await alive(client);
    }
    // Bytes that are no UTF-8 at all.
    client.process.child.stdin.write(Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28, 0x0a]));
    await alive(client);
    expect(client.noise).toEqual([]);
    expect(await client.close()).toMatchObject({ code: 0 });
  });

  test("a line of 11 MB is answered, so is the next; nesting of 100,000 levels ends nothing", async () => {
    await using folder = await tempFolder("acumen-fuzz-large");
    await using client = await startFuzzed(folder.path);
    const large = await client.call("ace.ask", {
      session_id: "f",
      question: "x".repeat(11 * 1024 * 1024),
    });
    expect(large.body).toMatchObject({ code: "ACE_MCP_VALIDATION_ERROR" });
    await alive(client);
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    client.send(
      `{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{"name":"ace.ask","arguments":{"session_id":"f","question":"q","metadata":{"deep":${deep}}}}}`,
    );
    await alive(client);
    const asked = await client.call("ace.ask", { session_id: "f", question: "Still there?" });
    expect(asked.isError).toBe(false);
    const answer = client.messages.find((message) => message.id === "deep");
    expect(answer?.error ?? answer?.result).toBeDefined();
  });
});

/** A request as the protocol defines it. The SDK skips everything else as it skips a malformed line. */
function isRequest(value: Json): value is { id: string } {
  if (!isObject(value)) return false;
  const { jsonrpc, method, id, params, ...extra } = value;
  const isId = typeof id === "string" || Number.isSafeInteger(id);
  const known = jsonrpc === "2.0" && typeof method === "string" && isId;
  return known && Object.keys(extra).length === 0 && (params === undefined || hasGoodMeta(params));
}

function hasGoodMeta(params: Json): boolean {
  if (!isObject(params)) return false;
  const { _meta } = params;
  if (_meta === undefined) return true;
  if (!isObject(_meta)) return false;
  const { progressToken } = _meta;
  const isToken = typeof progressToken === "string" || Number.isSafeInteger(progressToken);
  return progressToken === undefined || isToken;
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
