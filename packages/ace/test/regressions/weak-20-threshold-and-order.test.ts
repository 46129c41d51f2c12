import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Skillbook } from "../../src/index.ts";

function bookOf(contents: readonly string[]): Skillbook {
  const book = new Skillbook();
  book.apply(contents.map((content) => ({ type: "ADD", section: "build", content })));
  return book;
}

const active = (book: Skillbook): string[] =>
  book
    .skills()
    .map(({ content }) => content)
    .toSorted();

describe("weak point 20: dedup reads a threshold of 0 as its default", () => {
  it("0 merges what the default leaves apart", () => {
    const contents = ["Run tests today", "Run definitely my tests for them today"];
    expect(bookOf(contents).mergeNearDuplicates().merged).toBe(0);
    const book = bookOf(contents);
    expect(book.mergeNearDuplicates({ threshold: 0 }).merged).toBe(1);
    expect(active(book)).toEqual([contents[1]]);
  });

  it("even 0 never merges lessons with different conclusions", () => {
    const book = bookOf([
      "Run the tests before the release.\nAnswer: yes",
      "Run the tests before the release.\nAnswer: no",
      "Never run the tests before the release.",
      "Run the tests 2 times before the release.",
    ]);
    expect(book.mergeNearDuplicates({ threshold: 0, withinSection: false }).merged).toBe(0);
    expect(book.size).toBe(4);
  });
});

describe("weak point 20: what is merged does not depend on the order of learning", () => {
  const word = fc.constantFrom("run", "slow", "tests", "daily", "never", "the", "3", "files");
  const content = fc.array(word, { minLength: 2, maxLength: 6 }).map((words) => words.join(" "));

  it("the same lessons in reverse leave as many skills, and a second pass over equal texts finds nothing", () => {
    fc.assert(
      fc.property(fc.array(content, { maxLength: 12 }), (contents) => {
        const forward = bookOf(contents);
        const backward = bookOf(contents.toReversed());
        forward.mergeNearDuplicates({ threshold: 1 });
        backward.mergeNearDuplicates({ threshold: 1 });
        expect(forward.size).toBe(backward.size);
        expect(forward.mergeNearDuplicates({ threshold: 1 }).merged).toBe(0);
      }),
    );
  });

  it("two-step merging through Skillbook.merge keeps oldest id, counters and sources, in either order", () => {
    const contents = ["Run the tests daily", "Run tests daily!", "Please run the tests daily."];
    const merged = (order: readonly [string, string[]][]): unknown => {
      const book = bookOf(["Unrelated"]);
      book.apply(
        contents.map((text, i) => ({
          type: "ADD",
          section: "build",
          content: text,
          sources: [{ traceUid: `s:${i}`, sourceSystem: "s", traceId: String(i) }],
        })),
      );
      for (const { id } of book.skills())
        book.apply([{ type: "TAG", skillId: id, tag: "helpful" }]);
      for (const [keep, others] of order) book.merge(keep, others, contents[0]);
      const oldest = book.get("build-00002");
      return {
        size: book.size,
        helpful: oldest?.helpful,
        traces: oldest?.sources.map(({ traceId }) => traceId).toSorted(),
      };
    };
    const expected = { size: 2, helpful: 3, traces: ["0", "1", "2"] };
    expect(
      merged([
        ["build-00002", ["build-00003"]],
        ["build-00002", ["build-00004"]],
      ]),
    ).toEqual(expected);
    expect(
      merged([
        ["build-00004", ["build-00003"]],
        ["build-00003", ["build-00002"]],
      ]),
    ).toEqual(expected);
  });
});
