import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyHunks } from "../../src/patch/apply-hunks.ts";
import { parsePatch } from "../../src/patch/parse-patch.ts";
import { printPatch } from "../../src/patch/print-patch.ts";
import { updateBetween } from "./patch-between.ts";
import { textAndEdit } from "./texts.ts";

/** Applies the body of an update, as a model writes it. */
function update(text: string, body: string): ReturnType<typeof applyHunks> {
  const parsed = parsePatch(`*** Begin Patch\n*** Update File: f\n${body}\n*** End Patch\n`);
  if (!parsed.ok) throw new Error(parsed.message);
  const [file] = parsed.patch;
  return applyHunks(text, file?.type === "update" ? file.hunks : []);
}

function textOf(result: ReturnType<typeof applyHunks>): string {
  return result.ok ? result.text : `hunk ${result.hunk}: ${result.message}`;
}

describe("a printed patch, parsed and applied", () => {
  test("makes the expected text of any text, with LF and with CRLF", () => {
    fc.assert(
      fc.property(textAndEdit, fc.boolean(), ([before, after], crlf) => {
        const file = updateBetween("f", before, after);
        if (file === undefined) return;
        const parsed = parsePatch(printPatch([file]));
        expect(parsed).toEqual({ ok: true, patch: [file] });
        const hunks = file.type === "update" ? file.hunks : [];
        const style = crlf && before.includes("\n") ? "\r\n" : "\n";
        const raw = before.replaceAll("\n", style);
        expect(textOf(applyHunks(raw, hunks))).toBe(after.replaceAll("\n", style));
      }),
      { numRuns: 600 },
    );
  });

  test("leaves the line ends of untouched lines as they are, however they are mixed", () => {
    fc.assert(
      fc.property(textAndEdit, fc.array(fc.boolean()), ([before, after], ends) => {
        const file = updateBetween("f", before, after);
        if (file?.type !== "update" || ends.length === 0) return;
        let index = 0;
        const raw = before.replaceAll("\n", () => (ends[index++ % ends.length] ? "\r\n" : "\n"));
        const result = textOf(applyHunks(raw, file.hunks));
        expect(result.replaceAll("\r\n", "\n")).toBe(after);
        const touched = file.hunks.flatMap(({ lines }) =>
          lines.filter(({ kind }) => kind !== "context").map(({ text }) => text),
        );
        const endsOf = (text: string): string[] =>
          text
            .split(/(?<=\n)/)
            .filter((line) => line.endsWith("\n") && !touched.includes(line.replace(/\r?\n$/, "")));
        expect(endsOf(result).slice(0, -1)).toEqual(
          endsOf(raw).slice(0, endsOf(result).length - 1),
        );
      }),
      { numRuns: 300 },
    );
  });
});

