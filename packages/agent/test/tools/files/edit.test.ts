import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { fileTools, taken } from "./harness.ts";

describe("edit", () => {
  test("replaces one exact text and shows where", async () => {
    await using tools = await fileTools();
    await tools.put("a.ts", "one\ntwo\nthree\n");
    const input = { path: "a.ts", old_string: "two", new_string: "2\n2.5" };
    const call = taken(await tools.prepare("edit", input));
    expect(call.preview.locations).toEqual([{ path: tools.path("a.ts"), line: 2 }]);
    expect(call.preview.diff).toEqual([
      {
        path: tools.path("a.ts"),
        old_text: "one\ntwo\nthree\n",
        new_text: "one\n2\n2.5\nthree\n",
      },
    ]);
    expect(await tools.call("edit", input)).toMatchObject({
      status: "completed",
      text: "Edited a.ts: 1 replacement.",
    });
    expect(await tools.get("a.ts")).toBe("one\n2\n2.5\nthree\n");
  });

  test("makes all edits of a list, each in what the one before left, or none", async () => {
    await using tools = await fileTools();
    await tools.put("a", "x y x\n");
    const edits = [
      { old_string: "y", new_string: "x" },
      { old_string: "x", new_string: "z", replace_all: true },
    ];
    expect((await tools.call("edit", { path: "a", edits })).text).toBe("Edited a: 4 replacements.");
    expect(await tools.get("a")).toBe("z z z\n");
    const half = [
      { old_string: "z z z", new_string: "w" },
      { old_string: "z", new_string: "v" },
    ];
    expect((await tools.call("edit", { path: "a", edits: half })).text).toContain(
      "old_string of edit 2 is not in a",
    );
    expect(await tools.get("a")).toBe("z z z\n");
  });

  test.each([
    [{}, "not complete"],
    [{ old_string: "a" }, "not complete"],
    [
      { old_string: "a", new_string: "b", edits: [{ old_string: "a", new_string: "b" }] },
      "both forms",
    ],
    [{ edits: [] }, "edits"],
    [{ old_string: "", new_string: "b" }, "is empty"],
    [{ old_string: "one", new_string: "one" }, "the same"],
    [{ old_string: "e", new_string: "b" }, "is 5 times in a (lines 1, 3, 3, 4, 4)"],
    [{ old_string: "aa", new_string: "b" }, "is 2 times in a (lines 5, 5)"],
    [{ old_string: "\ttwo", new_string: "b" }, 'Line 2 differs only in spaces or tabs: "  two"'],
    [
      { old_string: "three\nfive", new_string: "b" },
      'line 4 is "the end" where "five" was expected',
    ],
    [{ old_string: "the emd", new_string: "b" }, "nearest match is at line 4"],
    [{ old_string: "quite different", new_string: "b" }, "Nothing similar"],
    [{ old_text: "one", new_string: "b" }, 'unknown field "old_text"'],
  ])("refuses %j", async (input, reason) => {
    await using tools = await fileTools();
    await tools.put("a", "one\n  two\nthree\nthe end\naaa\n");
    const outcome = await tools.call("edit", { path: "a", ...input });
    expect(outcome.status).toBe("refused");
    expect(outcome.text).toContain(reason);
  });

  test("refuses what is not there and names what makes files", async () => {
    await using tools = await fileTools();
    expect((await tools.call("edit", { path: "a", old_string: "a", new_string: "b" })).text).toBe(
      "There is no file a; write_file makes new files.",
    );
  });

  test("refuses a file that changed since it was read", async () => {
    await using tools = await fileTools();
    await tools.put("a", "one\n");
    await tools.call("read_file", { path: "a" });
    await tools.put("a", "one \n");
    const edit = { path: "a", old_string: "one", new_string: "two" };
    expect((await tools.call("edit", edit)).text).toContain("since it was read");
    await tools.call("read_file", { path: "a" });
    expect((await tools.call("edit", edit)).status).toBe("completed");
    expect(
      (await tools.call("edit", { ...edit, old_string: "two", new_string: "three" })).status,
    ).toBe("completed");
  });

  test.each([
    ["CRLF", "a\r\nb\r\nc\r\n", "a\nb", "a\nx\nb", "a\r\nx\r\nb\r\nc\r\n"],
    ["mixed, untouched lines", "a\r\nb\nc\r\nd\n", "b\nc\nd", "b\nC\nd", "a\r\nb\nC\r\nd\n"],
    [
      "mixed, new lines as the line that they replace",
      "a\nb\r\nc\n",
      "b\n",
      "x\ny\n",
      "a\nx\r\ny\r\nc\n",
    ],
    ["mixed, lines behind the change", "a\r\nb\nc\r\n", "a\nb\nc", "x\nb\nc", "x\r\nb\nc\r\n"],
    ["no final newline", "a\r\nb", "b", "b\nc", "a\r\nb\r\nc"],
    ["byte order mark", "\uFEFFa\n", "a", "b", "\uFEFFb\n"],
    ["CRLF in the strings", "a\nb\n", "a\r\nb", "x\r\ny", "x\ny\n"],
  ])("keeps line ends: %s", async (_name, old, old_string, new_string, next) => {
    await using tools = await fileTools();
    await tools.put("f", old);
    await tools.call("edit", { path: "f", old_string, new_string });
    expect(await readFile(tools.path("f"), "utf8")).toBe(next);
  });
});
