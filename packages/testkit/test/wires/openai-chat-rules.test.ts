import { describe, expect, it } from "vitest";
import { startModelServer } from "../../src/index.ts";
import { post } from "./post.ts";
import { API_KEY } from "./subjects.ts";

const PATH = "/chat/completions";
const hello = { role: "user", content: "hello" };
const call = (id: string, name = "read_file"): unknown => ({
  id,
  type: "function",
  function: { name, arguments: "{}" },
});
const calling = (...ids: string[]): unknown => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => call(id)),
});
const result = (id: string): unknown => ({ role: "tool", tool_call_id: id, content: "42" });
const tool = (name: unknown, parameters: unknown = object({}), rest: object = {}): unknown => ({
  type: "function",
  function: { name, parameters, ...rest },
});
function object(properties: unknown, rest: object = {}): unknown {
  return { type: "object", properties, ...rest };
}
const strictAnswer = (schema: unknown, name = "reply"): unknown => ({
  type: "json_schema",
  json_schema: { name, schema, strict: true },
});

/** Body (over a good one), what the message must say, and param and code where the service sets them. */
const REFUSED: readonly [string, object, string, (string | null)?, (string | null)?][] = [
  ["no model", { model: undefined }, "you must provide a model parameter", null],
  ["an unknown parameter", { max_token: 5 }, "Unknown parameter: 'max_token'", "max_token"],
  ["no messages", { messages: [] }, "Invalid 'messages': empty array", "messages", "empty_array"],
  [
    "an unknown role",
    { messages: [{ role: "model", content: "x" }] },
    "Invalid value: 'model'.",
    "messages[0].role",
    "invalid_value",
  ],
  [
    "a user message without content",
    { messages: [{ role: "user", content: null }] },
    "expected a string, got null",
    "messages[0].content",
  ],
  ["an empty list of parts", { messages: [{ role: "user", content: [] }] }, "empty array"],
  [
    "a part of another wire",
    { messages: [{ role: "user", content: [{ type: "input_text", text: "x" }] }] },
    "Invalid value: 'input_text'",
  ],
  [
    "an assistant message with neither text nor calls",
    { messages: [hello, { role: "assistant", content: null }] },
    "expected a string, got null",
  ],
  [
    "an empty list of calls",
    { messages: [hello, { role: "assistant", content: "x", tool_calls: [] }] },
    "Invalid 'messages[1].tool_calls': empty array",
  ],
  [
    "a call without a result",
    { messages: [hello, calling("call_1", "call_2"), result("call_1")] },
    "did not have response messages: call_2",
    "messages",
  ],
  [
    "a result that comes after other words",
    { messages: [hello, calling("call_1"), hello, result("call_1")] },
    "did not have response messages: call_1",
  ],
  [
    "a result without a call",
    { messages: [hello, result("call_1")] },
    "must be a response to a preceeding message with 'tool_calls'",
    "messages.[1].role",
  ],
  [
    "two results for one call",
    { messages: [hello, calling("call_1"), result("call_1"), result("call_1")] },
    "must be a response to a preceeding message",
  ],
  [
    "a dotted name in the history",
    {
      messages: [
        hello,
        { role: "assistant", content: null, tool_calls: [call("call_1", "ace.ask")] },
        result("call_1"),
      ],
    },
    "Invalid 'messages[1].tool_calls[0].function.name': string does not match pattern",
  ],
  ["no tools, but a list of them", { tools: [] }, "Invalid 'tools': empty array"],
  [
    "a dotted tool name",
    { tools: [tool("ace.ask")] },
    "string does not match pattern",
    "tools[0].function.name",
    "invalid_value",
  ],
  ["a tool name of 65", { tools: [tool("a".repeat(65))] }, "string too long"],
  ["an empty tool name", { tools: [tool("")] }, "empty string"],
  ["a tool without a name", { tools: [tool(undefined)] }, "Missing required parameter"],
  ["two tools of one name", { tools: [tool("a"), tool("a")] }, "duplicate function name 'a'"],
  ["129 tools", { tools: Array.from({ length: 129 }, (_, i) => tool(`t${i}`)) }, "array too long"],
  [
    "a schema that is no object",
    { tools: [tool("a", { type: "string" })] },
    `schema must be a JSON Schema of 'type: "object"', got 'type: "string"'`,
    "tools[0].function.parameters",
    "invalid_function_parameters",
  ],
  ["a schema without a type", { tools: [tool("a", {})] }, `got 'type: "None"'`],
  [
    "a schema without properties",
    { tools: [tool("a", { type: "object" })] },
    "In context=(), object schema missing properties.",
  ],
  [
    "a union at the root",
    { tools: [tool("a", object({}, { anyOf: [] }))] },
    "not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level",
  ],
  [
    "an array without items",
    { tools: [tool("a", object({ list: { type: ["array", "null"] } }))] },
    "In context=('properties', 'list', 'type', '0'), array schema missing items.",
  ],
  [
    "a list of schemas as items",
    { tools: [tool("a", object({ list: { type: "array", items: [{ type: "string" }] } }))] },
    "Invalid schema for function 'a': [{'type':'string'}] is not of type 'object', 'boolean'.",
  ],
  [
    "required that is no list",
    { tools: [tool("a", object({ b: { type: "string", required: true } }))] },
    "Invalid schema for function 'a': True is not of type 'array'.",
  ],
  [
    "a required property named twice",
    { tools: [tool("a", object({ b: { type: "string" } }, { required: ["b", "b"] }))] },
    "Invalid schema for function 'a': ['b','b'] has non-unique elements.",
  ],
  [
    "a property that is no schema",
    { tools: [tool("a", object({ b: null }))] },
    "Invalid schema for function 'a': None is not of type 'object', 'boolean'.",
  ],
  [
    "a strict tool with an optional property",
    {
      tools: [
        tool("a", object({ b: { type: "string" } }, { additionalProperties: false }), {
          strict: true,
        }),
      ],
    },
    "Missing 'b'",
  ],
  ["a choice without tools", { tool_choice: "auto" }, "only allowed when 'tools' are specified"],
  [
    "a choice of a missing tool",
    { tools: [tool("a")], tool_choice: { type: "function", function: { name: "b" } } },
    "Tool choice 'b' not found",
  ],
  [
    "an open structure",
    { response_format: strictAnswer(object({})) },
    "In context=(), 'additionalProperties' is required to be supplied and to be false.",
    "response_format",
  ],
  [
    "an optional property in a structure",
    {
      response_format: strictAnswer(
        object(
          { a: object({ b: { type: "string" } }, { additionalProperties: false }) },
          { additionalProperties: false, required: ["a"] },
        ),
      ),
    },
    "In context=('properties', 'a'), 'required' is required to be supplied and to be an array including every key in properties. Missing 'b'.",
  ],
  [
    "a default in a structure",
    {
      response_format: strictAnswer(
        object(
          { a: { type: "string", default: "x" } },
          { additionalProperties: false, required: ["a"] },
        ),
      ),
    },
    "'default' is not permitted.",
  ],
  ["a spaced name", { response_format: strictAnswer(object({}), "my reply") }, "match pattern"],
  [
    "JSON mode without the word",
    { response_format: { type: "json_object" } },
    "must contain the word 'json'",
  ],
  ["a temperature of 3", { temperature: 3 }, "decimal above maximum value", "temperature"],
  ["no room for an answer", { max_tokens: 0 }, "integer below minimum value", "max_tokens"],
  [
    "a temperature for a model that thinks",
    { model: "gpt-5.1", temperature: 0.2 },
    "'temperature' does not support 0.2 with this model",
    "temperature",
    "unsupported_value",
  ],
  [
    "max_tokens for a model that thinks",
    { model: "o4-mini", max_tokens: 100 },
    "Use 'max_completion_tokens' instead",
    "max_tokens",
    "unsupported_parameter",
  ],
  ["stream options without a stream", { stream_options: {} }, "only allowed when 'stream'"],
];

