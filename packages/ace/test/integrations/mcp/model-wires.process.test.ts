import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  lastUserText,
  type ModelFault,
  type ScriptStep,
  startModelServer,
  tempFolder,
} from "@acumen/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { testEngine } from "./support/engine.ts";
import {
  answer,
  learning,
  MODEL_WIRES,
  reflection,
  roleOf,
  startWire,
  update,
  type WireServer,
} from "./support/model-wires.ts";
import { failureOf, replyOf } from "./support/server-process.ts";

/** Neither its beginning nor its end can be in a text by chance. */
const CANARY = "sk-cnryQ7-0123456789-abcdefghijklmnop-Zq~9";
const FRAGMENTS = [CANARY.slice(0, 8), CANARY.slice(-4), CANARY.slice(8, 24)];

/** A hanging request has nothing else to end it: the client package itself waits for minutes. */
const HANG: ScriptStep = { fault: "hang" };
const NOT_JSON: ScriptStep = { text: "Let me think about this in prose." };

const FAULTS: readonly (readonly [ModelFault, kind: string, retryable: boolean])[] = [
  [{ fault: "401" }, "auth", false],
  [{ fault: "404-model" }, "unknown_model", false],
  [{ fault: "429", retryAfter: 0 }, "rate_limit", true],
  [{ fault: "quota" }, "quota", false],
  [{ fault: "503", retryAfter: 0 }, "unavailable", true],
  [{ fault: "context-length" }, "context_length", false],
  [{ fault: "content-filter" }, "content_filter", false],
];

