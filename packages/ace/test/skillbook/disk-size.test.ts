import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { skillSize } from "../../src/skillbook/disk-size.ts";
import { printBook } from "../../src/skillbook/file.ts";
import { Skillbook } from "../../src/skillbook/skillbook.ts";

const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 });

describe("skillSize", () => {
  it("bounds what a skill adds to the file from above, and its texts exactly", () => {
    fc.assert(
      fc.property(
        text,
        text,
        fc.array(fc.dictionary(text, fc.jsonValue({ maxDepth: 4 }), { maxKeys: 4 }), {
          maxLength: 4,
        }),
        fc.option(fc.jsonValue({ maxDepth: 5 })),
        (section, content, sources, embedding) => {
          const { skillbook } = Skillbook.fromRecord({
            skills: { "a-1": { id: "a-1", section, content, sources, embedding } },
            sections: {},
          });
          const [skill] = skillbook.skills();
          fc.pre(skill !== undefined);
          const size = skillSize(skill);
          const frame = printBook(new Skillbook()).byteLength;
          expect(printBook(skillbook).byteLength - frame).toBeLessThanOrEqual(size.disk);
          const plain = [skill.section, skill.content].join("");
          expect(size.text).toBeGreaterThanOrEqual(Buffer.byteLength(plain));
        },
      ),
      { numRuns: 500 },
    );
  });

  it("counts the lines that embeddings and notes are printed on", () => {
    const numbers = Array.from({ length: 2_000 }, () => 1);
    for (const rest of [
      { embedding: numbers },
      { embedding: { a: [[[numbers]]] } },
      { sources: [{ trace_uid: "x:1", deep: [[[[[Array.from({ length: 500 }, () => 1)]]]]] }] },
    ]) {
      const skill = { id: "a-1", section: "a", content: "x", ...rest };
      const { skillbook } = Skillbook.fromRecord({ skills: { "a-1": skill } });
      const [read] = skillbook.skills();
      const printed = printBook(skillbook).byteLength - printBook(new Skillbook()).byteLength;
      expect(read && skillSize(read).disk).toBeGreaterThanOrEqual(printed);
      expect(printed).toBeGreaterThan(5_000);
    }
  });
});
