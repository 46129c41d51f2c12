import { tempFolder } from "@acumen/testkit";
import { rm, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { MCP_ERRORS } from "../../../src/integrations/mcp/errors.ts";
import { testEngine } from "./support/engine.ts";
import { addSkills, learnReport, stubFactory } from "./support/stub-runner.ts";

const BLANK = " \n\t\u00a0";
const feedback = { session_id: "s", question: "q", answer: "a", feedback: "right" };

describe("texts of blanks alone", () => {
  it.each([
    ["ace.ask", { session_id: "s", question: BLANK }, "question"],
    [
      "ace.learn.sample",
      { session_id: "s", samples: [{ question: "q" }, { question: BLANK }] },
      "samples[1].question",
    ],
    ["ace.learn.feedback", { ...feedback, question: BLANK }, "question"],
    ["ace.learn.feedback", { ...feedback, feedback: BLANK }, "feedback"],
    ["ace.learn.feedback", { ...feedback, feedback: BLANK, ground_truth: BLANK }, "feedback"],
    [
      "ace.ask",
      { session_id: "s", question: "q", session_config: { model: BLANK } },
      "session_config.model",
    ],
  ] as const)("%s is refused for %o before there is a session", async (tool, args, path) => {
    const engine = testEngine();
    const error = await engine.failure(tool, args);
    expect(error).toMatchObject({
      code: "ACE_MCP_VALIDATION_ERROR",
      details: { issues: [{ path, message: "must hold more than blanks" }] },
    });
    expect(engine.registry.size).toBe(0);
    expect(await engine.failure("ace.skillbook.get", { session_id: "s" })).toMatchObject({
      code: "ACE_MCP_SESSION_NOT_FOUND",
    });
  });

  it("an empty text has one issue, that of the schema", async () => {
    const error = await testEngine().failure("ace.ask", { session_id: "s", question: "" });
    expect(error.details["issues"]).toHaveLength(1);
  });

  it("are accepted where the engine makes something of them: an answer, and feedback beside a ground truth", async () => {
    const engine = testEngine();
    const args = { ...feedback, answer: BLANK, feedback: BLANK, ground_truth: "4" };
    expect(await engine.reply("ace.learn.feedback", args)).toMatchObject({ learned: true });
  });
});

describe("an autosave that fails", () => {
  it("says that the call did its work, what the session holds, and not to repeat it", async () => {
    await using root = await tempFolder();
    const { create } = stubFactory((book) => ({
      learn: async (samples) => {
        addSkills(book, ...samples.map(({ question }) => question));
        return learnReport;
      },
    }));
    const config = { skillbookRoot: root.path, autosave: true };
    const engine = testEngine({ createRunner: create, config });
    await writeFile(root.join(".ace-sessions"), "in the way");
    const samples = [{ question: "one" }, { question: "two" }];
    const error = await engine.failure("ace.learn.sample", { session_id: "s", samples });
    expect(error).toMatchObject({
      code: "ACE_MCP_VALIDATION_ERROR",
      details: { reason: "not_writable", kept_in_memory: true, skill_count_after: 2 },
    });
    expect(error.message).toMatch(/did its work .* 2 skills in memory.*Do not repeat/s);
    expect(await engine.reply("ace.skillbook.get", { session_id: "s" })).toMatchObject({
      stats: { skills: 2 },
    });
    await rm(root.join(".ace-sessions"));
    await engine.reply("ace.ask", { session_id: "s", question: "q" });
    const later = testEngine({ createRunner: create, config });
    expect(await later.reply("ace.skillbook.get", { session_id: "s" })).toMatchObject({
      stats: { skills: 2 },
    });
  });

  it("is named in the meaning of the code", () => {
    expect(MCP_ERRORS.ACE_MCP_VALIDATION_ERROR.meaning).toContain("details.kept_in_memory");
  });
});
