type Schema = Readonly<Record<string, unknown>>;

/** One schema of a server's tool, and what of it must reach every service. */
export interface SchemaRow {
  readonly name: string;
  readonly schema: Schema;
  /** Texts of the JSON that the service got. */
  readonly keeps: readonly string[];
  /** Paths and values where JSON Schema is taken: the wires of Anthropic and OpenAI. */
  readonly json?: Readonly<Record<string, unknown>>;
  /** Paths and values in what the Gemini API got. */
  readonly google?: Readonly<Record<string, unknown>>;
}

const text = { type: "string" };
const whole = { type: "integer" };

export function object(properties: Schema, rest: Schema = {}): Schema {
  return { type: "object", properties, ...rest };
}

/** `then`, which as a plain key would look like that of a promise. */
function next(schema: Schema): Schema {
  return JSON.parse(`{"then":${JSON.stringify(schema)}}`) as Schema;
}

function many(count: number): Schema {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`field_${index}`, { type: "string" }]),
  );
}

function nested(levels: number): Schema {
  return levels === 0 ? text : object({ [`level_${levels}`]: nested(levels - 1) });
}

const TREE: Schema = object(
  { root: { $ref: "#/$defs/node" } },
  {
    $defs: {
      node: object({
        label: { ...text, description: "Name of the node" },
        children: { type: "array", items: { $ref: "#/$defs/node" } },
      }),
    },
  },
);

const CIRCLE = object(
  { kind: { const: "circle" }, radius: { type: "number" } },
  {
    required: ["kind", "radius"],
  },
);
const SQUARE = object(
  { kind: { const: "square" }, side: { type: "number" } },
  {
    required: ["kind", "side"],
  },
);

const PLAIN: readonly SchemaRow[] = [
  {
    name: "flat, with one required property",
    schema: object(
      { path: { ...text, description: "Where" }, depth: whole },
      { required: ["path"] },
    ),
    keeps: ['"Where"', '"required":["path"]'],
    json: { "properties.depth.type": "integer" },
    google: { "properties.depth.type": "integer" },
  },
  { name: "no keyword at all", schema: {}, keeps: [] },
  { name: "an object without properties", schema: { type: "object" }, keeps: [] },
  {
    name: "empty properties and additionalProperties false",
    schema: object({}, { additionalProperties: false }),
    keeps: [],
  },
  {
    name: "properties without a type",
    schema: { properties: { q: text } },
    keeps: ['"q"'],
    json: { type: "object" },
    google: { type: "object" },
  },
  {
    name: "nested objects",
    schema: object({
      a: object({ b: object({ c: { ...text, description: "deep" } }, { required: ["c"] }) }),
    }),
    keeps: ['"deep"', '"required":["c"]'],
    json: { "properties.a.properties.b.properties.c.type": "string" },
    google: { "properties.a.properties.b.properties.c.type": "string" },
  },
  { name: "thirty levels of objects", schema: nested(30), keeps: ["level_30", "level_24"] },
  {
    name: "two hundred properties, each required",
    schema: object(many(200), { required: Object.keys(many(200)) }),
    keeps: ['"field_0"', '"field_199"'],
    json: { "required.length": 200 },
    google: { "required.length": 200 },
  },
  {
    name: "a description of twenty thousand characters",
    schema: object({ q: { ...text, description: `Search terms. ${"x".repeat(20_000)}` } }),
    keeps: ["Search terms."],
  },
  {
    name: "defaults, examples and titles",
    schema: object(
      { size: { ...whole, title: "Size", default: 10, examples: [5] } },
      { title: "Args", $id: "urn:x", $comment: "c" },
    ),
    keeps: ['"size"'],
    json: { "properties.size.type": "integer" },
    google: { "properties.size.type": "integer" },
  },
  {
    name: "the name of another draft",
    schema: object(
      { q: text },
      { $schema: "http://json-schema.org/draft-07/schema#", additionalProperties: false },
    ),
    keeps: ['"q"'],
    google: { "properties.q.type": "string" },
  },
  {
    name: "formats",
    schema: object({
      url: { ...text, format: "uri" },
      at: { ...text, format: "date-time" },
      id: { ...whole, format: "int64" },
    }),
    keeps: ["uri", "date-time"],
    google: { "properties.at.format": "date-time", "properties.url.type": "string" },
  },
  {
    name: "limits of numbers, texts and lists",
    schema: object({
      n: { type: "number", minimum: 1, exclusiveMaximum: 9, multipleOf: 0.5 },
      t: { ...text, minLength: 1, maxLength: 5, pattern: "^a+$" },
      l: { type: "array", items: text, minItems: 1, maxItems: 3, uniqueItems: true },
    }),
    keeps: ['"n"', '"t"', '"l"'],
    json: { "properties.n.exclusiveMaximum": 9, "properties.l.maxItems": 3 },
    google: {
      "properties.n.type": "number",
      "properties.n.description": "[Less than 9. A multiple of 0.5]",
      "properties.t.description": "[Pattern: ^a+$]",
      "properties.l.items.type": "string",
    },
  },
];

