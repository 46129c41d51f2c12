import fc from "fast-check";
import { expect, test } from "vitest";
import { Ace } from "../../src/runner/ace.ts";
import { testRoles } from "../runner/test-roles.ts";

test("weak point 6: over any epochs and failures, processed and failed add up to the samples", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }), { maxLength: 6 }),
      fc.integer({ min: 1, max: 3 }),
      async (fails, epochs) => {
        const seen = fails.map(() => 0);
        const roles = testRoles({
          answer: ({ question }) => {
            const index = Number(question);
            const epoch = seen[index] ?? 0;
            seen[index] = epoch + 1;
            if (fails[index]?.[epoch]) throw new Error("fails now");
            return { reasoning: "", finalAnswer: "", skillIds: [] };
          },
        });
        const samples = fails.map((_row, index) => ({ question: String(index) }));
        const report = await Ace.fromRoles(roles).learn(samples, { epochs });
        const failed = fails.filter((row) => row[epochs - 1]).length;
        expect(report).toMatchObject({ failed, processed: samples.length - failed });
        expect(report.results).toHaveLength(samples.length * epochs);
      },
    ),
    { numRuns: 50 },
  );
});
