import { describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../src/index.ts";
import { type Answer, post } from "./post.ts";
import { API_KEY } from "./subjects.ts";

const PATH = "/messages";
const MODEL = "claude-sonnet-4-5";
const hello = { role: "user", content: [{ type: "text", text: "hello" }] };
const uses = (...ids: string[]): unknown => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "tool_use", id, name: "read_file", input: {} })),
});
const result = (id: string): object => ({ type: "tool_result", tool_use_id: id, content: "42" });
const results = (...ids: string[]): unknown => ({ role: "user", content: ids.map(result) });
const tool = (name: unknown, schema: unknown = { type: "object" }, rest: object = {}): object => ({
  name,
  input_schema: schema,
  ...rest,
});
const tools = [tool("read_file")];
const mark = { cache_control: { type: "ephemeral" } };
const format = (schema: unknown): object => ({
  output_config: { format: { type: "json_schema", schema } },
});
const thinking = (budget_tokens = 1024): object => ({
  thinking: { type: "enabled", budget_tokens },
});

const REFUSED: readonly [string, object, string][] = [
  ["no max_tokens", { max_tokens: undefined }, "max_tokens: Field required"],
  [
    "no room for an answer",
    { max_tokens: 0 },
    "max_tokens: Input should be greater than or equal to 1",
  ],
  [
    "more than the model can say",
    { max_tokens: 64_001 },
    `max_tokens: 64001 > 64000, which is the maximum allowed number of output tokens for ${MODEL}`,
  ],
  ["no model", { model: undefined }, "model: Field required"],
  [
    "an unknown field",
    { max_output_tokens: 5 },
    "max_output_tokens: Extra inputs are not permitted",
  ],
  ["no messages", { messages: undefined }, "messages: Field required"],
  ["an empty list of messages", { messages: [] }, "messages: at least one message is required"],
  [
    "the assistant first",
    { messages: [{ role: "assistant", content: "hi" }, hello] },
    'messages: first message must use the "user" role',
  ],
  [
    "a system message",
    { messages: [hello, { role: "system", content: "Be kind." }] },
    'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter',
  ],
  ["a message without content", { messages: [{ role: "user", content: [] }] }, "non-empty content"],
  ["an empty message", { messages: [{ role: "user", content: "" }] }, "non-empty content"],
  [
    "an empty text block",
    { messages: [{ role: "user", content: [{ type: "text", text: "" }] }] },
    "messages: text content blocks must be non-empty",
  ],
  [
    "a blank text block",
    { messages: [{ role: "user", content: [{ type: "text", text: " \n" }] }] },
    "messages: text content blocks must contain non-whitespace text",
  ],
  [
    "an empty system block",
    { system: [{ type: "text", text: "" }] },
    "system: text content blocks",
  ],
  [
    "a block of another wire",
    { messages: [{ role: "user", content: [{ type: "input_text", text: "x" }] }] },
    "messages.0.content.0: Input tag 'input_text'",
  ],
  [
    "a call without a result",
    { tools, messages: [hello, uses("toolu_1", "toolu_2"), results("toolu_1")] },
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_2.",
  ],
  [
    "a call at the end",
    { tools, messages: [hello, uses("toolu_1")] },
    "immediately after: toolu_1.",
  ],
  [
    "words before the results",
    {
      tools,
      messages: [
        hello,
        uses("toolu_1"),
        { role: "user", content: [{ type: "text", text: "so?" }, result("toolu_1")] },
      ],
    },
    "immediately after: toolu_1.",
  ],
  [
    "a result without a call",
    { tools, messages: [{ role: "user", content: [result("toolu_1")] }] },
    "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1.",
  ],
  [
    "two results for one call",
    { tools, messages: [hello, uses("toolu_1"), results("toolu_1", "toolu_1")] },
    "each tool_use must have a single result",
  ],
  [
    "one id for two calls",
    { tools, messages: [hello, uses("t1"), results("t1"), uses("t1"), results("t1")] },
    "messages: `tool_use` ids must be unique",
  ],
  [
    "an id with a dot",
    { tools, messages: [hello, uses("call.1"), results("call.1")] },
    "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  ],
  [
    "arguments as text",
    {
      tools,
      messages: [
        hello,
        { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "a", input: "{}" }] },
        results("t1"),
      ],
    },
    "tool_use.input: Input should be a valid dictionary",
  ],
  [
    "a history with calls but no tools",
    { messages: [hello, uses("t1"), results("t1")] },
    "must define tools",
  ],
  [
    "trailing space of the assistant",
    { messages: [hello, { role: "assistant", content: "So " }] },
    "final assistant content cannot end with trailing whitespace",
  ],
  [
    "the assistant last, on a newer model",
    { model: "claude-opus-4-6", messages: [hello, { role: "assistant", content: "So" }] },
    "This model does not support assistant message prefill.",
  ],
  [
    "five cache marks",
    {
      messages: [
        {
          role: "user",
          content: Array.from({ length: 5 }, () => ({ type: "text", text: "x", ...mark })),
        },
      ],
    },
    "A maximum of 4 blocks with cache_control may be provided. Found 5.",
  ],
  [
    "a dotted tool name",
    { tools: [tool("ace.ask")] },
    "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  ],
  ["a tool name of 129", { tools: [tool("a".repeat(129))] }, "tools.0.custom.name"],
  ["two tools of one name", { tools: [tool("a"), tool("a")] }, "tools: Tool names must be unique."],
  [
    "a tool without a schema",
    { tools: [{ name: "a" }] },
    "tools.0.custom.input_schema: Field required",
  ],
  [
    "a schema without a type",
    { tools: [tool("a", {})] },
    "tools.0.custom.input_schema.type: Field required",
  ],
  [
    "a schema that is no object",
    { tools: [tool("a", { type: "string" })] },
    "tools.0.custom.input_schema.type: Input should be 'object'",
  ],
  [
    "a union at the root",
    { tools: [tool("ok"), tool("a", { type: "object", oneOf: [] })] },
    "tools.1.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",
  ],
  [
    "a property key with a space",
    { tools: [tool("a", { type: "object", properties: { "my key": {} } })] },
    "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
  ],
  [
    "a schema of draft 4",
    {
      tools: [
        tool("a", {
          type: "object",
          properties: { n: { type: "number", exclusiveMinimum: true } },
        }),
      ],
    },
    "JSON schema is invalid. It must match JSON Schema draft 2020-12",
  ],
  [
    "a choice without tools",
    { tool_choice: { type: "auto" } },
    "only be specified while providing tools",
  ],
  [
    "a choice of a missing tool",
    { tools, tool_choice: { type: "tool", name: "b" } },
    "Tool 'b' not found",
  ],
  ["a temperature of 2", { temperature: 2 }, "temperature: range: 0..1"],
  ["temperature and top_p", { temperature: 1, top_p: 0.5 }, "cannot both be specified"],
  [
    "a temperature for a newer model",
    { model: "claude-opus-4-8", temperature: 0 },
    "`temperature` is deprecated for this model.",
  ],
  [
    "an open structure",
    format({ type: "object", properties: {} }),
    "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
  ],
  [
    "a bounded number in a structure",
    format({
      type: "object",
      additionalProperties: false,
      properties: { n: { type: "integer", minimum: 0, maximum: 5 } },
    }),
    "For 'integer' type, properties maximum, minimum are not supported",
  ],
  [
    "a structure that contains itself",
    format({ $ref: "#/$defs/a", $defs: { a: { type: "array", items: { $ref: "#/$defs/a" } } } }),
    "Circular reference detected",
  ],
  [
    "a structure from an older model",
    {
      model: "claude-3-haiku-20240307",
      ...format({ type: "object", additionalProperties: false }),
    },
    "does not support output format",
  ],
  [
    "too little to think",
    thinking(500),
    "budget_tokens: Input should be greater than or equal to 1024",
  ],
  [
    "more thoughts than tokens",
    { ...thinking(), max_tokens: 1024 },
    "must be greater than `thinking.budget_tokens`",
  ],
  [
    "thoughts and a forced tool",
    { ...thinking(), max_tokens: 2000, tools, tool_choice: { type: "any" } },
    "Thinking may not be enabled when tool_choice forces tool use.",
  ],
  [
    "calls without the thoughts before them",
    { ...thinking(), max_tokens: 2000, tools, messages: [hello, uses("t1"), results("t1")] },
    "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
  ],
];

