import { startModelServer } from "@acumen/testkit";
import { expect, test } from "vitest";
import { Ace } from "../../src/runner/ace.ts";
import { resolveRoles } from "../../src/runner/model-resolver.ts";
import { learning, roleOf } from "../integrations/mcp/support/model-wires.ts";

const failure = (id: string) =>
  resolveRoles(id, { env: {} }).then(
    () => "resolved",
    (error: { code: string; details: object; message: string }) => ({
      code: error.code,
      ...error.details,
      message: error.message,
    }),
  );

test("builtin/recall needs nothing installed and reads no variable", async () => {
  const ace = await Ace.fromModel("builtin/recall", { workers: 2, temperature: 0, maxTokens: 100 });
  await ace.learn([{ question: "Where does a refund request go?", groundTruth: "billing" }]);
  const { answer } = await ace.ask("Where does a refund request go?");
  expect(answer).toBe("billing");
});

test("a model per role", async () => {
  const id = "builtin/recall";
  const env = { OPENAI_API_KEY: "sk-x" };
  const ace = await Ace.fromModels({ agent: id, reflector: "gpt-4o", skillManager: id }, { env });
  expect(ace.skillbook.size).toBe(0);
  await expect(
    Ace.fromModels({ agent: id, reflector: "gpt-4o", skillManager: "claude-x" }, { env }),
  ).rejects.toMatchObject({ details: { kind: "auth", provider: "anthropic", model: "claude-x" } });
});

test("each role asks its own model, at its own address", async () => {
  const script: Parameters<typeof startModelServer>[0]["script"] = (request) =>
    learning(roleOf(request), request);
  await using agent = await startModelServer({ wire: "anthropic", script });
  await using reflector = await startModelServer({ wire: "openai-chat", script });
  await using skillManager = await startModelServer({ wire: "google", script });
  const env = {
    ANTHROPIC_API_KEY: "sk-a",
    ANTHROPIC_BASE_URL: agent.baseUrl,
    OPENAI_API_KEY: "sk-o",
    OPENAI_BASE_URL: reflector.baseUrl,
    GEMINI_API_KEY: "sk-g",
    GEMINI_BASE_URL: skillManager.baseUrl,
  };
  const ids = {
    agent: "claude-sonnet-4-5",
    reflector: "gpt-4o-mini",
    skillManager: "gemini/gemini-2.5-flash",
  };
  const ace = await Ace.fromModels(ids, { env });
  const report = await ace.learn([{ question: "What does a plug cost?", groundTruth: "12" }]);
  expect(report).toMatchObject({ processed: 1, newSkillCount: 1 });
  expect(agent.calls.map(roleOf)).toEqual(["agent"]);
  expect(reflector.calls.map(roleOf)).toEqual(["reflector"]);
  expect(skillManager.calls.map(roleOf)).toEqual(["skill manager"]);
});

test.each([
  ["gpt-4o-mini", "openai", "OPENAI_API_KEY"],
  ["openai/gpt-4o", "openai", "OPENAI_API_KEY"],
  ["claude-sonnet-4", "anthropic", "ANTHROPIC_API_KEY"],
  ["gemini-2.0-flash", "gemini", "GEMINI_API_KEY"],
])(
  "%s without a key: names %s, the variable and the way offline",
  async (id, provider, variable) => {
    const found = await failure(id);
    expect(found).toMatchObject({ code: "MODEL_FAILED", provider, kind: "auth", retryable: false });
    expect(found).toMatchObject({
      message: expect.stringMatching(new RegExp(`set ${variable}.*builtin/recall`)),
    });
  },
);

test("with the key in the given environment the roles are built, and nothing is asked", async () => {
  const roles = await resolveRoles("gpt-4o-mini", { env: { OPENAI_API_KEY: "sk-x" } });
  expect(Object.keys(roles)).toEqual(["agent", "reflector", "skillManager"]);
});

test("without an environment given, that of the process counts", async () => {
  const before = process.env["GROQ_API_KEY"];
  process.env["GROQ_API_KEY"] = "gsk-x";
  try {
    expect(await resolveRoles("groq/llama-3.1-8b-instant")).toHaveProperty("agent");
  } finally {
    if (before === undefined) delete process.env["GROQ_API_KEY"];
    else process.env["GROQ_API_KEY"] = before;
  }
});

test.each(["llama", "acme/model", "builtin/other", "openai/", "/x", "constructor/x"])(
  "%s is unknown",
  async (model) => {
    const found = await failure(model);
    expect(found).toMatchObject({ provider: "unknown", model, kind: "unknown_model" });
    expect(found).toMatchObject({
      message: expect.stringMatching(/^(?=.*builtin\/recall)(?=.*openai, anthropic)/s),
    });
  },
);

test.each(["scripted/a.json", "recorded/a.json"])("%s is refused unless allowed", async (id) => {
  expect(await failure(id)).toMatchObject({ kind: "unknown_model" });
  await expect(resolveRoles(id, { env: {}, allowScripted: true })).rejects.toMatchObject({
    code: "MODEL_SCRIPT_INVALID",
  });
});

test.each([
  ["temperature", { temperature: 2.1 }],
  ["temperature", { temperature: Number.NaN }],
  ["maxTokens", { maxTokens: 0 }],
])("refuses a bad %s", async (option, settings) => {
  await expect(resolveRoles("builtin/recall", settings)).rejects.toMatchObject({
    code: "ACE_OPTION_INVALID",
    details: { option },
  });
});

test("refuses an empty id", async () => {
  await expect(resolveRoles("")).rejects.toMatchObject({ details: { option: "model" } });
});
