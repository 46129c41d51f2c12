import { describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../src/index.ts";
import { type Answer, post } from "./post.ts";
import { API_KEY } from "./subjects.ts";

const path = (model: string): string => `/models/${model}:generateContent`;
const MODEL = "gemini-2.5-flash";
const user = (text = "hello"): unknown => ({ role: "user", parts: [{ text }] });
const model = (text = "hi"): unknown => ({ role: "model", parts: [{ text }] });
const calls = (...names: string[]): unknown => ({
  role: "model",
  parts: names.map((name) => ({ functionCall: { name, args: {} } })),
});
const responses = (...names: string[]): unknown => ({
  role: "user",
  parts: names.map((name) => ({ functionResponse: { name, response: { output: "42" } } })),
});
const object = (properties: unknown, rest: object = {}): object => ({
  type: "object",
  properties,
  ...rest,
});
const declare = (...declarations: object[]): object => ({
  tools: [{ functionDeclarations: declarations }],
});
const withParameters = (parameters: unknown): object => declare({ name: "a", parameters });
const string = { type: "string" };
const nested = (levels: number): object =>
  levels === 0 ? string : object({ b: nested(levels - 1) });
const AT = "tools[0].function_declarations[0].parameters";

const REFUSED: readonly [string, object, string][] = [
  ["no contents", { contents: [] }, "contents is not specified"],
  ["an unknown field", { messages: [] }, 'Unknown name "messages": Cannot find field.'],
  [
    "an unknown setting",
    { generationConfig: { maxTokens: 5 } },
    `Unknown name "maxTokens" at 'generation_config': Cannot find field.`,
  ],
  [
    "an unknown role",
    { contents: [{ role: "assistant", parts: [{ text: "x" }] }] },
    "use a valid role",
  ],
  [
    "a content without parts",
    { contents: [{ role: "user", parts: [] }] },
    "parts must not be empty",
  ],
  [
    "a part without data",
    { contents: [{ role: "user", parts: [{}] }] },
    "required oneof field 'data'",
  ],
  ["the model first", { contents: [model(), user()] }, "start with a user role"],
  ["the model last", { contents: [user(), model()] }, "end with a user role"],
  ["two users in a row", { contents: [user(), user()] }, "alternate between user and model"],
  ["two models in a row", { contents: [user(), model(), model(), user()] }, "alternate between"],
  [
    "a call after the model's words",
    { contents: [user(), model(), calls("a"), responses("a")] },
    "function call turn comes immediately after a user turn or after a function response turn",
  ],
  [
    "fewer responses than calls",
    { contents: [user(), calls("a", "b"), responses("a")] },
    "the number of function response parts is equal to the number of function call parts",
  ],
  [
    "a call without a response",
    { contents: [user(), calls("a"), user()] },
    "number of function response parts",
  ],
  ["a call at the end", { contents: [user(), calls("a")] }, "number of function response parts"],
  [
    "responses in two contents",
    { contents: [user(), calls("a", "b"), responses("a"), responses("b")] },
    "number of function response parts",
  ],
  [
    "a response without a call",
    { contents: [user(), model(), responses("a")] },
    "function response turn comes immediately after a function call turn",
  ],
  [
    "a response of another name",
    { contents: [user(), calls("a"), responses("b")] },
    "'b' has none",
  ],
  [
    "a response that is no object",
    {
      contents: [
        user(),
        calls("a"),
        { role: "user", parts: [{ functionResponse: { name: "a", response: "42" } }] },
      ],
    },
    "(type.googleapis.com/google.protobuf.Struct)",
  ],
  [
    "a name that begins with a digit",
    declare({ name: "1st" }),
    "tools[0].function_declarations[0].name: [FIELD_INVALID] Invalid function name.",
  ],
  ["a name of 65", declare({ name: "a".repeat(65) }), "with a maximum length of 64"],
  [
    "two functions of one name",
    declare({ name: "a" }, { name: "a" }),
    "Duplicate function declaration found: a",
  ],
  [
    "keywords of JSON Schema",
    withParameters(
      object({ b: { type: "object", properties: { c: string }, additionalProperties: false } }),
    ),
    `Unknown name "additionalProperties" at '${AT}.properties[0].value': Cannot find field.`,
  ],
  ["a reference", withParameters(object({ b: { $ref: "#/$defs/b" } })), 'Unknown name "$ref"'],
  [
    "a list of types",
    withParameters(object({ b: { type: ["string", "null"] } })),
    `Unknown name "type" at '${AT}.properties[0].value': Proto field is not repeating, cannot start list.`,
  ],
  [
    "an array without items",
    withParameters(object({ b: { type: "array" } })),
    `GenerateContentRequest.${AT}.properties[b].items: missing field.`,
  ],
  [
    "numbers in an enum",
    withParameters(object({ b: { type: "integer", enum: [1] } })),
    `Invalid value at '${AT}.properties[0].value.enum[0]' (TYPE_STRING), 1`,
  ],
  [
    "an enum of numbers as text",
    withParameters(object({ b: { type: "integer", enum: ["1"] } })),
    "enum: only allowed for STRING type",
  ],
  [
    "a required property that is not there",
    withParameters(object({ b: string }, { required: ["c"] })),
    "required[0]: property is not defined",
  ],
  [
    "a format that texts do not have",
    withParameters(object({ b: { ...string, format: "uri" } })),
    `GenerateContentRequest.${AT}.properties[b].format: only 'enum' and 'date-time' are supported for STRING type`,
  ],
  [
    "a parameter without a type",
    withParameters(object({ b: { type: "object", properties: { c: {} } } })),
    "`a` functionDeclaration `parameters.b.c` schema didn't specify the schema type field.",
  ],
  [
    "a union that does not stand alone",
    withParameters(object({ b: { description: "x", anyOf: [string] } })),
    "`a` functionDeclaration `parameters.b` schema specified other fields alongside any_of.",
  ],
  [
    "a parameter below ten others",
    withParameters(nested(10)),
    "FunctionDeclaration 'a' in the request exceeds the maximum allowed nesting depth.",
  ],
  [
    "parameters without properties",
    withParameters(object({})),
    "properties: should be non-empty for OBJECT type",
  ],
  ["parameters that are no object", withParameters(string), "schema should be of type OBJECT"],
  [
    "a calling mode without functions",
    { toolConfig: { functionCallingConfig: { mode: "AUTO" } } },
    "Function calling config is set without function_declarations.",
  ],
  [
    "JSON together with functions, before Gemini 3",
    { ...declare({ name: "a" }), generationConfig: { responseMimeType: "application/json" } },
    "Function calling with a response mime type: 'application/json' is unsupported",
  ],
  [
    "a structure without the type for it",
    { generationConfig: { responseSchema: object({ b: string }) } },
    "only allowed when response_mime_type is 'application/json'",
  ],
  [
    "a structure with foreign keywords",
    {
      generationConfig: {
        responseMimeType: "application/json",
        responseSchema: object({ b: string }, { additionalProperties: false }),
      },
    },
    `Unknown name "additionalProperties" at 'generation_config.response_schema'`,
  ],
  [
    "a temperature of 3",
    { generationConfig: { temperature: 3 } },
    "must be in the range [0.0, 2.0]",
  ],
  [
    "no room for an answer",
    { generationConfig: { maxOutputTokens: 0 } },
    "max_output_tokens must be positive",
  ],
  [
    "a thinking level, before Gemini 3",
    { generationConfig: { thinkingConfig: { thinkingLevel: "low" } } },
    "Thinking level is not supported for this model.",
  ],
  [
    "a signature of another origin",
    {
      contents: [user(), { role: "model", parts: [{ text: "x", thoughtSignature: "y" }] }, user()],
    },
    "Thought signature is not valid.",
  ],
];

describe("Google generateContent refuses", () => {
  it.each(REFUSED)("%s", async (_name, change, message) => {
    await using server = await startModelServer({
      wire: "google",
      script: [{ text: "ok" }],
      apiKey: API_KEY,
    });
    const answer = await post(server, path(MODEL), { contents: [user()], ...change });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        error: { code: 400, status: "INVALID_ARGUMENT", message: expect.stringContaining(message) },
      },
    });
    expect(server.calls).toEqual([]);
  });

  it("names every unknown field at once", async () => {
    await using server = await startModelServer({ wire: "google", script: [] });
    const parameters = object({ b: { ...string, const: "x" } }, { $schema: "x" });
    const answer = await post(server, path(MODEL), {
      contents: [user()],
      ...withParameters(parameters),
    });
    expect(answer.body).toMatchObject({
      error: {
        details: [
          {
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            fieldViolations: [{ field: AT }, { field: `${AT}.properties[0].value` }],
          },
        ],
      },
    });
  });
});

