import type { ModelRequest } from "@acumen/models";
import type { WireName } from "@acumen/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { convertSchema } from "../../src/mcp/tools/convert-schema.ts";
import { object, ROWS, type SchemaRow } from "./schema-rows.ts";
import { type Service, serve, SUBJECTS } from "./subjects.ts";

type Schema = Readonly<Record<string, unknown>>;
type Body = Record<string, unknown>;

const ASK: ModelRequest["messages"] = [{ role: "user", content: [{ type: "text", text: "go" }] }];

function toolsOf(schema: Schema, name = "probe"): NonNullable<ModelRequest["tools"]> {
  return [{ type: "function", name, description: "A tool.", inputSchema: schema }];
}

function converted(schema: Schema): Schema {
  const result = convertSchema(schema);
  if (!result.ok) throw new Error(result.reason);
  return result.schema;
}

function at(value: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>(
      (here, step) =>
        typeof here === "object" && here !== null ? (here as Body)[step] : undefined,
      value,
    );
}

test("the table is as large as it says", () => {
  expect(ROWS.length).toBeGreaterThanOrEqual(40);
  expect(new Set(ROWS.map(({ name }) => name)).size).toBe(ROWS.length);
});

describe.each(SUBJECTS)("the service $wire accepts a tool with", (subject) => {
  let got: readonly unknown[] = [];

  beforeAll(async () => {
    await using service = await serve(subject, () => ({ text: "ok" }));
    const tools = ROWS.flatMap(({ schema }, index) => toolsOf(converted(schema), `tool_${index}`));
    const before = JSON.stringify(tools);
    // All at once: one odd schema would have the whole request refused, and the refusal names its tool.
    await service.model.generate({ messages: ASK, tools });
    await service.model.generate({ messages: ASK, tools });
    const [first, second] = service.server.calls.map((call) => call.tools);
    // Every step of a session sends the same bytes, and what was given is untouched.
    expect(JSON.stringify(second)).toBe(JSON.stringify(first));
    expect(JSON.stringify(tools)).toBe(before);
    got = first?.map(({ schema }) => schema) ?? [];
  });

  test.each(ROWS)("$name", ({ name, keeps, json = {}, google = {} }: SchemaRow) => {
    expect(got).toHaveLength(ROWS.length);
    const schema = got[ROWS.findIndex((row) => row.name === name)];
    const sent = JSON.stringify(schema) ?? "";
    for (const part of keeps) expect(sent).toContain(part);
    const paths = subject.wire === "google" ? google : json;
    for (const [path, value] of Object.entries(paths)) {
      expect({ [path]: at(schema, path) }).toEqual({ [path]: value });
    }
  });
});

test("optional parameters stay optional where strict mode is the default", async () => {
  const subject = SUBJECTS.find(({ wire }) => wire === "openai-responses");
  if (subject === undefined) throw new Error("no subject");
  await using service = await serve(subject, () => ({ text: "ok" }));
  const schema = object({ a: { type: "string" }, b: { type: "string" } }, { required: ["a"] });
  await service.model.generate({ messages: ASK, tools: toolsOf(converted(schema)) });
  expect(service.server.calls[0]?.tools[0]).toMatchObject({
    strict: false,
    schema: { required: ["a"] },
  });
  const body = structuredClone(service.server.requests[0]?.body ?? {});
  delete ((body["tools"] as Body[])[0] as Body)["strict"];
  await resend(service, body);
  expect(service.server.calls[1]?.tools[0]).toMatchObject({ schema: { required: ["a", "b"] } });
});

