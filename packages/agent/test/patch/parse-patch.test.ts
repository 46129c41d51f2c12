import { describe, expect, test } from "vitest";
import { parsePatch } from "../../src/patch/parse-patch.ts";
import { printPatch } from "../../src/patch/print-patch.ts";

const WHOLE = `*** Begin Patch
*** Add File: docs/new file.md
+# Title
+
+\ttext
*** Update File: src/a.ts
@@ class A
@@   run() {
 context
-old
+new
@@

-last
*** End of File
*** Update File: b.ts
*** Move to: lib/b.ts
*** Delete File: c.ts
*** End Patch
`;

describe("parsing a patch", () => {
  test("reads every form", () => {
    const parsed = parsePatch(WHOLE);
    expect(parsed).toEqual({
      ok: true,
      patch: [
        {
          type: "add",
          path: "docs/new file.md",
          lines: ["# Title", "", "\ttext"],
          finalNewline: true,
        },
        {
          type: "update",
          path: "src/a.ts",
          hunks: [
            {
              headings: ["class A", "  run() {"],
              endOfFile: false,
              lines: [
                { kind: "context", text: "context" },
                { kind: "remove", text: "old" },
                { kind: "add", text: "new" },
              ],
            },
            {
              headings: [],
              endOfFile: true,
              lines: [
                { kind: "context", text: "" },
                { kind: "remove", text: "last" },
              ],
            },
          ],
        },
        { type: "update", path: "b.ts", moveTo: "lib/b.ts", hunks: [] },
        { type: "delete", path: "c.ts" },
      ],
    });
    expect(parsed.ok && parsePatch(printPatch(parsed.patch))).toEqual(parsed);
  });

  test("takes short directives, CRLF, blank lines around and between, and heads of unified diffs", () => {
    const loose = `

*** Begin Patch
*** Update: a.ts
diff --git a/a.ts b/a.ts
index 1..2 100644
--- a/a.ts
+++ b/a.ts
@@ -1,2 +1,2 @@ function f() {
-x
+y

*** Add:b.ts
+b

*** Delete:c.ts

*** End Patch

`;
    const expected = {
      ok: true,
      patch: [
        {
          type: "update",
          path: "a.ts",
          hunks: [
            {
              headings: ["function f() {"],
              endOfFile: false,
              lines: [
                { kind: "remove", text: "x" },
                { kind: "add", text: "y" },
              ],
            },
          ],
        },
        { type: "add", path: "b.ts", lines: ["b"], finalNewline: true },
        { type: "delete", path: "c.ts" },
      ],
    };
    expect(parsePatch(loose)).toEqual(expected);
    expect(parsePatch(loose.replaceAll("\n", "\r\n"))).toEqual(expected);
  });

  test("takes removed lines that look like a diff's head for what they are", () => {
    const text = "*** Begin Patch\n*** Update File: a\n--- x\n+++ y\n*** End Patch";
    expect(parsePatch(text)).toMatchObject({
      patch: [
        {
          hunks: [
            {
              lines: [
                { kind: "remove", text: "-- x" },
                { kind: "add", text: "++ y" },
              ],
            },
          ],
        },
      ],
    });
  });

  test.each([
    ["", 1, 'the first line is "*** Begin Patch"; the patch ends.'],
    ["hello", 1, 'the first line is "*** Begin Patch"; found "hello".'],
    ["```\n*** Begin Patch", 1, "the first line"],
    ["*** Begin Patch\n*** End Patch", 3, "at least one file"],
    ["*** Begin Patch\n*** Delete File: a", 3, 'the last line is "*** End Patch"; the patch ends.'],
    ["*** Begin Patch\n*** Delete File: a\n*** End Patch\nmore", 4, "nothing comes after"],
    ["\n\n*** Begin Patch\n*** Rename File: a\n*** End Patch", 4, "a file begins with"],
    ["*** Begin Patch\n*** Add File:\n+a\n*** End Patch", 2, "a path comes after the colon"],
    ["*** Begin Patch\n*** Add File: a\nb\n*** End Patch", 3, 'begins with "+"'],
    ["*** Begin Patch\n*** Add File: a\n+b\n\n+c\n*** End Patch", 4, 'begins with "+"; found "".'],
    ["*** Begin Patch\n*** Delete File: a\n-b\n*** End Patch", 3, "a file begins with"],
    ["*** Begin Patch\n*** Update File: a\n*** End Patch", 3, "at least one hunk"],
    ["*** Begin Patch\n*** Update File: a\n*** Move to: \n@@\n+b\n*** End Patch", 3, "a path"],
    ["*** Begin Patch\n*** Update File: a\n@@ x\n*** End Patch", 4, "a hunk has lines"],
    ["*** Begin Patch\n*** Update File: a\n@@x\n-b\n*** End Patch", 3, "separated from"],
    ["*** Begin Patch\n*** Update File: a\n@@\nb\n*** End Patch", 4, 'begins with " ", "-" or "+"'],
    [
      "*** Begin Patch\n*** Update File: a\n-b\n*** End of File\n-c\n*** End Patch",
      5,
      'a further hunk begins with "@@"',
    ],
    [
      "*** Begin Patch\n*** Update File: a\n+b\n\\ No newline at end of file\n+c\n*** End Patch",
      5,
      "the file has ended",
    ],
  ])("refuses %j", (text, line, reason) => {
    const parsed = parsePatch(text);
    const message = parsed.ok ? "" : parsed.message;
    expect(message).toContain(`Line ${line} of the patch: `);
    expect(message).toContain(reason);
  });
});
