import { describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../src/index.ts";
import { type Answer, post } from "./post.ts";
import { API_KEY } from "./subjects.ts";

const PATH = "/responses";
const hello = { role: "user", content: [{ type: "input_text", text: "hello" }] };
const call = (call_id: string, rest: object = {}): object => ({
  type: "function_call",
  call_id,
  name: "read_file",
  arguments: "{}",
  ...rest,
});
const output = (call_id: string): object => ({
  type: "function_call_output",
  call_id,
  output: "42",
});
const tool = (name: string, rest: object = {}): object => ({
  type: "function",
  name,
  parameters: { type: "object", properties: {} },
  ...rest,
});
const format = (schema: unknown): object => ({
  text: { format: { type: "json_schema", strict: true, name: "reply", schema } },
});

const REFUSED: readonly [string, object, string, (string | null)?, (string | null)?][] = [
  ["no model", { model: undefined }, "Missing required parameter: 'model'.", "model"],
  ["no input", { input: undefined }, "Missing required parameter: 'input'.", "input"],
  ["an empty input", { input: [] }, "Invalid 'input': empty array", "input", "empty_array"],
  ["the other wire's messages", { messages: [] }, "Unknown parameter: 'messages'.", "messages"],
  ["an unknown role", { input: [{ role: "tool", content: "x" }] }, "Invalid value: 'tool'."],
  [
    "the assistant's part from a user",
    { input: [{ role: "user", content: [{ type: "output_text", text: "x" }] }] },
    "Invalid value: 'output_text'.",
    "input[0].content[0]",
    "invalid_value",
  ],
  [
    "an id of another kind",
    { input: [hello, call("call_1", { id: "call_1" }), output("call_1")] },
    "Expected an ID that begins with 'fc'.",
    "input[1].id",
    "invalid_value",
  ],
  [
    "arguments that are no text",
    { input: [hello, call("call_1", { arguments: {} }), output("call_1")] },
    "Invalid type for 'input[1].arguments': expected a string",
    "input[1].arguments",
  ],
  [
    "a call id of 65",
    { input: [hello, call("c".repeat(65)), output("c".repeat(65))] },
    "string too long",
  ],
  [
    "a call without an output",
    { input: [hello, call("call_1")] },
    "No tool output found for function call call_1.",
    "input",
    null,
  ],
  [
    "an output without a call",
    { input: [hello, output("call_1")] },
    "No tool call found for function call output with call_id call_1.",
    "input",
    null,
  ],
  [
    "an output before its call",
    { input: [hello, output("call_1"), call("call_1")] },
    "No tool call found for function call output",
  ],
  ["an unknown kind of item", { input: [{ type: "tool_result" }] }, "Invalid value: 'tool_result'"],
  [
    "a dotted tool name",
    { tools: [tool("ace.ask")] },
    "Invalid 'tools[0].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    "tools[0].name",
    "invalid_value",
  ],
  ["two tools of one name", { tools: [tool("a"), tool("a")] }, "duplicate function name"],
  ["the other wire's tools", { tools: [{ function: { name: "a" } }] }, "'tools[0].type'"],
  [
    "an array without items",
    {
      tools: [tool("a", { parameters: { type: "object", properties: { b: { type: "array" } } } })],
    },
    "In context=('properties', 'b'), array schema missing items.",
    "tools[0].parameters",
    "invalid_function_parameters",
  ],
  [
    "a choice of a missing tool",
    { tools: [tool("a")], tool_choice: { type: "function", name: "b" } },
    "'b' not found",
  ],
  [
    "an open structure",
    format({ type: "object", properties: {} }),
    "Invalid schema for response_format 'reply': In context=(), 'additionalProperties' is required to be supplied and to be false.",
    "text.format.schema",
    "invalid_json_schema",
  ],
  [
    "a structure without a name",
    { text: { format: { type: "json_schema", schema: {} } } },
    "Missing required parameter: 'text.format.name'.",
    "text.format.name",
  ],
  [
    "15 tokens",
    { max_output_tokens: 15 },
    "Expected a value >= 16, but got 15 instead.",
    "max_output_tokens",
    "integer_below_min_value",
  ],
  ["a temperature for a model that thinks", { temperature: 0 }, "does not support 0"],
  [
    "encrypted reasoning of a model that does not think",
    { model: "gpt-4.1", include: ["reasoning.encrypted_content"] },
    "Encrypted content is not supported with this model.",
    "include",
  ],
  [
    "an effort for a model that does not think",
    { model: "gpt-4.1", reasoning: { effort: "low" } },
    "Unsupported parameter: 'reasoning.effort'",
    "reasoning.effort",
    "unsupported_parameter",
  ],
  [
    "an unknown earlier response",
    { previous_response_id: "resp_1" },
    "Previous response with id 'resp_1' not found.",
    "previous_response_id",
    "previous_response_not_found",
  ],
  [
    "encrypted reasoning of another origin",
    { input: [hello, { type: "reasoning", encrypted_content: "x", summary: [] }] },
    "could not be verified",
    null,
    "invalid_encrypted_content",
  ],
];

describe("OpenAI Responses refuses", () => {
  it.each(REFUSED)("%s", async (_name, change, message, param, code) => {
    await using server = await startModelServer({
      wire: "openai-responses",
      script: [{ text: "ok" }],
      apiKey: API_KEY,
    });
    const answer = await post(server, PATH, { model: "gpt-5.1", input: [hello], ...change });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        error: {
          message: expect.stringContaining(message),
          type: "invalid_request_error",
          ...(param !== undefined && { param }),
          ...(code !== undefined && { code }),
        },
      },
    });
    expect(server.calls).toEqual([]);
  });
});