const UNIONS: readonly SchemaRow[] = [
  {
    name: "a union of objects at the root",
    schema: { type: "object", anyOf: [CIRCLE, SQUARE] },
    keeps: ['"radius"', '"side"', "circle", "square", "combinations", '"required":["kind"]'],
    json: { type: "object", "properties.kind.enum": ["circle", "square"] },
    google: { "properties.kind.enum": ["circle", "square"], "properties.kind.type": "string" },
  },
  {
    name: "oneOf at the root that only requires",
    schema: object(
      { id: text, name: text },
      { oneOf: [{ required: ["id"] }, { required: ["name"] }] },
    ),
    keeps: ["exactly one", "(1) id; (2) name"],
    json: { "properties.id.type": "string", required: undefined },
    google: { "properties.name.type": "string" },
  },
  {
    name: "allOf at the root",
    schema: {
      allOf: [object({ a: text }, { required: ["a"] }), object({ b: whole }, { required: ["b"] })],
    },
    keeps: ['"required":["a","b"]'],
    json: { "properties.a.type": "string", "properties.b.type": "integer" },
    google: { "properties.b.type": "integer" },
  },
  {
    name: "a reference at the root",
    schema: { $ref: "#/$defs/args", $defs: { args: object({ a: text }, { required: ["a"] }) } },
    keeps: ['"required":["a"]'],
    json: { "properties.a.type": "string" },
    google: { "properties.a.type": "string" },
  },
  {
    name: "if, then and else at the root",
    schema: object(
      { mode: { enum: ["x", "y"] } },
      {
        required: ["mode"],
        if: { properties: { mode: { const: "x" } } },
        ...next({ properties: { extra: text }, required: ["extra"] }),
        else: { properties: { other: text } },
      },
    ),
    keeps: ['"extra"', '"other"', "Rule: if"],
    json: { required: ["mode"] },
    google: { required: ["mode"], "properties.extra.type": "string" },
  },
  {
    name: "not at the root",
    schema: object({ a: text, b: text }, { not: { required: ["a", "b"] } }),
    keeps: ["Must not match", '"a"', '"b"'],
  },
  {
    name: "a union inside",
    schema: object({ shape: { description: "What to draw", oneOf: [CIRCLE, SQUARE] } }),
    keeps: ["What to draw", '"radius"', '"side"'],
    google: {
      "properties.shape.anyOf.0.properties.kind.enum": ["circle"],
      "properties.shape.anyOf.1.properties.side.type": "number",
    },
  },
  {
    name: "a union of a text, a number and a list",
    schema: object({ v: { anyOf: [text, { type: "number" }, { type: "array", items: text }] } }),
    keeps: ['"anyOf"'],
    google: { "properties.v.anyOf.2.items.type": "string", "properties.v.anyOf.length": 3 },
  },
  {
    name: "a union of one",
    schema: object({ v: { anyOf: [text], description: "only" } }),
    keeps: ["only"],
    google: { "properties.v.type": "string" },
  },
  {
    name: "an object with alternatives beside its properties",
    schema: object({
      target: {
        type: "object",
        properties: { id: text, name: text },
        anyOf: [{ required: ["id"] }, { required: ["name"] }],
      },
    }),
    keeps: ['"id"', '"name"'],
    google: { "properties.target.properties.id.type": "string" },
  },
  {
    name: "allOf inside",
    schema: object({
      a: { allOf: [{ ...text, description: "first" }, { minLength: 2 }] },
      o: { allOf: [object({ x: text }), object({ y: whole })] },
    }),
    keeps: ["first", '"x"', '"y"'],
    google: { "properties.a.type": "string", "properties.o.properties.y.type": "integer" },
  },
  {
    name: "if and not inside",
    schema: object({
      v: { ...text, not: { const: "root" } },
      o: object({ k: text }, { if: { required: ["k"] }, ...next({ required: ["k"] }) }),
    }),
    keeps: ["root", '"k"'],
    google: { "properties.v.type": "string", "properties.o.properties.k.type": "string" },
  },
  {
    name: "list of types",
    schema: object({
      v: { type: ["string", "integer"], description: "either" },
      w: { type: ["array", "string"] },
    }),
    keeps: ["either"],
    google: { "properties.v.anyOf.1.type": "integer", "properties.w.anyOf.length": 2 },
  },
];