const OPENAI: readonly WireName[] = ["openai-chat", "openai-responses"];
const JSON_SCHEMA: readonly WireName[] = ["anthropic", ...OPENAI];
const text = { type: "string" };
/** The same requests with the schema as servers list it. */
const REFUSED: readonly (readonly [string, Schema, readonly WireName[]])[] = [
  ["a union at the root", object({ a: text }, { anyOf: [{ required: ["a"] }] }), JSON_SCHEMA],
  ["not at the root", object({ a: text }, { not: { required: ["b"] } }), OPENAI],
  ["no type at the root", { properties: { a: text } }, [...JSON_SCHEMA, "google"]],
  ["no properties", { type: "object" }, [...OPENAI, "google"]],
  ["a root that is no object", { type: "array", items: text }, [...JSON_SCHEMA, "google"]],
  ["a list without items", object({ a: { type: "array" } }), [...OPENAI, "google"]],
  [
    "a tuple of the older drafts",
    object({ a: { type: "array", items: [text] } }),
    ["anthropic", ...OPENAI, "google"],
  ],
  [
    "leftovers of draft-04",
    object({ a: { type: "integer", exclusiveMinimum: true } }),
    ["anthropic", "google"],
  ],
  ["a hostile property name", object({ "$.x": text }), ["anthropic"]],
  [
    "required that is no list",
    object({ a: { ...text, required: true } }),
    ["anthropic", ...OPENAI],
  ],
  ["a reference", object({ a: { $ref: "#/$defs/b" } }, { $defs: { b: text } }), ["google"]],
  ["additionalProperties", object({ a: text }, { additionalProperties: false }), ["google"]],
  ["const", object({ a: { const: "x" } }), ["google"]],
  ["patternProperties", object({ a: { type: "object", patternProperties: {} } }), ["google"]],
  ["not", object({ a: { ...text, not: {} } }), ["google"]],
  ["list of types", object({ a: { type: ["string", "null"] } }), ["google"]],
  ["numbers as values", object({ a: { type: "integer", enum: [1] } }), ["google"]],
  ["no type inside", object({ a: {} }), ["google"]],
  ["a boolean schema", object({ a: true }), ["google"]],
  ["something beside a union", object({ a: { anyOf: [text], description: "x" } }), ["google"]],
  ["a format", object({ a: { ...text, format: "uri" } }), ["google"]],
  ["required that is not there", object({ a: text }, { required: ["b"] }), ["google"]],
  ["eleven levels", deep(11), ["google"]],
];

function deep(levels: number): Schema {
  return levels === 0 ? text : object({ a: deep(levels - 1) });
}

describe.each(SUBJECTS.filter(({ wire }) => wire !== "openai-compatible"))(
  "the service $wire refuses a tool that is sent unchanged, with",
  (subject) => {
    let service: Service;
    let body: Body;
    beforeAll(async () => {
      service = await serve(subject, () => ({ text: "ok" }));
      await service.model.generate({ messages: ASK, tools: toolsOf(object({ a: text })) });
      body = service.server.requests[0]?.body ?? {};
    });
    afterAll(() => service[Symbol.asyncDispose]());

    const rows = REFUSED.filter(([, , wires]) => wires.includes(subject.wire));

    test.each(rows)("%s", async (_name, schema) => {
      const request = structuredClone(body);
      putSchema(request, schema);
      expect(await resend(service, request)).toBe(400);
      expect(service.server.requests.at(-1)?.refusal).toMatch(
        /tools\.0\.custom\.input_schema|function 'probe'|FunctionDeclaration 'probe'|`probe` functionDeclaration|function_declarations\[0\]/,
      );
    });

    test("and takes all of them that can be converted", async () => {
      const schemas = rows.flatMap(([, schema]) => {
        const result = convertSchema(schema);
        return result.ok ? [result.schema] : [];
      });
      expect(schemas).toHaveLength(rows.length - 1);
      const tools = schemas.flatMap((schema, index) => toolsOf(schema, `tool_${index}`));
      await service.model.generate({ messages: ASK, tools });
      expect(service.server.requests.at(-1)?.status).toBe(200);
    });
  },
);

/** Puts a schema where the body of this wire has that of its first tool. */
function putSchema(body: Body, schema: Schema): void {
  const [tool] = body["tools"] as Body[];
  if (tool === undefined) throw new Error("no tool was sent");
  const [declaration] = (tool["functionDeclarations"] ?? []) as Body[];
  const holder = declaration ?? (tool["function"] as Body | undefined) ?? tool;
  holder["input_schema" in holder ? "input_schema" : "parameters"] = schema;
}

/** The request as it was made, with another body. @returns the status */
async function resend({ server }: Service, body: Body): Promise<number> {
  const { path = "", headers = {} } = server.requests[0] ?? {};
  const keys = { "x-api-key": "k", "x-goog-api-key": "k", authorization: "Bearer k" };
  const version = headers["anthropic-version"];
  const response = await fetch(new URL(path, server.baseUrl), {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...keys,
      ...(version !== undefined && { "anthropic-version": version }),
    },
    body: JSON.stringify(body),
  });
  await response.text();
  return response.status;
}
