import { describe, expect, test } from "vitest";
import { fileDiff } from "../../../src/tools/files/file-diff.ts";

describe("the difference that is shown", () => {
  test("is whole texts", () => {
    expect(fileDiff("/a", null, "x")).toEqual({ path: "/a", old_text: null, new_text: "x" });
    expect(fileDiff("/a", "y", "")).toEqual({ path: "/a", old_text: "y", new_text: "" });
  });

  test("of huge texts loses equal lines far from the change", () => {
    const lines = Array.from({ length: 40_000 }, (_, index) => `line ${index}`);
    const { old_text, new_text } = fileDiff(
      "/a",
      lines.join("\n"),
      lines.with(20_000, "changed").join("\n"),
    );
    expect(old_text?.split("\n")).toEqual([
      "[… 19950 equal lines not shown …]",
      ...lines.slice(19_950, 20_051),
      "[… 19949 equal lines not shown …]",
    ]);
    expect(new_text.split("\n")[51]).toBe("changed");
  });

  test("keeps all that comes new, and the ends of a huge text that goes", () => {
    const huge = "x".repeat(1_000_000);
    expect(fileDiff("/a", null, huge).new_text).toBe(huge);
    expect(fileDiff("/a", "", huge).new_text).toBe(huge);
    const gone = fileDiff("/a", huge, "y");
    expect(gone.new_text).toBe("y");
    expect(gone.old_text?.length).toBeLessThan(101_000);
    expect(gone.old_text).toContain("[… 900000 characters not shown …]");
  });
});
