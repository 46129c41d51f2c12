import { startModelServer } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  generateObject,
  type Model,
  type ModelRequest,
  PROVIDERS,
  resolveModel,
} from "../../src/index.ts";
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
    if (!String(init?.body as string).includes('"temperature"'))
      return globalThis.fetch(input, init);
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

describe("calls at the same time", () => {
  const answers = Array.from({ length: 8 }, (_, index) => String(index));

  /** Refuses all calls of a round only when each of them has come, so that one's lesson is news to the others. */
  async function refusedTogether(
    message: (body: Record<string, unknown>) => string | undefined,
    work: (model: Model, answer: string) => Promise<unknown>,
  ): Promise<{ results: unknown[]; requests: number }> {
    await using server = await startModelServer({
      wire: "openai-compatible",
      script: answers.map((answer) => ({ json: { answer, note: null } })),
    });
    let requests = 0;
    let open: () => void = () => undefined;
    const all = new Promise<void>((resolve) => (open = resolve));
    const fetch: typeof globalThis.fetch = async (input, init) => {
      requests += 1;
      if (requests === answers.length) open();
      await all;
      const text = message(JSON.parse(init?.body as string) as Record<string, unknown>);
      if (text === undefined) return globalThis.fetch(input, init);
      return Response.json({ error: { message: text } }, { status: 400 });
    };
    const env = { OPENAI_COMPATIBLE_BASE_URL: server.baseUrl };
    const model = await resolveModel("openai_compatible/busy", { env, fetch });
    const results = await Promise.all(answers.map((answer) => work(model, answer)));
    return { results, requests };
  }

  const askObject = async (model: Model): Promise<string> => {
    const messages = ask("what?");
    const request = { messages, temperature: 0, schema, schemaName: "answer" };
    return (await generateObject(model, request)).value.answer;
  };

  test("all get over a refused temperature", async () => {
    const { results, requests } = await refusedTogether(
      ({ temperature }) => (temperature === undefined ? undefined : "temperature is not supported"),
      askObject,
    );
    expect(new Set(results)).toEqual(new Set(answers));
    expect(requests).toBe(2 * answers.length);
  });

  test("all get over a refused schema and a refused JSON mode", async () => {
    const { results } = await refusedTogether(
      ({ response_format: format }) =>
        format === undefined ? undefined : "response_format is not supported",
      async (model) => {
        const responseFormat = { type: "json", name: "answer", schema: z.toJSONSchema(schema) };
        return (await model.generate({ messages: ask("x"), responseFormat } as ModelRequest)).text;
      },
    );
    expect(results).toHaveLength(answers.length);
  });

  test("all get over both, refused one after the other", async () => {
    const { results } = await refusedTogether(
      ({ temperature, response_format: format }) =>
        temperature !== undefined
          ? "temperature is not supported"
          : (format as { type?: string } | undefined)?.type === "json_schema"
            ? "json_schema is not supported"
            : undefined,
      async (model) => {
        const responseFormat = { type: "json", name: "answer", schema: z.toJSONSchema(schema) };
        const request = { messages: ask("x"), temperature: 0, responseFormat } as ModelRequest;
        return (await model.generate(request)).text;
      },
    );
    expect(results).toHaveLength(answers.length);
  });

  test("an answer is read in the way in which it was asked for, whatever was learned meanwhile", async () => {
    let asked = 0;
    let release: () => void = () => undefined;
    const refused = new Promise<void>((resolve) => (release = resolve));
    const reply = (json: unknown): Response =>
      Response.json({
        id: "1",
        object: "chat.completion",
        created: 1,
        model: "busy",
        choices: [
          {
            index: 0,
            finish_reason: "stop",
            message: { role: "assistant", content: JSON.stringify(json) },
          },
        ],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      });
    const fetch: typeof globalThis.fetch = async () => {
      asked += 1;
      if (asked === 1) {
        await refused;
        // What strict mode makes of a field that may be left out.
        return reply({ answer: "slow", note: null });
      }
      if (asked === 3) release();
      if (asked === 3) return reply({ answer: "quick" });
      return Response.json({ error: { message: "json_schema is not supported" } }, { status: 400 });
    };
    const env = { OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:9/v1" };
    const model = await resolveModel("openai_compatible/busy", { env, fetch });
    const request = { messages: ask("what?"), schema, schemaName: "answer" };
    const both = await Promise.all([
      generateObject(model, request),
      generateObject(model, request),
    ]);
    expect(both.map(({ value, attempts }) => [value, attempts])).toEqual([
      [{ answer: "slow" }, 1],
      [{ answer: "quick" }, 1],
    ]);
  });
});