describe("Google generateContent accepts", () => {
  it.each([
    [
      "words of the user behind the results of tools",
      { contents: [user(), calls("a"), responses("a"), user()] },
    ],
    ["a dotted name", declare({ name: "ace.ask" })],
    [
      "JSON Schema in its own field",
      declare({ name: "a", parametersJsonSchema: { type: "object", additionalProperties: false } }),
    ],
    ["a parameter below nine others", withParameters(nested(9))],
    [
      "a union that stands alone",
      withParameters(object({ b: { anyOf: [string, { type: "object" }] } })),
    ],
    [
      "an object without known properties inside",
      withParameters(object({ b: { type: "object" } })),
    ],
  ])("%s", async (_name, change) => {
    await using server = await startModelServer({ wire: "google", script: [{ text: "ok" }] });
    const answer = await post(server, path(MODEL), { contents: [user()], ...change });
    expect(answer.text).toContain('"text":"ok"');
  });
});

describe("thought signatures of Gemini 3", () => {
  const NAME = "gemini-3-pro-preview";
  const script = [
    {
      toolCalls: [
        { name: "a", input: { n: 1 } },
        { name: "a", input: { n: 2 } },
      ],
    },
    { text: "done" },
  ];
  type Part = Record<string, unknown>;
  const start = (): Promise<ModelServer> => startModelServer({ wire: "google", script });
  const ask = (server: ModelServer, contents: unknown[]): Promise<Answer> =>
    post(server, path(NAME), { contents, ...declare({ name: "a" }) });
  const partsOf = (answer: Answer): Part[] =>
    (answer.body as { candidates: { content: { parts: Part[] } }[] }).candidates[0]?.content
      .parts ?? [];
  const after = (parts: unknown[]): unknown[] => [
    user(),
    { role: "model", parts },
    responses("a", "a"),
  ];

  it("are issued on the first of parallel calls and accepted there", async () => {
    await using server = await start();
    const parts = partsOf(await ask(server, [user()]));
    expect(parts.map(({ thoughtSignature }) => typeof thoughtSignature)).toEqual([
      "string",
      "undefined",
    ]);
    expect((await ask(server, after(parts))).status).toBe(200);
  });

  it.each([
    ["lost", { thoughtSignature: undefined }, "Function call is missing a thought_signature"],
    [
      "replaced by the way round them",
      { thoughtSignature: "skip_thought_signature_validator" },
      "`default_api:a` , position 2",
    ],
    ["changed", { thoughtSignature: "other" }, "Thought signature is not valid."],
  ])("are refused when %s", async (_name, change, message) => {
    await using server = await start();
    const [first, second] = partsOf(await ask(server, [user()]));
    const answer = await ask(server, after([{ ...first, ...change }, second]));
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(message);
  });

  it("are not needed on calls of another origin in earlier turns, nor with the documented way round", async () => {
    await using server = await start();
    const foreign = [user(), calls("a"), responses("a")];
    expect((await ask(server, foreign)).status).toBe(400);
    expect((await ask(server, [...foreign, model(), user()])).status).toBe(200);
    const skipped = {
      role: "model",
      parts: [
        {
          functionCall: { name: "a", args: {} },
          thoughtSignature: "skip_thought_signature_validator",
        },
      ],
    };
    expect((await ask(server, [user(), skipped, responses("a")])).status).toBe(200);
  });
});
