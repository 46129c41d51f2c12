import { sourceCommand, startProcess, tempFolder } from "@acumen/testkit";
import { writeFile } from "node:fs/promises";
import { describe, expect, it, vi } from "vitest";
import { TOOL_NAMES } from "../../../src/integrations/mcp/tool-names.ts";
import { Skillbook } from "../../../src/skillbook/skillbook.ts";
import { testEngine } from "./support/engine.ts";
import { connectInMemory } from "./support/in-memory.ts";
import { BIN, startServer } from "./support/server-process.ts";
import { addSkills, askResult, stubFactory } from "./support/stub-runner.ts";

// Several processes start here, each from sources; a busy machine takes its time over them.
vi.setConfig({ testTimeout: 60_000 });

const ASK = { session_id: "s", question: "q" };
const learning = (id: string, question: string, truth: string) => ({
  session_id: id,
  samples: [{ question, ground_truth: truth }],
});

describe("functional requirements of the specification", () => {
  it("FR-001 and FR-010: a command serves MCP over stdio, starts, registers its tools and answers a real client", async () => {
    await using server = await startServer();
    const { tools } = await server.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([...TOOL_NAMES]);
    expect(await server.reply("ace.ask", ASK)).toMatchObject({ session_id: "s", skill_count: 0 });
  });

  it("FR-002: exposes the six tools", async () => {
    await using connection = await connectInMemory();
    const { tools } = await connection.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "ace.ask",
      "ace.learn.sample",
      "ace.learn.feedback",
      "ace.skillbook.get",
      "ace.skillbook.save",
      "ace.skillbook.load",
    ]);
  });

  it("FR-003: validates every request and every response against typed schemas", async () => {
    const engine = testEngine();
    for (const tool of TOOL_NAMES) {
      const error = await engine.failure(tool, { session_id: "s", unknown: true });
      expect(error.code).toBe("ACE_MCP_VALIDATION_ERROR");
      expect(JSON.stringify(error.details["issues"])).toContain('"path":"unknown"');
    }
    const broken = stubFactory(() => ({ ask: async () => ({ ...askResult, skillCount: -1 }) }));
    await using connection = await connectInMemory({ createRunner: broken.create });
    expect(await connection.failure("ace.ask", ASK)).toMatchObject({
      code: "ACE_MCP_INTERNAL_ERROR",
    });
  });

  it("FR-004: isolates state by session_id", async () => {
    const engine = testEngine();
    await engine.reply(
      "ace.learn.sample",
      learning("a", "What is the capital of France?", "Paris"),
    );
    const question = "What is the capital of France?";
    expect(await engine.reply("ace.ask", { session_id: "a", question })).toMatchObject({
      answer: "Paris",
      skill_count: 1,
    });
    const other = await engine.reply("ace.ask", { session_id: "b", question });
    expect(other).toMatchObject({ skill_count: 0 });
    expect(other["answer"]).not.toContain("Paris");
  });

  it("FR-005: builds a session's runner at its first use, with the model that was asked for", async () => {
    const stub = stubFactory();
    const engine = testEngine({ createRunner: stub.create });
    expect(stub.calls).toEqual([]);
    await engine.reply("ace.ask", { ...ASK, session_config: { model: "m", max_tokens: 5 } });
    expect(stub.calls[0]).toEqual({ method: "build", settings: { model: "m", maxTokens: 5 } });
  });

  it("FR-006: safe mode refuses learning, saving and loading, and leaves asking and reading", async () => {
    const engine = testEngine({ config: { safeMode: true } });
    const refused = {
      "ace.learn.sample": learning("s", "q", "t"),
      "ace.learn.feedback": { ...ASK, answer: "a", feedback: "f" },
      "ace.skillbook.save": { session_id: "s", path: "a.json" },
      "ace.skillbook.load": { session_id: "s", path: "a.json" },
    } as const;
    await engine.reply("ace.ask", ASK);
    await engine.reply("ace.skillbook.get", { session_id: "s" });
    for (const tool of Object.keys(refused) as (keyof typeof refused)[]) {
      expect(await engine.failure(tool, refused[tool])).toMatchObject({
        code: "ACE_MCP_FORBIDDEN_IN_SAFE_MODE",
        details: { tool_name: tool },
      });
    }
  });

  it("FR-007: maps failures to stable codes with message and details", async () => {
    const stub = stubFactory(() => ({
      ask: async () => {
        throw new Error("a bug with /secret/path");
      },
    }));
    await using connection = await connectInMemory({ createRunner: stub.create });
    const error = await connection.failure("ace.ask", ASK);
    expect(error.code).toBe("ACE_MCP_INTERNAL_ERROR");
    expect(error.message).not.toContain("secret");
    expect(Object.keys(error.details)).toEqual(["correlation_id"]);
  });

  it("FR-008: caps samples, characters of a prompt and characters of a call", async () => {
    const engine = testEngine({
      config: { maxSamplesPerCall: 2, maxPromptChars: 10, maxCallChars: 15 },
    });
    const samples = (...questions: string[]) => ({
      session_id: "s",
      samples: questions.map((question) => ({ question })),
    });
    const fieldOf = async (args: object): Promise<unknown> =>
      (await engine.failure("ace.learn.sample", args)).details["field"];
    expect(await fieldOf(samples("1", "2", "3"))).toBe("samples");
    expect(await fieldOf(samples("1", "12345678901"))).toBe("samples[1]");
    expect(await fieldOf(samples("1234567890", "123456"))).toBe("call");
  });

  it("FR-009, NFR-004 and 5.5 #37, deliberately different in the package name: without the MCP package everything else imports and works, and ace-mcp names what to install", async () => {
    await using folder = await tempFolder();
    const blocker = await withoutSdk(folder.join("hook.mjs"));
    const script = folder.join("engine.mts");
    const source = (path: string): string =>
      JSON.stringify(new URL(`../../../src/${path}`, import.meta.url).href);
    await writeFile(
      script,
      `import { Ace } from ${source("index.ts")};
      import { CONFIG_ROWS, serve } from ${source("integrations/mcp/index.ts")};
      const ace = await Ace.fromModel("builtin/recall");
      await ace.learn([{ question: "What is the capital of France?", groundTruth: "Paris" }]);
      const { answer } = await ace.ask("What is the capital of France?");
      process.stdout.write(answer + " " + CONFIG_ROWS.length + " " + typeof serve);`,
    );
    await using engine = startProcess(sourceCommand(script), { env: blocker });
    await using server = startProcess(sourceCommand(BIN), { env: blocker });
    expect(await engine.exited).toEqual({ code: 0, signal: null });
    expect(engine.stdout()).toBe("Paris 16 function");
    expect(await server.exited).toEqual({ code: 1, signal: null });
    expect(server.stdout()).toBe("");
    expect(server.stderr()).toBe(
      "ace-mcp: serving MCP needs the optional package @modelcontextprotocol/server, which is not installed. Install it: npm install @modelcontextprotocol/server\n",
    );
  });

  it("FR-010: every tool succeeds at the handler", async () => {
    await using folder = await tempFolder();
    const engine = testEngine({ config: { skillbookRoot: folder.path } });
    const learned = await engine.reply("ace.learn.sample", learning("s", "2 + 2?", "4"));
    expect(learned).toMatchObject({ processed: 1, failed: 0, new_skill_count: 1 });
    const feedback = { session_id: "s", question: "3 + 3?", answer: "5", feedback: "Wrong." };
    expect(
      await engine.reply("ace.learn.feedback", { ...feedback, ground_truth: "6" }),
    ).toMatchObject({ learned: true });
    expect(await engine.reply("ace.ask", { session_id: "s", question: "2 + 2?" })).toMatchObject({
      answer: "4",
    });
    expect(await engine.reply("ace.skillbook.get", { session_id: "s" })).toMatchObject({
      stats: { skills: 2 },
    });
    const place = { session_id: "s", path: "a.json" };
    expect(await engine.reply("ace.skillbook.save", place)).toMatchObject({ saved_skill_count: 2 });
    expect(await engine.reply("ace.skillbook.load", place)).toMatchObject({ skill_count: 2 });
  });
});

