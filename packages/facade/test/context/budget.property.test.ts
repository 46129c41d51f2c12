import fc from "fast-check";
import { expect, test } from "vitest";
import { CONTEXT_VIEWS, type ContextInput } from "../../src/services/context-service.ts";
import { contextBench } from "./support.ts";

const name = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
  .filter((text) => !/[/\0]|^\.\.?$/u.test(text) && Buffer.byteLength(text) < 200)
  // A half character is no name of a file.
  .filter((text) => text === Buffer.from(text).toString());
const content = fc.oneof(
  fc.string({ unit: "binary", maxLength: 3_000 }),
  fc.lorem({ maxCount: 400 }),
  fc.uint8Array({ maxLength: 500 }),
);
const project = fc.dictionary(name, content, { maxKeys: 12 });
const input: fc.Arbitrary<ContextInput> = fc.record(
  {
    query: fc.oneof(fc.lorem({ maxCount: 5 }), fc.string({ unit: "binary", maxLength: 100 })),
    view: fc.constantFrom(...CONTEXT_VIEWS),
    budget_tokens: fc.integer({ min: 256, max: 5_000 }),
    reserve_tokens: fc.nat(255),
    exclude: fc.array(fc.string({ unit: "binary", minLength: 1, maxLength: 20 }), { maxLength: 3 }),
  },
  { requiredKeys: ["budget_tokens"] },
);

test("whatever the project and the question are, the budget holds and the same inputs give the same context", async () => {
  await fc.assert(
    fc.asyncProperty(project, input, async (files, asked) => {
      await using bench = await contextBench(files);
      const context = await bench.ask(asked);
      const { limit, reserved, used, remaining } = context.budget;
      expect(context.fragments.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(used);
      expect(used + remaining + reserved).toBe(limit);
      expect(remaining).toBeGreaterThanOrEqual(0);
      const again = await bench.ask(asked);
      expect({ ...again, context_id: context.context_id }).toEqual(context);
      expect(() => encodeURIComponent(JSON.stringify(context))).not.toThrow();
    }),
    { numRuns: 15 },
  );
});