describe("OpenAI Chat Completions refuses", () => {
  it.each(REFUSED)("%s", async (_name, change, message, param, code) => {
    await using server = await startModelServer({
      wire: "openai-chat",
      script: [{ text: "ok" }],
      apiKey: API_KEY,
    });
    const answer = await post(server, PATH, { model: "gpt-4.1", messages: [hello], ...change });
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
    expect(server.requests[0]).toMatchObject({ status: 400, view: undefined });
    expect(server.requests[0]?.refusal).toContain("invalid_request_error");
  });
});

describe("OpenAI Chat Completions accepts", () => {
  it.each([
    ["results in another order", [hello, calling("a", "b"), result("b"), result("a"), hello]],
    ["two user messages in a row", [hello, hello]],
    ["a system message in the middle", [hello, { role: "system", content: "Be kind." }, hello]],
  ])("%s", async (_name, messages) => {
    await using server = await startModelServer({ wire: "openai-chat", script: [{ text: "ok" }] });
    const answer = await post(server, PATH, { model: "gpt-4.1", messages });
    expect(answer.status).toBe(200);
  });
});

describe("the compatible wire", () => {
  const body = { model: "qwen3:8b", messages: [hello] };
  it("needs no key unless the test sets one", async () => {
    await using open = await startModelServer({
      wire: "openai-compatible",
      script: [{ text: "ok" }],
    });
    expect((await post(open, PATH, body, { key: null })).status).toBe(200);
    expect(open.requests[0]?.key).toBe("missing");
    await using closed = await startModelServer({
      wire: "openai-compatible",
      script: [{ text: "ok" }],
      apiKey: API_KEY,
    });
    expect((await post(closed, PATH, body, { key: null })).status).toBe(401);
    expect((await post(closed, PATH, body, { key: "wrong" })).status).toBe(401);
  });

  it("passes unknown parameters and odd schemas, and keeps the order of messages", async () => {
    await using server = await startModelServer({
      wire: "openai-compatible",
      script: [{ text: "ok" }],
    });
    const odd = { ...body, keep_alive: "5m", tools: [tool("a", { type: "object" })] };
    expect((await post(server, PATH, odd)).status).toBe(200);
    const orphan = { ...body, messages: [hello, result("call_1")] };
    expect((await post(server, PATH, orphan)).status).toBe(400);
    expect((await post(server, PATH, { ...body, tools: [tool("a.b")] })).status).toBe(400);
  });

  it("says of a missing model how to get it", async () => {
    await using server = await startModelServer({
      wire: "openai-compatible",
      script: [],
      models: ["llama3.2"],
    });
    const answer = await post(server, PATH, body);
    expect(answer).toMatchObject({
      status: 404,
      body: { error: { message: 'model "qwen3:8b" not found, try pulling it first' } },
    });
  });
});