/** Every file below a folder, as one text. */
function filesIn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.name}\n${readFileSync(join(entry.parentPath, entry.name), "utf8")}`)
    .join("\n");
}

describe.each(MODEL_WIRES)("ace-mcp on $model over the wire $name", (wire) => {
  let server: WireServer;
  let root: Awaited<ReturnType<typeof tempFolder>>;
  let session = 0;
  const fresh = (): string => `session-${(session += 1)}`;

  beforeAll(async () => {
    root = await tempFolder("acumen-wires");
    server = await startWire(wire, CANARY, {
      ACE_MCP_SKILLBOOK_ROOT: root.path,
      ACE_MCP_AUTOSAVE: "true",
    });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await root[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    server.answers = learning;
    server.newCalls();
  });

  it("ask, feedback, reflection and update: the next prompt has the new skill in its block", async () => {
    const session_id = fresh();
    const question = "What does a plug cost?";
    const asked = replyOf(await server.call("ace.ask", { session_id, question }));
    expect(asked).toMatchObject({ answer: "42", skill_count: 0 });
    server.answers = (role) => {
      if (role === "reflector") return reflection();
      return update({
        section: "prices",
        content: "Open the price list before naming a price.",
        justification: "Prices change.",
        evidence: "42 instead of 12.50",
        learning_index: 0,
      });
    };
    const feedback = { session_id, question, answer: "42", feedback: "Wrong, it is 12.50." };
    expect(replyOf(await server.call("ace.learn.feedback", feedback))).toMatchObject({
      learned: true,
      new_skill_count: 1,
      skill_count_after: 1,
    });
    server.answers = () => answer({ reasoning: "1. [prices-00001] 12.50.", final_answer: "12.50" });
    const again = await server.call("ace.ask", { session_id, question });
    expect(replyOf(again)).toMatchObject({ answer: "12.50", skill_count: 1 });
    expect(again._meta).toMatchObject({ "acumen/ask": { skill_ids: ["prices-00001"] } });

    const [first, reflected, curated, second, ...more] = server.newCalls();
    expect(more).toEqual([]);
    expect(lastUserText(first ?? fail())).toContain("(empty skillbook)");
    expect(lastUserText(reflected ?? fail())).toMatch(/name="feedback"[^>]*>\nWrong, it is 12\.50/);
    expect(lastUserText(curated ?? fail())).toContain("Open the price list before naming a price.");
    expect(lastUserText(second ?? fail())).toMatch(
      /^<skillbook>\nAdvice [^<]*\n {2}prices-00001\tprices\tOpen the price list before naming a price\.\t0\t0\n<\/skillbook>$/m,
    );
    for (const call of [first, reflected, curated, second]) {
      expect(call).toMatchObject({
        temperature: 0,
        responseFormat: { type: "json", through: "schema" },
      });
      expect(call?.maxOutputTokens).toBeGreaterThanOrEqual(4_096);
    }
    const { skills } = replyOf(await server.call("ace.skillbook.get", { session_id }));
    expect(skills).toMatchObject([{ id: "prices-00001", topic: "prices" }]);
    // The schemas were taken as they are, in the strictest form that the service has.
    expect(server.models.requests.map(({ refusal }) => refusal).filter(Boolean)).toEqual([]);
  });

  it("a wrong answer goes back with what is wrong about it: wrong twice, then right", async () => {
    const replies: ScriptStep[] = [NOT_JSON, { json: { reasoning: "r" } }, answer()];
    server.answers = () => replies.shift() ?? NOT_JSON;
    const args = { session_id: fresh(), question: "What does a plug cost?" };
    expect(replyOf(await server.call("ace.ask", args))).toMatchObject({ answer: "42" });
    const [, second, third, ...more] = server.newCalls();
    expect(more).toEqual([]);
    expect(lastUserText(second ?? fail())).toMatch(/cannot be used: it is not valid JSON/);
    expect(lastUserText(third ?? fail())).toMatch(/cannot be used: final_answer: /);
  });

  it("wrong for ever: that sample fails with invalid_output, the others go on", async () => {
    server.answers = (role, request) =>
      role === "reflector" && JSON.stringify(request.messages).includes("two")
        ? NOT_JSON
        : learning(role, request);
    const samples = ["one", "two", "three"].map((question) => ({ question, ground_truth: "12" }));
    const result = await server.call("ace.learn.sample", { session_id: fresh(), samples });
    expect(replyOf(result)).toMatchObject({ processed: 2, failed: 1, new_skill_count: 2 });
    expect(result._meta).toMatchObject({
      "acumen/learn": {
        first_error: {
          code: "ACE_MCP_PROVIDER_ERROR",
          details: { provider: wire.provider, kind: "invalid_output" },
        },
      },
    });
  });

  it.each(FAULTS)("%j is a provider error of kind %s", async (fault, kind, retryable) => {
    server.answers = () => fault;
    const args = { session_id: fresh(), question: "What does a plug cost?" };
    const error = failureOf(await server.call("ace.ask", args));
    expect(error).toMatchObject({
      code: "ACE_MCP_PROVIDER_ERROR",
      details: { provider: wire.provider, kind, retryable },
    });
    expect(Object.keys(error.details)).toEqual(["provider", "model", "kind", "retryable"]);
  });

  it("a failed feedback is an error and teaches nothing", async () => {
    const session_id = fresh();
    server.answers = (role, request) =>
      role === "skill manager" ? NOT_JSON : learning(role, request);
    const feedback = { session_id, question: "q", answer: "a", feedback: "Wrong." };
    expect(failureOf(await server.call("ace.learn.feedback", feedback))).toMatchObject({
      code: "ACE_MCP_PROVIDER_ERROR",
      details: { kind: "invalid_output" },
    });
    const book = replyOf(await server.call("ace.skillbook.get", { session_id }));
    expect(book).toMatchObject({ skills: [] });
  });

  it.each(["agent", "reflector", "skill manager"] as const)(
    "a cancelled call ends the request of the %s, and nothing is committed afterwards",
    async (slow) => {
      const session_id = fresh();
      const samples = [{ question: "first", ground_truth: "12" }];
      replyOf(await server.call("ace.learn.sample", { session_id, samples }));
      const aborted = server.models.aborted;
      const requests = server.models.requests.length;
      server.answers = (role, request) => (role === slow ? HANG : learning(role, request));
      const client = new AbortController();
      const call = server.call(
        "ace.learn.sample",
        { session_id, samples: [{ question: "second", ground_truth: "12" }] },
        client.signal,
      );
      const ends = expect(call).rejects.toThrow();
      const before = ["agent", "reflector", "skill manager"].indexOf(slow) + 1;
      await server.models.untilRequests(requests + before);
      client.abort();
      await ends;
      await server.models.untilAborted(aborted + 1);
      const { skills } = replyOf(await server.call("ace.skillbook.get", { session_id }));
      expect(skills).toMatchObject([{ content: "Lesson of first" }]);
      expect(server.models.requests).toHaveLength(requests + before);
    },
  );

  it("the key is in nothing that the process gave: results, logs, files", async () => {
    server.answers = () => ({ fault: "401" });
    await server.call("ace.ask", { session_id: fresh(), question: "q" });
    expect(server.models.requests.at(-1)).toMatchObject({ key: "right" });
    const everything = server.said() + filesIn(root.path);
    expect(server.ace.stderr()).not.toBe("");
    expect(filesIn(root.path)).toContain("Lesson of first");
    for (const fragment of FRAGMENTS) expect(everything).not.toContain(fragment);
  });
});

describe.concurrent("a deadline on each wire", () => {
  it.each(MODEL_WIRES)("ends the request of $model; nothing is committed", async (wire) => {
    await using models = await startModelServer({
      wire: wire.name,
      script: (request) => (roleOf(request) === "agent" ? answer() : HANG),
    });
    const engine = testEngine({
      config: { defaultModel: wire.model, learnTimeoutSeconds: 3 },
      env: { [wire.baseUrlVariable]: models.baseUrl, [wire.keyVariable]: CANARY },
    });
    // The first question loads the provider's package, which would eat the deadline of the next call on a busy machine.
    await engine.reply("ace.ask", { session_id: "s", question: "q" });
    const feedback = { session_id: "s", question: "q", answer: "a", feedback: "Wrong." };
    const error = await engine.failure("ace.learn.feedback", feedback);
    expect(error).toMatchObject({ code: "ACE_MCP_TIMEOUT", details: { timeout_seconds: 3 } });
    await models.untilAborted(1);
    expect(models.requests).toHaveLength(2);
    const { skills } = await engine.reply("ace.skillbook.get", { session_id: "s" });
    expect(skills).toEqual([]);
  });
});

function fail(): never {
  throw new Error("the model was asked less often than expected");
}