describe("non-functional requirements of the specification", () => {
  it("NFR-001: ace.ask takes less than 2 s at the median with 1,000 skills, a model aside", async () => {
    await using folder = await tempFolder();
    const book = new Skillbook();
    addSkills(
      book,
      ...Array.from({ length: 1_000 }, (_, index) => `Rule ${index}\nAnswer: value ${index}`),
    );
    await writeFile(folder.join("a.json"), JSON.stringify(book.toRecord()));
    await using connection = await connectInMemory();
    await connection.reply("ace.skillbook.load", { session_id: "s", path: folder.join("a.json") });
    const times: number[] = [];
    for (let round = 0; round < 9; round += 1) {
      const started = performance.now();
      await connection.reply("ace.ask", {
        session_id: "s",
        question: `What does rule ${round} say?`,
      });
      times.push(performance.now() - started);
    }
    expect(times.toSorted((a, b) => a - b)[4]).toBeLessThan(2_000);
  });

  it("NFR-002: concurrent calls of one session lose nothing", async () => {
    const engine = testEngine();
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        engine.reply(
          "ace.learn.sample",
          learning("s", `Which code has item ${index}?`, `C${index}`),
        ),
      ),
    );
    expect(replies.map((reply) => reply["new_skill_count"])).toEqual(replies.map(() => 1));
    const { stats, skills } = await engine.reply("ace.skillbook.get", { session_id: "s" });
    expect(stats).toMatchObject({ skills: 20 });
    expect(new Set((skills as { id: string }[]).map(({ id }) => id)).size).toBe(20);
  });

  it("NFR-003: a bad configuration ends the start with every bad variable in one message", async () => {
    await using server = startProcess(sourceCommand(BIN), {
      env: { ACE_MCP_SAFE_MODE: "maybe", ACE_MCP_LOG_LEVEL: "LOUD" },
    });
    expect(await server.exited).toEqual({ code: 2, signal: null });
    expect(server.stdout()).toBe("");
    expect(server.stderr()).toContain("ACE_MCP_SAFE_MODE: expected true or false");
    expect(server.stderr()).toContain("ACE_MCP_LOG_LEVEL: expected one of DEBUG");
    expect(server.stderr()).not.toContain("    at ");
  });
});

/** NODE_OPTIONS under which `@modelcontextprotocol/*` is not found, as on a machine that never installed it. */
async function withoutSdk(path: string): Promise<Record<string, string>> {
  const hook = `export async function resolve(specifier, context, next) {
    if (!specifier.startsWith("@modelcontextprotocol/")) return next(specifier, context);
    const name = specifier.split("/").slice(0, 2).join("/");
    const error = new Error("Cannot find package '" + name + "' imported from " + context.parentURL);
    throw Object.assign(error, { code: "ERR_MODULE_NOT_FOUND" });
  }`;
  await writeFile(
    path,
    `import { register } from "node:module";
    register("data:text/javascript,${encodeURIComponent(hook)}");`,
  );
  return { NODE_OPTIONS: `--import ${path}` };
}
