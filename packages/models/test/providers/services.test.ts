import { startModelServer } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { generateObject, PROVIDERS, resolveModel } from "../../src/index.ts";
import { ask, CANARY, collect } from "../support/wires.ts";

/** Everything that speaks Chat Completions, through the package that talks to it. */
const rows = PROVIDERS.filter(({ driver }) =>
  ["compatible", "groq", "mistral", "deepseek", "xai", "azure"].includes(driver),
);
const schema = z.object({ answer: z.string(), note: z.string().optional() });
const counts = z.object({ counts: z.record(z.string(), z.number()) });

describe.each(rows)("$title ($prefix), through $package against a loopback server", (row) => {
  test("whole answers, streams and structured answers", async () => {
    // Azure and Foundry send their key in a header of their own, which this server does not look at.
    const ownHeader = row.prefix.startsWith("azure");
    await using server = await startModelServer({
      wire: "openai-compatible",
      script: [
        { text: "whole", usage: { input: 9, output: 3, cachedInput: 4 } },
        { text: "a stream of several pieces of text" },
        { json: { answer: "42" } },
        { json: { counts: { a: 1 } } },
      ],
      ...(!ownHeader && { apiKey: CANARY }),
    });
    const model = await resolveModel(`${row.prefix}/some-model`, {
      env: { [row.keyVariables[0] ?? ""]: CANARY, [row.baseUrlVariables[0] ?? ""]: server.baseUrl },
    });
    expect(await model.generate({ messages: ask("hi"), temperature: 0 })).toMatchObject({
      text: "whole",
      usage: { inputTokens: 9, outputTokens: 3 },
    });
    const parts = await collect(model.stream({ messages: ask("hi") }));
    expect(parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : [])).join("")).toBe(
      "a stream of several pieces of text",
    );
    const messages = ask("what?");
    const { value } = await generateObject(model, { messages, schema, schemaName: "answer" });
    expect(value).toEqual({ answer: "42" });
    await generateObject(model, { messages, schema: counts, schemaName: "counts" });

    expect(server.requests.map(({ refusal }) => refusal).filter(Boolean)).toEqual([]);
    const [, , strict, loose] = server.calls;
    const objectMode = ["deepseek", "moonshot"].includes(row.prefix);
    expect(strict?.responseFormat).toMatchObject({
      type: "json",
      through: objectMode ? "mode" : "schema",
    });
    // A schema that is not enforced has to be read: it stands in the system text then.
    expect(strict?.system.includes("JSON Schema")).toBe(objectMode);
    if (row.prefix !== "mistral") expect(loose?.system).toContain("JSON Schema");
  });
});

test("a service that refuses the schema is asked in JSON mode, then with the prompt alone, and remembered", async () => {
  const refusals: string[] = [];
  await using server = await startModelServer({
    wire: "openai-compatible",
    script: [{ json: { answer: "1" } }, { json: { answer: "2" } }],
  });
  const fetch: typeof globalThis.fetch = (input, init) => {
    const { response_format: format } = JSON.parse(init?.body as string) as {
      response_format?: { type: string };
    };
    if (format === undefined) return globalThis.fetch(input, init);
    refusals.push(format.type);
    const message = `response_format type '${format.type}' is not supported`;
    return Promise.resolve(Response.json({ error: { message } }, { status: 400 }));
  };
  const env = { OPENAI_COMPATIBLE_BASE_URL: server.baseUrl };
  const model = await resolveModel("openai_compatible/old", { env, fetch });
  for (const answer of ["1", "2"]) {
    const result = await generateObject(model, {
      messages: ask("what?"),
      schema,
      schemaName: "answer",
    });
    expect(result).toMatchObject({ value: { answer }, attempts: 1 });
  }
  expect(refusals).toEqual(["json_schema", "json_object"]);
  expect(server.calls[0]?.system).toMatch(/^Be brief\.\n\nAnswer with one JSON value/);
});

test("a model that refuses the temperature is asked without it, and remembered", async () => {
  await using server = await startModelServer({
    wire: "openai-compatible",
    script: [{ text: "1" }, { text: "2" }],
  });
  let refused = 0;
  const fetch: typeof globalThis.fetch = (input, init) => {
    if (!(init?.body as string).includes('"temperature"')) return globalThis.fetch(input, init);
    refused += 1;
    const message = "Unsupported value: 'temperature' does not support 0 with this model.";
    return Promise.resolve(Response.json({ error: { message } }, { status: 400 }));
  };
  const env = { OPENAI_COMPATIBLE_BASE_URL: server.baseUrl };
  const model = await resolveModel("openai_compatible/thinker", { env, fetch });
  for (const text of ["1", "2"]) {
    expect((await model.generate({ messages: ask("hi"), temperature: 0 })).text).toBe(text);
  }
  expect(refused).toBe(1);
});