describe("where a hunk goes", () => {
  const REPEATED = "def f():\n    x = 1\n    return x\n\ndef g():\n    x = 1\n    return x\n";

  test("is refused when its lines stand at several places", () => {
    expect(textOf(update(REPEATED, "@@\n     x = 1\n-    return x\n+    return 2"))).toBe(
      'hunk 1: its lines stand at 2 places (lines 2, 6); give more lines around the change, or an "@@ heading".',
    );
  });

  test("is narrowed by a heading, also one that stands above the hunk before", () => {
    expect(textOf(update(REPEATED, "@@ def g():\n-    return x\n+    return 2"))).toBe(
      REPEATED.replace(/return x\n$/, "return 2\n"),
    );
    expect(textOf(update(REPEATED, "@@ def f():\n-    return x\n+    return 2"))).toBe(
      REPEATED.replace("return x", "return 2"),
    );
    const twice = "@@ def f():\n-    x = 1\n+    x = 2\n@@ def f():\n-    return x\n+    return 3";
    expect(textOf(update(REPEATED, twice))).toBe(
      REPEATED.replace("x = 1", "x = 2").replace("return x", "return 3"),
    );
    const nested = "class A\n  def run\n    a\n  end\nend\nclass B\n  def run\n    a\n  end\nend\n";
    expect(textOf(update(nested, "@@ class B\n@@   def run\n-    a\n+    b"))).toBe(
      nested.replace(/a\n {2}end\nend\n$/, "b\n  end\nend\n"),
    );
    const markdown = "# A\ntext\n# B\ntext\n";
    expect(textOf(update(markdown, "@@ # A\n-text\n+more"))).toBe("# A\nmore\n# B\ntext\n");
    expect(textOf(update(REPEATED, "@@ -5,3 +5,3 @@ def g():\n-    x = 1\n+    x = 3"))).toBe(
      REPEATED.replace(/x = 1(?=[^=]*$)/, "x = 3"),
    );
  });

  test("is refused when the heading is missing or stands at several places", () => {
    expect(textOf(update(REPEATED, "@@ def h():\n-    x = 1"))).toMatch(
      /^hunk 1: its heading "def h\(\):" is not in the file\. The nearest match is at line \d/,
    );
    const doubled = `${REPEATED}${REPEATED}`;
    expect(textOf(update(doubled, "@@ def g():\n-    x = 1"))).toBe(
      'hunk 1: its heading "def g():" stands at 2 places (lines 5, 12); give more lines around the change, or an "@@ heading".',
    );
  });

  test("must have exactly its lines, and the nearest match is named", () => {
    expect(textOf(update("a\nfoo( x )\nb\n", "@@\n-foo(x)\n+bar"))).toBe(
      'hunk 1: its lines are not in the file. Line 2 differs only in spaces or tabs: "foo( x )".',
    );
    expect(textOf(update("a \nb\n", "@@\n a\n-b\n+c"))).toContain("differs only in spaces");
    expect(textOf(update("a\nb\nc\n", "@@\n a\n b\n-d"))).toBe(
      'hunk 1: its lines are not in the file. The nearest match is at line 1; line 3 is "c" where "d" was expected.',
    );
    expect(textOf(update("a\n", "@@\n a\n b\n+c"))).toContain(
      'line 2 is behind the end of the file where "b" was expected',
    );
  });

  test("follows the hunk before", () => {
    const text = "a\nb\nc\nd\n";
    expect(textOf(update(text, "@@\n-c\n+C\n@@\n-a\n+A"))).toBe(
      "hunk 2: its lines stand at line 1, before line 4, where the search begins; hunks follow each other from top to bottom.",
    );
    expect(textOf(update("x\nx\n", "@@\n-x\n+y\n*** End of File"))).toBe("x\ny\n");
    expect(textOf(update(text, "@@\n-a\n+A\n*** End of File"))).toContain(
      "its lines stand at line 1, not at the end of the file",
    );
  });

  test("of added lines alone has to be said", () => {
    expect(textOf(update("a\n", "+b"))).toContain("it only adds lines and does not say where");
    expect(textOf(update("a\nb\n", "@@ a\n+x"))).toBe("a\nx\nb\n");
    expect(textOf(update("a\nb", "@@\n+x\n*** End of File"))).toBe("a\nb\nx");
    expect(textOf(update("", "@@\n+x"))).toBe("x\n");
  });
});

describe("the end of a file", () => {
  test.each([
    ["stays without a line end", "a\nb", "@@\n-b\n+c", "a\nc"],
    ["stays with one", "a\nb\n", "@@\n-b\n+c", "a\nc\n"],
    [
      "gets one where the patch says so",
      "a\nb",
      "@@\n-b\n\\ No newline at end of file\n+c",
      "a\nc\n",
    ],
    [
      "loses it where the patch says so",
      "a\nb\n",
      "@@\n-b\n+c\n\\ No newline at end of file",
      "a\nc",
    ],
    ["has none when no line is left", "a\n", "@@\n-a", ""],
    ["keeps CRLF", "a\r\nb", "@@\n b\n+c", "a\r\nb\r\nc"],
  ])("%s", (_what, before, body, after) => {
    expect(textOf(update(before, body))).toBe(after);
  });
});
