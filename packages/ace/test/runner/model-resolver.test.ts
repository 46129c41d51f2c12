import { expect, test } from "vitest";
import { Ace } from "../../src/runner/ace.ts";
import { resolveRoles } from "../../src/runner/model-resolver.ts";

const failure = (id: string) =>
  resolveRoles(id).then(
    () => "resolved",
    (error: { details: object; message: string }) => ({ ...error.details, message: error.message }),
  );

test("builtin/recall needs nothing installed", async () => {
  const ace = await Ace.fromModel("builtin/recall", { workers: 2, temperature: 0, maxTokens: 100 });
  await ace.learn([{ question: "Where does a refund request go?", groundTruth: "billing" }]);
  const { answer } = await ace.ask("Where does a refund request go?");
  expect(answer).toBe("billing");
});

test("a model per role", async () => {
  const id = "builtin/recall";
  const ace = await Ace.fromModels({ agent: id, reflector: id, skillManager: id });
  expect(ace.skillbook.size).toBe(0);
  await expect(
    Ace.fromModels({ agent: id, reflector: "gpt-4o", skillManager: id }),
  ).rejects.toMatchObject({ details: { kind: "not_installed", model: "gpt-4o" } });
});

test.each([
  ["gpt-4o-mini", "openai"],
  ["o3", "openai"],
  ["chatgpt-4o-latest", "openai"],
  ["claude-sonnet-4", "anthropic"],
  ["gemini-2.0-flash", "google"],
  ["openai/gpt-4o", "openai"],
  ["bedrock/us.anthropic.claude-haiku-4", "amazon-bedrock"],
  ["openrouter/meta/llama", "openrouter"],
])("%s is a model of %s, which is not installed", async (model, provider) => {
  expect(await failure(model)).toEqual({
    provider,
    model,
    kind: "not_installed",
    retryable: false,
    message: expect.stringContaining("builtin/recall"),
  });
});

test.each(["llama", "acme/model", "builtin/other", "openai/", "/x", "constructor/x", "scripted/a"])(
  "%s is unknown",
  async (model) => {
    const found = await failure(model);
    expect(found).toMatchObject({ provider: "unknown", model, kind: "unknown_model" });
    expect(found).toMatchObject({
      message: expect.stringMatching(/openai, anthropic.*builtin\/recall/s),
    });
  },
);

test("ids are shown bounded and on one line", async () => {
  const found = await failure(`acme/\n\u202E${"x".repeat(500)}`);
  expect(found).toMatchObject({ model: `acme/${"x".repeat(95)}` });
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
