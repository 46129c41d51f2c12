import { tempFolder } from "@acumen/testkit";
import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it, vi } from "vitest";
import { Skillbook } from "../../../src/skillbook/skillbook.ts";
import { testEngine } from "./support/engine.ts";
import {
  addSkills,
  askResult,
  feedbackReport,
  learnReport,
  stubFactory,
  untilAbort,
} from "./support/stub-runner.ts";

const ASK = { session_id: "s", question: "q" };
const SAMPLES = { session_id: "s", samples: [{ question: "q1" }, { question: "q2" }] };
const FEEDBACK = { session_id: "s", question: "q", answer: "a", feedback: "f" };

describe("ace.ask", () => {
  it("5.5 #7: builds the runner once, with exactly the default model", async () => {
    const stub = stubFactory();
    const engine = testEngine({ createRunner: stub.create });
    await engine.reply("ace.ask", ASK);
    await engine.reply("ace.ask", ASK);
    expect(stub.calls.filter(({ method }) => method === "build")).toEqual([
      { method: "build", settings: { model: "builtin/recall" } },
    ]);
  });

  it("5.5 #12: passes the answer through; there is no applied_skill_ids in the reply", async () => {
    const stub = stubFactory();
    const engine = testEngine({ createRunner: stub.create });
    expect(await engine.reply("ace.ask", ASK)).toEqual({
      session_id: "s",
      answer: "42",
      skill_count: 3,
    });
    expect(stub.count("ask")).toBe(1);
  });

  it("tells the model, the interaction and the cited skills beside the reply", async () => {
    const stub = stubFactory(() => ({
      ask: async () => ({ ...askResult, skillIds: ["a-00001"] }),
    }));
    const engine = testEngine({ createRunner: stub.create });
    expect((await engine.call("ace.ask", ASK)).meta).toEqual({
      "acumen/session": { model: "builtin/recall" },
      "acumen/ask": { interaction_id: "interaction-1", skill_ids: ["a-00001"] },
    });
  });

  it("5.5 #13: refuses a question over max_prompt_chars before any runner is built", async () => {
    const stub = stubFactory();
    const engine = testEngine({ createRunner: stub.create, config: { maxPromptChars: 10 } });
    const error = await engine.failure("ace.ask", { session_id: "s", question: "x".repeat(11) });
    expect(error.code).toBe("ACE_MCP_VALIDATION_ERROR");
    expect(error.details).toMatchObject({ char_count: 11, max_prompt_chars: 10 });
    expect(stub.calls).toEqual([]);
  });

  it("has a deadline that stops the work", async () => {
    const stub = stubFactory(() => ({ ask: async (_question, { signal }) => untilAbort(signal) }));
    const engine = testEngine({ createRunner: stub.create, config: { askTimeoutSeconds: 0.02 } });
    const error = await engine.failure("ace.ask", ASK);
    expect(error).toMatchObject({
      code: "ACE_MCP_TIMEOUT",
      details: { timeout_seconds: 0.02 },
      retryable: true,
    });
  });

  it("uses session_config when it builds the runner, and says when it came too late", async () => {
    const stub = stubFactory();
    const engine = testEngine({ createRunner: stub.create });
    const config = { model: "openai/x", temperature: 0.5, max_tokens: 7 };
    const first = await engine.call("ace.ask", { ...ASK, session_config: config });
    expect(first.meta).toMatchObject({ "acumen/session": { model: "openai/x" } });
    expect(stub.calls[0]).toEqual({
      method: "build",
      settings: { model: "openai/x", temperature: 0.5, maxTokens: 7 },
    });
    const second = await engine.call("ace.ask", { ...ASK, session_config: { model: "other" } });
    expect(second.meta).toMatchObject({
      "acumen/session": { model: "openai/x", ignored: true },
    });
    expect(stub.count("build")).toBe(1);
  });

  it("refuses a question of blanks", async () => {
    const engine = testEngine();
    const error = await engine.failure("ace.ask", { session_id: "s", question: "  " });
    expect(error.details).toMatchObject({ issues: [{ path: "question" }] });
  });

  it("leaves no heartbeat behind", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const engine = testEngine({ createRunner: stubFactory().create });
      const context = { signal: new AbortController().signal, sendProgress: async () => undefined };
      await engine.handlers.call("ace.ask", ASK, context);
      await engine.handlers.call("ace.learn.sample", SAMPLES, context);
      await engine.handlers.call("ace.learn.feedback", FEEDBACK, context);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it("leaves no session behind when its model cannot be built", async () => {
    const engine = testEngine({ config: { defaultModel: "gpt-4o-mini" } });
    const error = await engine.failure("ace.ask", ASK);
    expect(error).toMatchObject({ code: "MODEL_FAILED", details: { kind: "auth" } });
    expect(engine.registry.size).toBe(0);
    await engine.reply("ace.ask", { ...ASK, session_config: { model: "builtin/recall" } });
  });

  it("refuses scripted models from the wire", async () => {
    const engine = testEngine();
    const error = await engine.failure("ace.ask", {
      ...ASK,
      session_config: { model: "scripted/x" },
    });
    expect(error.details).toEqual({ field: "session_config.model", model: "scripted/x" });
  });
});

describe("every tool", () => {
  it("is checked in one order: schema, safe mode, save/load switch, sizes, path, session", async () => {
    await using folder = await tempFolder();
    const bad = { session_id: "none", path: `../${"x".repeat(10_001)}` };
    const codes: string[] = [];
    const next = async (args: object, config: object): Promise<void> => {
      const engine = testEngine({ config: { skillbookRoot: folder.path, ...config } });
      const error = await engine.failure("ace.skillbook.save", args);
      const { issues, field, skillbook_root: root } = error.details;
      if (issues !== undefined) codes.push("schema");
      else if (root !== undefined) codes.push("path");
      else codes.push(field === "path" ? "size" : error.code);
    };
    await next({ ...bad, extra: 1 }, { safeMode: true, allowSaveLoad: false });
    await next(bad, { safeMode: true, allowSaveLoad: false });
    await next(bad, { allowSaveLoad: false });
    await next(bad, {});
    await next({ ...bad, path: "../x.json" }, {});
    await next({ ...bad, path: "x.json" }, {});
    expect(codes).toEqual([
      "schema",
      "ACE_MCP_FORBIDDEN_IN_SAFE_MODE",
      "ACE_MCP_SAVE_LOAD_DISABLED",
      "size",
      "path",
      "ACE_MCP_SESSION_NOT_FOUND",
    ]);
  });

  it("counts its deadline from the moment at which the session is free", async () => {
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const stub = stubFactory(() => ({
      learn: async () => {
        await finished;
        return learnReport;
      },
    }));
    const engine = testEngine({ createRunner: stub.create, config: { askTimeoutSeconds: 0.5 } });
    const learning = engine.reply("ace.learn.sample", SAMPLES);
    const asking = engine.reply("ace.ask", ASK);
    setTimeout(finish, 700);
    expect(await asking).toMatchObject({ answer: "42" });
    await learning;
  });
});

describe("ace.learn.sample", () => {
  it("5.5 #16: is forbidden in safe mode, but a bad schema is told first", async () => {
    const engine = testEngine({ config: { safeMode: true } });
    expect(await engine.failure("ace.learn.sample", SAMPLES)).toMatchObject({
      code: "ACE_MCP_FORBIDDEN_IN_SAFE_MODE",
      details: { tool_name: "ace.learn.sample" },
    });
    expect(await engine.failure("ace.learn.sample", {})).toMatchObject({
      code: "ACE_MCP_VALIDATION_ERROR",
    });
    expect(await engine.failure("ace.learn.feedback", FEEDBACK)).toMatchObject({
      code: "ACE_MCP_FORBIDDEN_IN_SAFE_MODE",
    });
    await engine.reply("ace.ask", ASK);
  });

  it("5.5 #17: names a configured limit below the schema's", async () => {
    const engine = testEngine({ config: { maxSamplesPerCall: 1 } });
    expect(await engine.failure("ace.learn.sample", SAMPLES)).toMatchObject({
      code: "ACE_MCP_VALIDATION_ERROR",
      details: { field: "samples", sample_count: 2, max_samples_per_call: 1 },
    });
  });

  it("5.5 #18: names the sample that is too long in its message", async () => {
    const engine = testEngine({ config: { maxPromptChars: 5 } });
    const error = await engine.failure("ace.learn.sample", {
      session_id: "session-1",
      samples: [{ question: "12345" }, { question: "123456" }],
    });
    expect(error.message).toContain("samples[1]");
  });

  it("5.5 #19: reports counts and calls learn once", async () => {
    const stub = stubFactory(() => ({
      learn: async () => ({
        ...learnReport,
        processed: 2,
        skillCountBefore: 1,
        skillCountAfter: 3,
        newSkillCount: 2,
      }),
    }));
    const engine = testEngine({ createRunner: stub.create });
    expect(await engine.reply("ace.learn.sample", SAMPLES)).toEqual({
      session_id: "s",
      processed: 2,
      failed: 0,
      skill_count_before: 1,
      skill_count_after: 3,
      new_skill_count: 2,
    });
    expect(stub.count("learn")).toBe(1);
  });

  it("5.5 #20: reports one failure of two as processed 1, failed 1", async () => {
    const stub = stubFactory(() => ({
      learn: async () => ({ ...learnReport, processed: 1, failed: 1 }),
    }));
    const engine = testEngine({ createRunner: stub.create });
    expect(await engine.reply("ace.learn.sample", SAMPLES)).toMatchObject({
      processed: 1,
      failed: 1,
    });
  });

  it("5.5 #21: ends at the deadline and tells what had finished", async () => {
    const stub = stubFactory((book) => ({
      learn: async (_samples, { signal }) => {
        addSkills(book, "learned before the deadline");
        await untilAbort(signal).catch(() => undefined);
        return { ...learnReport, processed: 1, failed: 1, skillCountAfter: 1, aborted: true };
      },
    }));
    const engine = testEngine({ createRunner: stub.create, config: { learnTimeoutSeconds: 0.02 } });
    expect(await engine.failure("ace.learn.sample", SAMPLES)).toMatchObject({
      code: "ACE_MCP_TIMEOUT",
      details: { timeout_seconds: 0.02, processed: 1, failed: 1, skill_count_after: 1 },
    });
    expect(await engine.reply("ace.skillbook.get", { session_id: "s" })).toMatchObject({
      stats: { skills: 1 },
    });
  });

  it("is a provider error when every sample failed for the provider's sake", async () => {
    const { modelError } = await import("@acumen/models");
    const firstError = modelError("down", { provider: "p", model: "m", kind: "unavailable" });
    const stub = stubFactory(() => ({
      learn: async () => ({ ...learnReport, processed: 0, failed: 2, firstError }),
    }));
    const engine = testEngine({ createRunner: stub.create });
    expect(await engine.failure("ace.learn.sample", SAMPLES)).toBe(firstError);
  });

  it("is a normal reply when every sample failed for another reason", async () => {
    const { aceError } = await import("../../../src/errors.ts");
    const firstError = aceError("ACE_TRACE_INVALID", "odd");
    const stub = stubFactory(() => ({
      learn: async () => ({ ...learnReport, processed: 0, failed: 2, firstError }),
    }));
    const engine = testEngine({ createRunner: stub.create });
    const { reply, meta } = await engine.call("ace.learn.sample", SAMPLES);
    expect(reply).toMatchObject({ processed: 0, failed: 2 });
    expect(meta).toMatchObject({
      "acumen/learn": { first_error: { code: "ACE_TRACE_INVALID", message: "odd" } },
    });
  });

  it("passes question, context, ground truth, metadata and epochs on", async () => {
    const stub = stubFactory();
    const engine = testEngine({ createRunner: stub.create });
    const sample = { question: "q", context: "c", ground_truth: "t", metadata: { a: 1 } };
    await engine.reply("ace.learn.sample", { session_id: "s", samples: [sample], epochs: 3 });
    const call = stub.calls.find(({ method }) => method === "learn");
    expect(call).toMatchObject({
      args: [
        [{ question: "q", context: "c", groundTruth: "t", metadata: { a: 1 } }],
        { epochs: 3 },
      ],
    });
  });

  it("stops when the client cancels", async () => {
    const stub = stubFactory(() => ({
      learn: async (_samples, { signal }) => {
        await untilAbort(signal).catch(() => undefined);
        return { ...learnReport, processed: 0, failed: 2, aborted: true };
      },
    }));
    const engine = testEngine({ createRunner: stub.create });
    const client = new AbortController();
    const learning = engine.call("ace.learn.sample", SAMPLES, client.signal);
    await expect.poll(() => stub.count("learn")).toBe(1);
    client.abort();
    await expect(learning).rejects.toMatchObject({ code: "CORE_ABORTED" });
  });
});

describe("ace.learn.feedback", () => {
  it("5.5 #22 and #23, deliberately different: one call of the runner, which ties or builds a trace by itself; learned is true", async () => {
    const stub = stubFactory(() => ({
      learnFromFeedback: async () => ({ ...feedbackReport, newSkillCount: 1, skillCountAfter: 1 }),
    }));
    const engine = testEngine({ createRunner: stub.create });
    expect(await engine.reply("ace.learn.feedback", FEEDBACK)).toEqual({
      session_id: "s",
      learned: true,
      skill_count_before: 0,
      skill_count_after: 1,
      new_skill_count: 1,
    });
    expect(stub.count("learnFromFeedback")).toBe(1);
    const quiet = testEngine({ createRunner: stubFactory().create });
    expect(await quiet.reply("ace.learn.feedback", FEEDBACK)).toMatchObject({
      learned: true,
      new_skill_count: 0,
    });
  });

  it("5.5 #24: hands context on as context, and no reasoning", async () => {
    const stub = stubFactory();
    const engine = testEngine({ createRunner: stub.create });
    await engine.reply("ace.learn.feedback", { ...FEEDBACK, context: "c", ground_truth: "t" });
    const call = stub.calls.find(({ method }) => method === "learnFromFeedback");
    const [given] = call !== undefined && "args" in call ? call.args : [];
    expect(given).toMatchObject({ context: "c", groundTruth: "t", answer: "a", feedback: "f" });
    expect(given).not.toHaveProperty("reasoning");
  });

  it("5.5 #25: counts ground truth toward the size limit", async () => {
    const engine = testEngine({ config: { maxPromptChars: 10 } });
    const error = await engine.failure("ace.learn.feedback", {
      ...FEEDBACK,
      ground_truth: "x".repeat(8),
    });
    expect(error.details).toMatchObject({ char_count: 11, max_prompt_chars: 10 });
  });

  it("has one deadline for the whole call", async () => {
    const stub = stubFactory(() => ({
      learnFromFeedback: async ({ signal }) => await untilAbort(signal),
    }));
    const engine = testEngine({ createRunner: stub.create, config: { learnTimeoutSeconds: 0.02 } });
    expect(await engine.failure("ace.learn.feedback", FEEDBACK)).toMatchObject({
      code: "ACE_MCP_TIMEOUT",
      details: { timeout_seconds: 0.02 },
    });
  });
});

describe("ace.skillbook.get", () => {
  const learned = () =>
    stubFactory((book) => ({
      learn: async () => {
        addSkills(book, "first", "second", "third", "gone");
        const [first, second, , gone] = book.skills();
        book.apply([
          { type: "TAG", skillId: second?.id, tag: "helpful" },
          { type: "TAG", skillId: first?.id, tag: "harmful" },
          { type: "REMOVE", skillId: gone?.id },
        ]);
        return learnReport;
      },
    }));

  it("5.5 #14 and #15, deliberately different: topic is the section, counters are numbers, best first, with totals", async () => {
    const engine = testEngine({ createRunner: learned().create });
    await engine.reply("ace.learn.sample", SAMPLES);
    const reply = await engine.reply("ace.skillbook.get", { session_id: "s", limit: 2 });
    expect(reply["stats"]).toMatchObject({
      skills: 3,
      invalid: 1,
      sections: 1,
      by_section: { general: 3 },
      tags: { helpful: 1, harmful: 1, neutral: 0 },
      returned: 2,
      total: 3,
    });
    expect(reply["skills"]).toEqual([
      {
        id: "general-00002",
        content: "second",
        topic: "general",
        helpful: 1,
        harmful: 0,
        neutral: 0,
      },
      {
        id: "general-00003",
        content: "third",
        topic: "general",
        helpful: 0,
        harmful: 0,
        neutral: 0,
      },
    ]);
  });

  it("tells invalid skills from active ones when both are wanted", async () => {
    const engine = testEngine({ createRunner: learned().create });
    await engine.reply("ace.learn.sample", SAMPLES);
    const reply = await engine.reply("ace.skillbook.get", {
      session_id: "s",
      include_invalid: true,
    });
    expect(reply["stats"]).toMatchObject({ returned: 4, total: 4, skills: 3 });
    const skills = reply["skills"] as { id: string; status: string }[];
    expect(skills.filter(({ status }) => status === "invalid")).toHaveLength(1);
  });

  it("knows no session that was never made", async () => {
    const engine = testEngine();
    expect(await engine.failure("ace.skillbook.get", { session_id: "none" })).toMatchObject({
      code: "ACE_MCP_SESSION_NOT_FOUND",
      details: { session_id: "none" },
    });
  });
});

describe("ace.skillbook.save and load", () => {
  it("5.5 #26: are forbidden in safe mode, also when saving is switched off besides", async () => {
    const engine = testEngine({ config: { safeMode: true, allowSaveLoad: false } });
    for (const tool of ["ace.skillbook.save", "ace.skillbook.load"] as const) {
      expect(await engine.failure(tool, { session_id: "s", path: "x.json" })).toMatchObject({
        code: "ACE_MCP_FORBIDDEN_IN_SAFE_MODE",
        details: { tool_name: tool },
      });
    }
  });

  it("5.5 #27: are refused when switched off", async () => {
    const engine = testEngine({ config: { allowSaveLoad: false } });
    for (const tool of ["ace.skillbook.save", "ace.skillbook.load"] as const) {
      expect(await engine.failure(tool, { session_id: "s", path: "x.json" })).toMatchObject({
        code: "ACE_MCP_SAVE_LOAD_DISABLED",
        details: { tool_name: tool },
      });
    }
  });

  it("5.5 #28: are refused outside the root, before the session is looked for", async () => {
    await using folder = await tempFolder();
    const engine = testEngine({ config: { skillbookRoot: folder.path } });
    for (const tool of ["ace.skillbook.save", "ace.skillbook.load"] as const) {
      expect(await engine.failure(tool, { session_id: "s", path: "../x.json" })).toMatchObject({
        code: "ACE_MCP_VALIDATION_ERROR",
        details: { skillbook_root: folder.path },
      });
    }
  });

  it("5.5 #29 and #30: save and load round trip; replies hold the canonical path; load makes a session", async () => {
    await using folder = await tempFolder();
    const stub = stubFactory((book) => ({
      learn: async () => {
        addSkills(book, "first", "second");
        return learnReport;
      },
    }));
    const engine = testEngine({ createRunner: stub.create });
    await engine.reply("ace.learn.sample", SAMPLES);
    const path = folder.join("sub", "..", "test.json");
    expect(await engine.reply("ace.skillbook.save", { session_id: "s", path })).toEqual({
      session_id: "s",
      path: folder.join("test.json"),
      saved_skill_count: 2,
    });
    const loaded = await engine.call("ace.skillbook.load", { session_id: "new", path });
    expect(loaded.reply).toEqual({
      session_id: "new",
      path: folder.join("test.json"),
      skill_count: 2,
    });
    expect(loaded.meta).toMatchObject({ "acumen/load": { loaded: 2, skipped_count: 0 } });
    const reply = await engine.reply("ace.skillbook.get", { session_id: "new" });
    expect((reply["skills"] as { id: string }[]).map(({ id }) => id).toSorted()).toEqual([
      "general-00001",
      "general-00002",
    ]);
    expect(stub.count("build")).toBe(1);
  });

  it("a loaded book is what the next question is answered with", async () => {
    await using folder = await tempFolder();
    const book = new Skillbook();
    addSkills(book, "What is the capital of France?\nAnswer: Paris");
    await writeFile(folder.join("a.json"), JSON.stringify(book.toRecord()));
    const engine = testEngine();
    const question = { session_id: "s", question: "What is the capital of France?" };
    expect((await engine.reply("ace.ask", question))["answer"]).not.toContain("Paris");
    await engine.reply("ace.skillbook.load", { session_id: "s", path: folder.join("a.json") });
    expect(await engine.reply("ace.ask", question)).toMatchObject({
      answer: "Paris",
      skill_count: 1,
    });
  });

  it("a saved or loaded session may make room for another; a changed one may not", async () => {
    await using folder = await tempFolder();
    const stub = stubFactory((book) => ({
      learn: async () => {
        addSkills(book, "one");
        return learnReport;
      },
    }));
    const engine = testEngine({ createRunner: stub.create, config: { maxSessions: 1 } });
    await engine.reply("ace.learn.sample", SAMPLES);
    const other = { session_id: "other", question: "q" };
    expect(await engine.failure("ace.ask", other)).toMatchObject({ details: { max_sessions: 1 } });
    const path = folder.join("a.json");
    await engine.reply("ace.skillbook.save", { session_id: "s", path });
    await engine.reply("ace.ask", other);
    await engine.reply("ace.skillbook.load", { session_id: "loaded", path });
    await engine.reply("ace.ask", other);
  });

  it("load lets a later session_config choose the model", async () => {
    await using folder = await tempFolder();
    await writeFile(folder.join("a.json"), JSON.stringify(new Skillbook().toRecord()));
    const stub = stubFactory();
    const engine = testEngine({ createRunner: stub.create });
    await engine.reply("ace.skillbook.load", { session_id: "s", path: folder.join("a.json") });
    const { meta } = await engine.call("ace.ask", { ...ASK, session_config: { model: "m" } });
    expect(meta).toMatchObject({ "acumen/session": { model: "m" } });
  });

  it.each([
    ["not_found", undefined],
    ["not_a_skillbook", "not json"],
    ["not_a_skillbook", '{"hello":1}'],
    ["newer_version", '{"format":"acumen.skillbook","version":99,"skills":{}}'],
  ])("a load that fails (%s) changes no session and makes none", async (reason, text) => {
    await using folder = await tempFolder();
    const path = folder.join("a.json");
    if (text !== undefined) await writeFile(path, text);
    const engine = testEngine({ createRunner: stubFactory().create });
    await engine.reply("ace.ask", ASK);
    for (const id of ["s", "new"]) {
      expect(await engine.failure("ace.skillbook.load", { session_id: id, path })).toMatchObject({
        code: "ACE_MCP_VALIDATION_ERROR",
        details: { path, reason },
      });
    }
    expect(engine.registry.size).toBe(1);
  });

  it("save refuses to overwrite what is no skillbook, and leaves it alone", async () => {
    await using folder = await tempFolder();
    const path = folder.join("package.json");
    await writeFile(path, '{"name":"x"}');
    const engine = testEngine({ createRunner: stubFactory().create });
    await engine.reply("ace.ask", ASK);
    expect(await engine.failure("ace.skillbook.save", { session_id: "s", path })).toMatchObject({
      details: { path, reason: "not_a_skillbook" },
    });
    expect(await readFile(path, "utf8")).toBe('{"name":"x"}');
  });

  it("save needs a session", async () => {
    await using folder = await tempFolder();
    const engine = testEngine();
    const path = folder.join("made", "x.json");
    expect(await engine.failure("ace.skillbook.save", { session_id: "none", path })).toMatchObject({
      code: "ACE_MCP_SESSION_NOT_FOUND",
    });
  });
});
