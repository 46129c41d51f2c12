import fc from "fast-check";

const sections = fc.constantFrom("a", "A", "b c", "größe", "", "🚀", "__proto__");
const ids = fc.constantFrom("a-00001", "a-00002", "b-00003", "größe-00004", "a-00005", "ghost-9");
const contents = fc.oneof(
  fc.constantFrom("one", "One!", "two", "use 1.5", "use 15", "x".repeat(2_000), "line\nline"),
  fc.string({ unit: "grapheme", maxLength: 20 }),
);

/** Operations in both spellings; about a quarter are refused for one reason or another. */
export const operation: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constantFrom("ADD", "add"),
      section: sections,
      content: contents,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record(
      { type: fc.constant("UPDATE"), skillId: ids, content: contents, evidence: contents },
      { requiredKeys: ["type", "skillId"] },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("TAG"),
      skill_id: ids,
      metadata: fc.dictionary(
        fc.constantFrom("helpful", "harmful", "id"),
        fc.integer({ min: -1, max: 3 }),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("REMOVE"), skillId: ids }) },
);

/** {@link operation} or anything else. */
export const anything: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: operation },
  { weight: 1, arbitrary: fc.anything() },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constantFrom("ADD", "UPDATE", "TAG", "REMOVE", "EVAL"),
      section: fc.anything(),
      content: fc.anything(),
      skill_id: fc.anything(),
      sources: fc.anything(),
    }),
  },
);
