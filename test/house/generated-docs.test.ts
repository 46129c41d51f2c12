import { describe, expect, test } from "vitest";
import { fillBlocks } from "../../scripts/docs/generated-blocks.ts";
import { markdownTable } from "../../scripts/docs/markdown-table.ts";

const contents = { one: () => "| a |\n", two: () => "second" };

describe("generated blocks of the documentation", () => {
  test("replaces what stands between the marks and nothing else", () => {
    const page =
      "# Title\n\n<!-- generated:one -->\nold\nolder\n<!-- /generated:one -->\n\nBy hand.\n\n<!-- generated:two -->\n<!-- /generated:two -->\n";
    expect(fillBlocks(page, contents)).toEqual({
      text: "# Title\n\n<!-- generated:one -->\n| a |\n<!-- /generated:one -->\n\nBy hand.\n\n<!-- generated:two -->\nsecond\n<!-- /generated:two -->\n",
      blocks: ["one", "two"],
    });
  });

  test("filling twice changes nothing more", () => {
    const { text } = fillBlocks("<!-- generated:one -->\nx\n<!-- /generated:one -->\n", contents);
    expect(fillBlocks(text, contents).text).toBe(text);
  });

  test("refuses a block of an unknown name and a mark without its partner", () => {
    const unknown = "<!-- generated:three -->\n<!-- /generated:three -->\n";
    expect(() => fillBlocks(unknown, contents)).toThrow(/"three".*one, two/);
    expect(() => fillBlocks("<!-- generated:one -->\ntext\n", contents)).toThrow(/1 marks/);
    const crossed = "<!-- generated:one -->\n<!-- /generated:two -->\n";
    expect(() => fillBlocks(crossed, contents)).toThrow(/lacks its start or end/);
  });

  test("a table escapes what would break its cells", () => {
    expect(markdownTable(["a", "b"], [["x|y", "two\n  lines"]])).toBe(
      "| a | b |\n|---|---|\n| x\\|y | two lines |",
    );
  });
});