describe("Anthropic Messages refuses", () => {
  it.each(REFUSED)("%s", async (_name, change, message) => {
    await using server = await startModelServer({
      wire: "anthropic",
      script: [{ text: "ok" }],
      apiKey: API_KEY,
    });
    const body = { model: MODEL, max_tokens: 100, messages: [hello], ...change };
    const answer = await post(server, PATH, body);
    expect(answer).toMatchObject({
      status: 400,
      body: {
        type: "error",
        error: { type: "invalid_request_error", message: expect.stringContaining(message) },
        request_id: expect.stringMatching(/^req_/),
      },
    });
    expect(server.calls).toEqual([]);
  });

  it("a request without the version of the API", async () => {
    await using server = await startModelServer({ wire: "anthropic", script: [{ text: "ok" }] });
    const response = await fetch(`${server.baseUrl}${PATH}`, {
      method: "POST",
      headers: { "x-api-key": API_KEY },
      body: JSON.stringify({ model: MODEL, max_tokens: 100, messages: [hello] }),
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("anthropic-version: header is required");
  });
});

describe("Anthropic Messages accepts", () => {
  it.each([
    ["two user messages in a row", { messages: [hello, hello] }],
    [
      "results in another order, and words behind them",
      { tools, messages: [hello, uses("t1", "t2"), results("t2", "t1"), hello] },
    ],
    ["the first words of the answer", { messages: [hello, { role: "assistant", content: "So" }] }],
    [
      "a union inside a schema, and another draft's name",
      {
        tools: [
          tool("a", {
            $schema: "http://json-schema.org/draft-07/schema#",
            type: "object",
            properties: { b: { anyOf: [{ type: "string" }, { type: "null" }] } },
          }),
        ],
      },
    ],
    [
      "system words in the middle under their beta",
      { messages: [hello, { role: "system", content: "Be kind." }, hello] },
    ],
  ])("%s", async (_name, change) => {
    await using server = await startModelServer({ wire: "anthropic", script: [{ text: "ok" }] });
    const body = { model: MODEL, max_tokens: 100, messages: [hello], ...change };
    const headers = { "anthropic-beta": "mid-conversation-system-2026-04-07" };
    expect((await post(server, PATH, body, { headers })).text).toContain('"text":"ok"');
  });
});

describe("thinking blocks that come back", () => {
  const script = [
    {
      reasoning: { text: "Read first.", signature: "sig-one" },
      toolCalls: [{ id: "toolu_1", name: "read_file", input: {} }],
    },
    { text: "done" },
  ];
  const start = (): Promise<ModelServer> => startModelServer({ wire: "anthropic", script });
  const base = { model: MODEL, max_tokens: 2000, ...thinking(), tools };
  const ask = (server: ModelServer, messages: unknown[], change: object = {}): Promise<Answer> =>
    post(server, PATH, { ...base, messages, ...change });
  const contentOf = (answer: Answer): Record<string, unknown>[] =>
    (answer.body as { content: Record<string, unknown>[] }).content;
  const after = (content: unknown[]): unknown[] => [
    hello,
    { role: "assistant", content },
    results("toolu_1"),
  ];

  it("are accepted as they were handed out", async () => {
    await using server = await start();
    const content = contentOf(await ask(server, [hello]));
    expect(content[0]).toEqual({ type: "thinking", thinking: "Read first.", signature: "sig-one" });
    expect((await ask(server, after(content))).status).toBe(200);
    expect(server.calls[1]?.messages[1]?.parts[0]).toEqual({
      type: "reasoning",
      text: "Read first.",
      signature: "sig-one",
    });
  });

  it.each([
    [
      "with another text",
      { thinking: "Read last." },
      {},
      "Invalid `signature` in `thinking` block",
    ],
    ["with another signature", { signature: "sig-two" }, {}, "Invalid `signature`"],
    ["without a signature", { signature: undefined }, {}, "thinking.signature: Field required"],
    ["to another model", {}, { model: "claude-opus-4-5" }, "Invalid `signature`"],
  ])("are refused %s", async (_name, block, change, message) => {
    await using server = await start();
    const [thought, use] = contentOf(await ask(server, [hello]));
    const answer = await ask(server, after([{ ...thought, ...block }, use]), change);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(message);
  });

  it("are refused at the end of a message", async () => {
    await using server = await start();
    const [thought] = contentOf(await ask(server, [hello]));
    const answer = await ask(server, [hello, { role: "assistant", content: [thought] }, hello]);
    expect(answer.text).toContain("The final block in an assistant message cannot be `thinking`.");
  });
});
