import { describe, expect, test } from "vitest";
import { z } from "zod";
import { generateObject } from "../../src/index.ts";
import { ask, failureOf, modelAt, serve, SUBJECTS } from "../support/wires.ts";

const SCHEMA = z.object({
  answer: z.string().min(1).max(200),
  confidence: z.number().min(0).max(1).optional(),
  steps: z.array(z.object({ title: z.string(), note: z.string().optional() })).max(5),
  verdict: z.enum(["yes", "no"]).nullable(),
});
const GOOD = { answer: "42", steps: [{ title: "think" }], verdict: null };

describe.each(SUBJECTS)("structured output on the wire $wire", (subject) => {
  test("the service takes the schema, and the answer comes back typed", async () => {
    await using server = await serve(subject, [{ json: GOOD }]);
    const model = await modelAt(subject, server);
    const result = await generateObject(model, {
      messages: ask("what?"),
      schema: SCHEMA,
      schemaName: "answer",
    });
    expect(result).toMatchObject({ value: GOOD, attempts: 1 });
    expect(server.requests.map(({ refusal }) => refusal)).toEqual([undefined]);
    expect(server.calls[0]?.responseFormat).toMatchObject({ type: "json" });
    expect(server.calls[0]?.maxOutputTokens).toBeGreaterThan(0);
  });

  test("wrong twice, then right: what was wrong goes back, usage is added up", async () => {
    const usage = { input: 10, output: 5 };
    await using server = await serve(subject, [
      { json: { answer: "" }, usage },
      { text: "I would rather talk.", usage },
      { json: GOOD, usage },
    ]);
    const model = await modelAt(subject, server);
    const result = await generateObject(model, {
      messages: ask("what?"),
      schema: SCHEMA,
      schemaName: "answer",
    });
    expect(result).toMatchObject({
      value: GOOD,
      attempts: 3,
      usage: { inputTokens: 30, outputTokens: 15 },
    });
    expect(server.requests.map(({ refusal }) => refusal)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    const [, second, third] = server.calls.map(({ messages }) => messages);
    expect(second?.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(JSON.stringify(second)).toContain("steps");
    expect(JSON.stringify(third)).toContain("not valid JSON");
    expect(third?.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  test("wrong for ever: invalid_output after the last attempt", async () => {
    await using server = await serve(subject, () => ({ json: { answer: 7 } }));
    const model = await modelAt(subject, server);
    const failure = await failureOf(
      generateObject(model, { messages: ask("what?"), schema: SCHEMA, schemaName: "answer" }),
    );
    expect(failure).toMatchObject({
      code: "MODEL_FAILED",
      retryable: false,
      details: { kind: "invalid_output", retryable: false },
    });
    expect(String(failure)).toContain("answer");
    expect(server.calls).toHaveLength(4);
  });

  test("optional fields: left out, or null where a strict wire makes the service send them", async () => {
    const strict = ["openai-responses", "openai-chat", "openai-compatible"].includes(subject.wire);
    const json = strict
      ? { ...GOOD, confidence: null, steps: [{ title: "think", note: null }] }
      : GOOD;
    await using server = await serve(subject, [{ json }]);
    const model = await modelAt(subject, server);
    const { value, attempts } = await generateObject(model, {
      messages: ask("what?"),
      schema: SCHEMA,
      schemaName: "answer",
    });
    expect({ value, attempts }).toEqual({ value: GOOD, attempts: 1 });
    const sent = JSON.stringify(server.requests[0]?.body);
    expect(sent.includes('"required":["answer","confidence","steps","verdict"]')).toBe(strict);
  });

  test("a schema with a map, which no strict mode knows", async () => {
    const schema = z.object({ counts: z.record(z.string(), z.number()) });
    await using server = await serve(subject, [{ json: { counts: { a: 1, b: 2 } } }]);
    const model = await modelAt(subject, server);
    const { value } = await generateObject(model, {
      messages: ask("count"),
      schema,
      schemaName: "counts",
    });
    expect(value).toEqual({ counts: { a: 1, b: 2 } });
    expect(server.requests.map(({ refusal }) => refusal)).toEqual([undefined]);
  });

  test("JSON in a fence or in prose is found", async () => {
    await using server = await serve(subject, [
      { text: `Here it is:\n\`\`\`json\n${JSON.stringify(GOOD, undefined, 2)}\n\`\`\`\nRight?` },
    ]);
    const model = await modelAt(subject, server);
    const { value, attempts } = await generateObject(model, {
      messages: ask("what?"),
      schema: SCHEMA,
      schemaName: "answer",
    });
    expect({ value, attempts }).toEqual({ value: GOOD, attempts: 1 });
  });

  test("an answer that the service withheld is not asked for again", async () => {
    await using server = await serve(subject, () => ({ text: "{", finish: "content-filter" }));
    const model = await modelAt(subject, server);
    const failure = await failureOf(
      generateObject(model, { messages: ask("what?"), schema: SCHEMA, schemaName: "answer" }),
    );
    expect(failure).toMatchObject({ details: { kind: "content_filter" } });
    expect(server.calls).toHaveLength(1);
  });

  test("an answer that was cut at the limit says so to the model", async () => {
    await using server = await serve(subject, [
      { text: '{"answer": "4', finish: "length" },
      { json: GOOD },
    ]);
    const model = await modelAt(subject, server);
    await generateObject(model, { messages: ask("what?"), schema: SCHEMA, schemaName: "answer" });
    expect(JSON.stringify(server.calls[1]?.messages)).toContain("cut off");
  });
});