const NULLABLE: readonly SchemaRow[] = [
  {
    name: "a type with null",
    schema: object({ v: { type: ["string", "null"], description: "may be null" } }),
    keeps: ["may be null"],
    json: { "properties.v.type": ["string", "null"] },
    google: { "properties.v.type": "string", "properties.v.nullable": true },
  },
  {
    name: "a union with null",
    schema: object({ v: { anyOf: [whole, { type: "null" }], default: null } }),
    keeps: ['"integer"', "null"],
    google: { "properties.v.type": "integer", "properties.v.nullable": true },
  },
  {
    name: "a union of three with null",
    schema: object({ v: { anyOf: [whole, text, { type: "null" }] } }),
    keeps: ['"integer"'],
    google: { "properties.v.anyOf.0.nullable": true, "properties.v.anyOf.length": 2 },
  },
  {
    name: "OpenAPI's nullable",
    schema: object({ v: { ...text, nullable: true } }),
    keeps: ['"v"'],
    google: { "properties.v.type": "string", "properties.v.nullable": true },
  },
  {
    name: "only null",
    schema: object({ v: { type: "null" }, w: text }),
    keeps: ['"v"'],
    google: { "properties.v.type": "null" },
  },
  {
    name: "a list of values with null",
    schema: object({ v: { enum: ["a", "b", null] } }),
    keeps: ['"a"', '"b"'],
    google: { "properties.v.enum": ["a", "b"], "properties.v.nullable": true },
  },
];

const VALUES: readonly SchemaRow[] = [
  {
    name: "const",
    schema: object({ kind: { const: "file" }, version: { const: 2 } }),
    keeps: ["file", "2"],
    google: {
      "properties.kind.enum": ["file"],
      "properties.version.type": "integer",
      "properties.version.enum": undefined,
    },
  },
  {
    name: "numbers as values",
    schema: object({ level: { type: "integer", enum: [0, 1, 2], description: "How loud" } }),
    keeps: ["How loud", "0"],
    json: { "properties.level.enum": [0, 1, 2] },
    google: {
      "properties.level.type": "integer",
      "properties.level.description": "How loud [One of: 0, 1, 2]",
    },
  },
  {
    name: "values of several types",
    schema: object({ v: { enum: ["auto", 1, true] } }),
    keeps: ["auto"],
    google: { "properties.v.anyOf.length": 3 },
  },
  {
    name: "an empty text among the values",
    schema: object({ v: { ...text, enum: ["", "a"] } }),
    keeps: ['"v"'],
    google: { "properties.v.type": "string", "properties.v.enum": undefined },
  },
  {
    name: "a list of values that is empty",
    schema: object({ never: { enum: [] }, q: text }, { required: ["q"] }),
    keeps: ['"q"'],
  },
  {
    name: "values that are lists and objects",
    schema: object({ v: { enum: [[1, 2], { a: 1 }] } }),
    keeps: ['"v"'],
  },
];

const LISTS: readonly SchemaRow[] = [
  {
    name: "a list without items",
    schema: object({ tags: { type: "array", description: "Tags" } }),
    keeps: ["Tags"],
    json: { "properties.tags.type": "array" },
    google: { "properties.tags.type": "array", "properties.tags.items.anyOf.0.type": "string" },
  },
  {
    name: "a tuple",
    schema: object({ range: { type: "array", prefixItems: [whole, text] } }),
    keeps: ['"integer"', '"string"'],
    google: {
      "properties.range.items.anyOf.length": 2,
    },
  },
  {
    name: "a tuple of the older drafts",
    schema: object({
      point: {
        type: "array",
        items: [{ type: "number" }, { type: "number" }],
        additionalItems: false,
      },
    }),
    keeps: ['"number"'],
    google: { "properties.point.items.type": "number" },
  },
  {
    name: "lists of lists of objects",
    schema: object({
      rows: { type: "array", items: { type: "array", items: object({ cell: text }) } },
    }),
    keeps: ['"cell"'],
    json: { "properties.rows.items.items.properties.cell.type": "string" },
    google: { "properties.rows.items.items.properties.cell.type": "string" },
  },
  {
    name: "a list of anything",
    schema: object({ data: { type: "array", items: {} }, more: { type: "array", items: true } }),
    keeps: ['"data"', '"more"'],
  },
];

