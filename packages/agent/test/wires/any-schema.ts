import fc from "fast-check";

const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"];
const name = fc.constantFrom("a", "b", "type", "$ref", "größe", "items", "x.y", "");
const value = fc.oneof(
  fc.constantFrom("", "a", 1, 1.5, true, null),
  fc.constant([1]),
  fc.constant({}),
);

/** Schemas as nobody would write them by hand: every keyword may hold nearly anything. */
export const { schema } = fc.letrec<{ schema: unknown; node: object }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 2 },
    { weight: 3, arbitrary: fc.constantFrom(true, false, {}, { type: "string" }) },
    { weight: 2, arbitrary: tie("node") },
  ),
  node: fc.record(
    {
      type: fc.oneof(fc.constantFrom(...TYPES, "any", "file"), fc.subarray(TYPES)),
      description: fc.string({ maxLength: 5 }),
      properties: fc.dictionary(name, tie("schema"), { maxKeys: 3 }),
      required: fc.oneof(fc.array(name, { maxLength: 3 }), fc.constant(true)),
      items: fc.oneof(tie("schema"), fc.array(tie("schema"), { maxLength: 2 })),
      prefixItems: fc.array(tie("schema"), { maxLength: 2 }),
      anyOf: fc.array(tie("schema"), { maxLength: 3 }),
      oneOf: fc.array(tie("schema"), { maxLength: 3 }),
      allOf: fc.array(tie("schema"), { maxLength: 3 }),
      not: tie("schema"),
      if: tie("schema"),
      else: tie("schema"),
      additionalProperties: tie("schema"),
      patternProperties: fc.dictionary(fc.constant("^x"), tie("schema"), { maxKeys: 1 }),
      enum: fc.array(value, { maxLength: 3 }),
      const: value,
      default: value,
      format: fc.constantFrom("uri", "date-time", "int32", 7),
      nullable: fc.boolean(),
      minimum: fc.constantFrom(0, "0"),
      exclusiveMinimum: fc.constantFrom(true, 1),
      $ref: fc.constantFrom("#/properties/a", "#/$defs/d", "https://example.com"),
      $defs: fc.dictionary(fc.constant("d"), tie("schema"), { maxKeys: 1 }),
    },
    { requiredKeys: [] },
  ),
}));