describe("reasoning that comes back to OpenAI Responses", () => {
  const script = [
    {
      reasoning: { text: "Read first.", signature: "gAAAAB-one" },
      toolCalls: [{ id: "call_1", name: "read_file", input: {} }],
    },
    { text: "done" },
  ];
  const start = (): Promise<ModelServer> => startModelServer({ wire: "openai-responses", script });
  const first = (server: ModelServer, store: boolean): Promise<Answer> =>
    post(server, PATH, {
      model: "gpt-5.1",
      input: [hello],
      store,
      ...(!store && { include: ["reasoning.encrypted_content"] }),
      tools: [tool("read_file")],
    });
  const items = (answer: Answer): Record<string, unknown>[] =>
    (answer.body as { output: Record<string, unknown>[] }).output;
  const second = (server: ModelServer, input: unknown[], store: boolean): Promise<Answer> =>
    post(server, PATH, {
      model: "gpt-5.1",
      input: [hello, ...input, output("call_1")],
      store,
      tools: [tool("read_file")],
    });

  it("is accepted as it was handed out", async () => {
    await using server = await start();
    const issued = items(await first(server, false));
    expect(issued[0]).toMatchObject({ type: "reasoning", encrypted_content: "gAAAAB-one" });
    expect((await second(server, issued, false)).status).toBe(200);
  });

  it("is accepted by reference and by the id of the response when it was stored", async () => {
    await using server = await start();
    const answer = await first(server, true);
    const references = items(answer).map(({ id }) => ({ type: "item_reference", id }));
    expect((await second(server, references, true)).status).toBe(200);
    expect(server.calls[1]?.messages[1]).toMatchObject({
      role: "assistant",
      parts: [
        { type: "reasoning", text: "Read first." },
        { type: "tool-call", id: "call_1" },
      ],
    });
    const { id } = answer.body as { id: string };
    await using again = await start();
    const stored = (await first(again, true)).body as { id: string };
    const next = { model: "gpt-5.1", input: [output("call_1")] };
    expect((await post(again, PATH, { ...next, previous_response_id: stored.id })).status).toBe(
      200,
    );
    expect((await post(again, PATH, { ...next, previous_response_id: id })).status).toBe(400);
  });

  it.each([
    [
      "changed",
      (issued: Record<string, unknown>[]) => [
        { ...issued[0], encrypted_content: "gAAAAB-two" },
        issued[1],
      ],
      400,
      "could not be verified",
    ],
    [
      "without its content when nothing was stored",
      ([reasoning, called]: Record<string, unknown>[]) => {
        const { encrypted_content: _dropped, ...rest } = reasoning ?? {};
        return [rest, called];
      },
      404,
      "Items are not persisted when `store` is set to false",
    ],
    [
      "left out before its call",
      ([, called]: Record<string, unknown>[]) => [called],
      400,
      "was provided without its required 'reasoning' item",
    ],
    [
      "after its call",
      ([reasoning, called]: Record<string, unknown>[]) => [called, reasoning],
      400,
      "without its required",
    ],
    [
      "twice",
      ([reasoning, called]: Record<string, unknown>[]) => [reasoning, reasoning, called],
      400,
      "Duplicate item found",
    ],
  ] as const)("is refused %s", async (_name, change, status, message) => {
    await using server = await start();
    const issued = items(await first(server, false));
    const answer = await second(server, [...change(issued)], false);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(message);
  });

  it("is refused by reference when it was not stored", async () => {
    await using server = await start();
    const references = items(await first(server, false)).map(({ id }) => ({
      type: "item_reference",
      id,
    }));
    expect((await second(server, references, true)).status).toBe(404);
  });
});

describe("a function that does not say `strict`", () => {
  const parameters = { type: "object", properties: { a: { type: "string" } }, required: [] };

  it.each([
    ["is strict, with every parameter required", {}, { strict: true, schema: { required: ["a"] } }],
    ["is not strict when it says so", { strict: false }, { strict: false, schema: parameters }],
    [
      "is not strict when its schema cannot be",
      { parameters: { ...parameters, additionalProperties: true } },
      { schema: { ...parameters, additionalProperties: true } },
    ],
  ])("%s", async (_name, rest, seen) => {
    await using server = await startModelServer({
      wire: "openai-responses",
      script: [{ text: "ok" }],
    });
    const tools = [tool("a", { parameters, ...rest })];
    const answer = await post(server, PATH, { model: "gpt-5.1", input: [hello], tools });
    expect(answer.status).toBe(200);
    expect(server.calls[0]?.tools[0]).toMatchObject(seen);
  });
});