const ODD: readonly SchemaRow[] = [
  {
    name: "references and definitions",
    schema: object(
      { a: { $ref: "#/$defs/n" }, b: { $ref: "#/definitions/m", description: "the b" } },
      { $defs: { n: object({ x: text }) }, definitions: { m: whole } },
    ),
    keeps: ['"x"', "the b"],
    json: { "properties.a.properties.x.type": "string", "properties.b.type": "integer" },
    google: { "properties.a.properties.x.type": "string", "properties.b.type": "integer" },
  },
  {
    name: "a cycle",
    schema: TREE,
    keeps: ["Name of the node", '"children"'],
    google: { "properties.root.properties.children.items.type": "object" },
  },
  {
    name: "references to elsewhere and to nothing",
    schema: object({
      far: { $ref: "https://example.com/s.json", description: "far" },
      gone: { $ref: "#/$defs/none" },
    }),
    keeps: ["far", '"gone"'],
  },
  {
    name: "leftovers of draft-04",
    schema: object(
      {
        n: { type: "integer", minimum: 0, exclusiveMinimum: true },
        m: { ...text, required: true },
      },
      { id: "urn:old" },
    ),
    keeps: ['"n"', '"m"'],
    google: { "properties.n.type": "integer" },
  },
  {
    name: "property names that services refuse",
    schema: object(
      {
        "$.xgafv": { ...text, description: "dollar" },
        "größe in cm": { ...whole, description: "umlaut" },
        ["k".repeat(80)]: { ...text, description: "long" },
        "": { ...text, description: "empty" },
      },
      { required: ["$.xgafv"] },
    ),
    keeps: ["dollar", "umlaut", "long", "empty", '"required":["'],
  },
  {
    name: "property names of JavaScript",
    schema: JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string","description":"proto"},"constructor":{"type":"string"},"toString":{"type":"string"}},"required":["toString"]}',
    ) as Schema,
    keeps: ["proto", '"toString"'],
  },
  {
    name: "property names that are keywords",
    schema: object({
      type: text,
      properties: object({ enum: text }),
      required: { type: "boolean" },
      $ref: text,
      items: text,
    }),
    keeps: ['"enum"'],
    json: {
      "properties.type.type": "string",
      "properties.properties.properties.enum.type": "string",
    },
    google: { "properties.type.type": "string", "properties.required.type": "boolean" },
  },
  {
    name: "boolean schemas",
    schema: object({ anything: true, nothing: false, q: text }, { required: ["q"] }),
    keeps: ['"anything"', '"q"'],
  },
  {
    name: "a map of texts",
    schema: object({
      env: { type: "object", additionalProperties: { type: "string" }, description: "Variables" },
    }),
    keeps: ["Variables"],
    json: { "properties.env.additionalProperties.type": "string" },
    google: { "properties.env.type": "object" },
  },
  {
    name: "patterns of names",
    schema: object({
      h: {
        type: "object",
        patternProperties: { "^x-": { type: "string" } },
        propertyNames: { pattern: "^x-" },
      },
    }),
    keeps: ['"h"', "^x-"],
  },
  {
    name: "a free object at the root",
    schema: { type: "object", additionalProperties: true },
    keeps: [],
  },
  {
    name: "properties without types",
    schema: object({
      a: {},
      b: { description: "anything" },
      c: { properties: { d: text } },
      e: { items: text },
      f: { minLength: 1 },
    }),
    keeps: ["anything", '"d"'],
    google: {
      "properties.b.anyOf.0.description": "anything",
      "properties.c.type": "object",
      "properties.e.items.type": "string",
    },
  },
  {
    name: "required names that are not there",
    schema: object({ a: text }, { required: ["a", "gone", "a"] }),
    keeps: ['"required":["a"]'],
  },
  {
    name: "dependencies of properties",
    schema: object({ card: text, address: text }, { dependentRequired: { card: ["address"] } }),
    keeps: ['"card"', '"address"'],
  },
];

/** What MCP servers list, and worse. */
export const ROWS: readonly SchemaRow[] = [
  ...PLAIN,
  ...UNIONS,
  ...NULLABLE,
  ...VALUES,
  ...LISTS,
  ...ODD,
];
