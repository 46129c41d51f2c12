import { describe, expect, it } from "vitest";
import { googleSchema } from "../../src/tools/google-schema.ts";
import { anthropicSchema, openAiSchema } from "../../src/tools/json-schema-tools.ts";
import { asOneObject } from "../../src/tools/object-root.ts";
import { ToolSchemas } from "../../src/tools/tool-schemas.ts";

const text = { type: "string" };
const object = (properties: object, rest: object = {}): Record<string, unknown> => ({
  type: "object",
  properties,
  ...rest,
});

describe("the root as one object", () => {
  it("is the same when there is nothing to do", () => {
    const schema = object({ a: text });
    expect(asOneObject(schema)).toBe(schema);
  });

  it("has the properties of all branches and requires what all of them require", () => {
    const schema = object(
      { kind: { ...text, description: "Which" } },
      {
        anyOf: [
          object({ kind: { const: "a" }, x: text }, { required: ["kind", "x"] }),
          object({ kind: { const: "b" }, y: text }, { required: ["kind"] }),
        ],
      },
    );
    expect(asOneObject(schema)).toEqual({
      ...object({ kind: { ...text, description: "Which", enum: ["a", "b"] }, x: text, y: text }),
      required: ["kind"],
      description:
        '[Give at least one of these combinations: (1) kind = "a" and x; (2) kind = "b"]',
    });
  });

  it("leaves a property as it is about which a branch says nothing", () => {
    const schema = object(
      { a: text },
      { oneOf: [object({ a: { const: "x" } }), object({ b: text })] },
    );
    expect(asOneObject(schema)).toMatchObject({ properties: { a: text, b: text } });
  });

  it("makes a union of what branches say differently about a property", () => {
    const schema = {
      oneOf: [object({ v: text }), object({ v: { type: "number" } }), { type: "null" }],
    };
    expect(asOneObject(schema)).toMatchObject({
      properties: { v: { anyOf: [text, { type: "number" }] } },
    });
  });

  it("follows references and ends in cycles", () => {
    const schema = {
      $ref: "#/$defs/a",
      $defs: {
        a: { allOf: [{ $ref: "#/$defs/b" }, { $ref: "#/$defs/a" }] },
        b: object({ x: text }),
      },
    };
    expect(asOneObject(schema)).toMatchObject({ type: "object", properties: { x: text } });
  });
});

describe("for services of JSON Schema", () => {
  it("an object has a type and, for OpenAI, properties; a list has items", () => {
    expect(anthropicSchema({})).toEqual({ type: "object" });
    expect(openAiSchema({})).toEqual({ type: "object", properties: {} });
    expect(openAiSchema(object({ a: { type: ["array", "null"] } }))).toEqual(
      object({ a: { type: ["array", "null"], items: {} } }),
    );
  });

  it("a tuple of the older drafts is written in the newer way", () => {
    const schema = object({ a: { type: "array", items: [text], additionalItems: false } });
    const converted = object({ a: { type: "array", prefixItems: [text], items: false } });
    expect(anthropicSchema(schema)).toEqual(converted);
    expect(openAiSchema(schema)).toEqual(converted);
  });

  it("a root that is no object stays what it is, and is refused alone", () => {
    expect(openAiSchema({ type: "string" })["type"]).toBe("string");
  });
});

describe("for Gemini", () => {
  it("references are put in place, cycles and dead ends become free values", () => {
    const schema = object(
      { a: { $ref: "#/$defs/n" }, b: { $ref: "#/$defs/none" } },
      { $defs: { n: object({ child: { $ref: "#/$defs/n", description: "again" } }) } },
    );
    expect(googleSchema(schema)).toMatchObject({
      properties: {
        a: {
          properties: { child: { anyOf: [{ type: "string", description: "again" }, {}, {}, {}] } },
        },
        b: { anyOf: [text, {}, {}, {}] },
      },
    });
  });

  it("references that multiply are bounded", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `d${index}`,
        { anyOf: [1, 2].map((way) => ({ $ref: `#/$defs/d${index + 1}`, description: `${way}` })) },
      ]),
    );
    const converted = googleSchema(object({ a: { $ref: "#/$defs/d0" } }, { $defs }));
    expect(JSON.stringify(converted).length).toBeLessThan(2_000_000);
  });
});

describe("tools of a call", () => {
  const tool = {
    type: "function" as const,
    name: "a",
    inputSchema: { anyOf: [object({ x: text })] },
  };

  it("are converted once and never changed themselves", () => {
    const schemas = new ToolSchemas("openai");
    const before = JSON.stringify(tool);
    const [one] = schemas.of([tool]);
    const [two] = schemas.of([{ ...tool }]);
    expect(one).toMatchObject({ inputSchema: object({ x: text }) });
    expect(
      two?.type === "function" && one?.type === "function" && two.inputSchema === one.inputSchema,
    ).toBe(true);
    expect(JSON.stringify(tool)).toBe(before);
  });

  it("are not strict on the Responses API unless they say so", () => {
    const schemas = new ToolSchemas("openai-responses");
    expect(schemas.of([tool])[0]).toMatchObject({ strict: false });
    const strict = { ...tool, strict: true };
    expect(schemas.of([strict])[0]).toBe(strict);
    expect(new ToolSchemas("openai").of([tool])[0]).not.toHaveProperty("strict");
  });

  it("stay as they are for a model without a service", () => {
    expect(new ToolSchemas(undefined).of([tool])[0]).toBe(tool);
  });
});
