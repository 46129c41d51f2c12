import { tempFolder } from "@acumen/testkit";
import fc from "fast-check";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { loadSkillbook, mergeSkillbooks, saveSkillbook, Skillbook } from "../../src/index.ts";

function bookWith(...contents: string[]): Skillbook {
  const book = new Skillbook();
  book.apply(contents.map((content) => ({ type: "ADD", section: "a", content })));
  return book;
}

describe("weak point 11: save is not atomic, files are not shared, half a file fails outright", () => {
  it("a reader sees a whole book at any moment while others save", async () => {
    await using folder = await tempFolder();
    const path = folder.join("book.json");
    const small = bookWith("one");
    const large = bookWith(...Array.from({ length: 500 }, (_, i) => `rule ${i}`));
    await saveSkillbook(small, path);
    let done = false;
    const writing = (async () => {
      for (let i = 0; i < 20; i += 1) {
        await Promise.all([saveSkillbook(large, path), saveSkillbook(small, path)]);
      }
      done = true;
    })();
    const sizes = new Set<number>();
    while (!done) sizes.add((await loadSkillbook(path)).skillbook.size);
    await writing;
    expect([...sizes].every((size) => size === 1 || size === 500)).toBe(true);
    expect(await readdir(folder.path)).toEqual(["book.json"]);
  });

  it("a file cut at any byte is refused with a reason, and saving over it works", async () => {
    await using folder = await tempFolder();
    const path = folder.join("book.json");
    await saveSkillbook(bookWith("one", "two"), path);
    const whole = await readFile(path);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: whole.length - 3 }), async (length) => {
        await writeFile(path, whole.subarray(0, length));
        await expect(loadSkillbook(path)).rejects.toMatchObject({
          code: "ACE_SKILLBOOK_INVALID",
          details: { reason: "not_a_skillbook", path },
        });
      }),
      { numRuns: 50 },
    );
    await saveSkillbook(bookWith("three"), path);
    expect((await loadSkillbook(path)).skillbook.size).toBe(1);
  });

  it("two writers of one file bring their skills together instead of overwriting each other's", () => {
    const base = bookWith("shared");
    const [first, second] = [base.clone(), base.clone()];
    first.apply([{ type: "ADD", section: "a", content: "from the first" }]);
    second.apply([{ type: "ADD", section: "a", content: "from the second" }]);
    const { skillbook } = mergeSkillbooks(base, second, first);
    expect(skillbook.skills().map(({ content }) => content)).toEqual([
      "shared",
      "from the first",
      "from the second",
    ]);
  });
});
