import { execFileSync } from "node:child_process";
import { chmod, mkdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FilePatch } from "../../../src/patch/patch.ts";
import { printPatch } from "../../../src/patch/print-patch.ts";
import { addOf, updateBetween } from "../../patch/patch-between.ts";
import { lfText, textAndEdit } from "../../patch/texts.ts";
import { fileTools, run, taken } from "./harness.ts";

function patchOf(...lines: readonly string[]): { patch: string } {
  return { patch: ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n") };
}

describe("apply_patch", () => {
  test("adds, updates, moves and deletes, and shows all of it before", async () => {
    await using tools = await fileTools();
    await tools.put("a.ts", "one\ntwo\n");
    await tools.put("old.ts", "keep\nchange\n");
    await tools.put("gone.ts", "bye\n");
    await chmod(tools.path("old.ts"), 0o750);
    const input = patchOf(
      "*** Add File: docs/new.md",
      "+# New",
      "*** Update File: a.ts",
      "@@",
      " one",
      "-two",
      "+2",
      "*** Update File: old.ts",
      "*** Move to: lib/new.ts",
      "@@",
      "-change",
      "+changed",
      "*** Delete File: gone.ts",
    );
    const call = taken(await tools.prepare("apply_patch", input));
    const at = tools.path;
    const diff = [
      { path: at("docs/new.md"), old_text: null, new_text: "# New\n" },
      { path: at("a.ts"), old_text: "one\ntwo\n", new_text: "one\n2\n" },
      { path: at("old.ts"), old_text: "keep\nchange\n", new_text: "" },
      { path: at("lib/new.ts"), old_text: null, new_text: "keep\nchanged\n" },
      { path: at("gone.ts"), old_text: "bye\n", new_text: "" },
    ];
    expect(call.preview).toEqual({
      title: "Patch docs/new.md and 3 more",
      risk: "write",
      subject: {
        type: "files",
        access: "write",
        paths: ["docs/new.md", "a.ts", "lib/new.ts", "old.ts", "gone.ts"].map(at),
      },
      locations: [
        { path: at("docs/new.md") },
        { path: at("a.ts"), line: 2 },
        { path: at("lib/new.ts"), line: 2 },
        { path: at("gone.ts") },
      ],
      diff,
    });
    expect(await tools.files()).toEqual(["a.ts", "gone.ts", "old.ts"]);
    expect(await run(call)).toMatchObject({
      status: "completed",
      text: "Added docs/new.md (+1)\nUpdated a.ts (+1 -1)\nMoved old.ts to lib/new.ts (+1 -1)\nDeleted gone.ts",
      diff,
    });
    expect(await tools.files()).toEqual(["a.ts", "docs/new.md", "lib/new.ts"]);
    expect(await tools.get("lib/new.ts")).toBe("keep\nchanged\n");
    expect((await stat(at("lib/new.ts"))).mode & 0o777).toBe(0o750);
    expect(tools.images.map(({ path, content }) => [path, content?.toString() ?? null])).toEqual([
      [at("docs/new.md"), null],
      [at("a.ts"), "one\ntwo\n"],
      [at("lib/new.ts"), null],
      [at("old.ts"), "keep\nchange\n"],
      [at("gone.ts"), "bye\n"],
    ]);
  });

  test("makes the expected files of random ones, byte for byte", async () => {
    await using tools = await fileTools();
    let round = 0;
    const file = fc.record({
      texts: textAndEdit,
      kind: fc.constantFrom("update", "update", "add", "delete", "move"),
      bom: fc.boolean(),
      crlf: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(file, { minLength: 1, maxLength: 4 }),
        lfText,
        async (files, extra) => {
          const folder = `r${(round += 1)}`;
          const patch: FilePatch[] = [addOf(`${folder}/extra`, extra)];
          const expected = new Map([["extra", extra]]);
          for (const [index, { texts, kind, bom, crlf }] of files.entries()) {
            const [before, after] = texts;
            const name = `f${index}`;
            const path = `${folder}/${name}`;
            const style = crlf && before.includes("\n") ? "\r\n" : "\n";
            const stored = (text: string): string =>
              (bom ? "\uFEFF" : "") + text.replaceAll("\n", style);
            if (kind === "add") {
              patch.push(addOf(path, after));
              expected.set(name, after);
              continue;
            }
            const update = updateBetween(path, before, after);
            await tools.put(path, stored(before));
            if (kind === "delete") patch.push({ type: "delete", path });
            else if (kind === "move") {
              const hunks = update?.type === "update" ? update.hunks : [];
              patch.push({ type: "update", path, moveTo: `${path}.moved`, hunks });
              expected.set(`${name}.moved`, stored(after));
            } else {
              if (update !== undefined) patch.push(update);
              expected.set(name, stored(after));
            }
          }
          expect(await tools.call("apply_patch", { patch: printPatch(patch) })).toMatchObject({
            status: "completed",
          });
          const names = (await tools.files()).filter((name) => name.startsWith(`${folder}/`));
          const found = await Promise.all(
            names.map(
              async (name) => [name.slice(folder.length + 1), await tools.get(name)] as const,
            ),
          );
          expect(new Map(found)).toEqual(expected);
          await rm(tools.path(folder), { recursive: true });
        },
      ),
      { numRuns: 60 },
    );
  });

  test("moves any file without hunks, bytes and bits as they are", async () => {
    await using tools = await fileTools();
    const bytes = Buffer.from("89504e470d0a1a0a00ff", "hex");
    await tools.put("a.png", bytes);
    const outcome = await tools.call(
      "apply_patch",
      patchOf("*** Update File: a.png", "*** Move to: img/b.png"),
    );
    expect(outcome.diff).toEqual([
      { path: tools.path("a.png"), old_text: "[image/png, 10 bytes]", new_text: "" },
      { path: tools.path("img/b.png"), old_text: null, new_text: "[image/png, 10 bytes]" },
    ]);
    expect(await readFile(tools.path("img/b.png"))).toEqual(bytes);
    expect(await tools.files()).toEqual(["img/b.png"]);
  });

  test("refuses all of it with all that is wrong in it", async () => {
    await using tools = await fileTools();
    await tools.put("a", "one\n");
    await tools.put("b", "two\n");
    await tools.put(".env", "KEY=1\n");
    await mkdir(tools.path(".git"));
    await symlink(tools.folder.path, tools.path("out"));
    const outcome = await tools.call(
      "apply_patch",
      patchOf(
        "*** Update File: a",
        "@@",
        "-one",
        "+1",
        "*** Update File: b",
        "@@",
        "-too",
        "+2",
        "*** Add File: b",
        "+x",
        "*** Delete File: c",
        "*** Update File: a",
        "*** Move to: a",
        "*** Update File: a",
        "@@",
        "-one",
        "+uno",
        "*** Add File: ../x",
        "*** Add File: out/x",
        "*** Add File: .git/hooks/x",
        "*** Delete File: .env",
      ),
    );
    expect(outcome.status).toBe("refused");
    expect(outcome.text.split("\n")).toEqual([
      expect.stringContaining("b, hunk 1: its lines are not in the file. Nothing similar"),
      "b exists already; update it, or delete it first.",
      'There is no file c; "*** Add File: " makes new ones.',
      "a is moved to itself.",
      expect.stringContaining("../x is outside of the workspace"),
      expect.stringContaining("out/x is outside of the workspace"),
      expect.stringContaining('rule ".git/**"'),
      expect.stringContaining('rule ".env*"'),
      "a is named twice; put all hunks of a file under one header.",
      "Nothing was changed.",
    ]);
    expect([await tools.get("a"), await tools.get("b")]).toEqual(["one\n", "two\n"]);
    const still = patchOf("*** Update File: a", "@@", " one");
    expect((await tools.call("apply_patch", still)).text).toContain("would not change");
    const twice = patchOf("*** Update File: a", "*** Move to: c", "*** Add File: c", "+x");
    expect((await tools.call("apply_patch", twice)).text).toContain("c is named twice");
  });

  test("changes files behind links, and neither deletes nor moves them", async () => {
    await using tools = await fileTools();
    await tools.put("real", "one\n");
    await symlink("real", tools.path("link"));
    await tools.call("apply_patch", patchOf("*** Update File: link", "@@", "-one", "+1"));
    expect(await tools.get("real")).toBe("1\n");
    for (const lines of [["*** Delete File: link"], ["*** Update File: link", "*** Move to: new"]])
      expect((await tools.call("apply_patch", patchOf(...lines))).text).toContain(
        "link is a link to real;",
      );
    expect(await tools.files()).toEqual(["link", "real"]);
  });

  test("refuses files that changed since they were read, or since they were shown", async () => {
    await using tools = await fileTools();
    await tools.put("a", "one\n");
    await tools.put("b", "one\n");
    await tools.call("read_file", { path: "a" });
    await tools.put("a", "one\nmore\n");
    const input = patchOf(
      ...["b", "a"].flatMap((name) => [`*** Update File: ${name}`, "@@", "-one", "+1"]),
    );
    expect((await tools.call("apply_patch", input)).text).toContain("since it was read");
    await tools.call("read_file", { path: "a" });
    const call = taken(await tools.prepare("apply_patch", input));
    await tools.put("a", "one\nother\n");
    expect(await run(call)).toMatchObject({
      status: "failed",
      text: expect.stringContaining(
        "a was changed by somebody else since this change was prepared",
      ),
    });
    expect([await tools.get("a"), await tools.get("b")]).toEqual(["one\nother\n", "one\n"]);
    expect(await tools.files()).toEqual(["a", "b"]);
  });
});

describe("a patch that fails half-way", () => {
  const INPUT = patchOf(
    "*** Update File: first",
    "@@",
    "-one",
    "+1",
    "*** Delete File: second",
    "*** Add File: new/third",
    "+3",
    "*** Update File: last/fourth",
    "@@",
    "-four",
    "+4",
  );
  const BEFORE = ["first", "last/fourth", "second"];

  test("puts everything back when a target is taken away at the last moment", async () => {
    let interfere = async (): Promise<void> => undefined;
    await using tools = await fileTools({ beforeWrite: () => interfere() });
    await tools.put("first", "one\n");
    await tools.put("second", "two\n");
    await tools.put("last/fourth", "four\n");
    await chmod(tools.path("first"), 0o640);
    const { ino } = await stat(tools.path("second"));
    interfere = () => tools.put("last/fourth", "four\ntheirs\n");
    expect(await tools.call("apply_patch", INPUT)).toMatchObject({
      status: "failed",
      text: "last/fourth was changed by somebody else just now. Nothing was changed.",
    });
    interfere = async () => {
      await rm(tools.path("last/fourth"), { force: true });
      await mkdir(tools.path("last/fourth/x"), { recursive: true });
    };
    expect((await tools.call("apply_patch", INPUT)).text).toContain("Nothing was changed.");
    await rm(tools.path("last/fourth"), { recursive: true });
    await tools.put("last/fourth", "four\n");
    expect(await tools.files()).toEqual(BEFORE);
    expect([await tools.get("first"), await tools.get("second")]).toEqual(["one\n", "two\n"]);
    expect((await stat(tools.path("first"))).mode & 0o777).toBe(0o640);
    expect((await stat(tools.path("second"))).ino).toBe(ino);
    await expect(stat(tools.path("new"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("leaves nothing when a name is too long for the disk", async () => {
    await using tools = await fileTools();
    await tools.put("first", "one\n");
    const input = patchOf(
      "*** Update File: first",
      "@@",
      "-one",
      "+1",
      `*** Add File: new/${"n".repeat(250)}/${"x".repeat(255)}/y`,
      "+3",
      `*** Add File: new/deep/${"é".repeat(130)}`,
      "+3",
    );
    const outcome = await tools.call("apply_patch", input);
    expect(outcome.text).toContain("ENAMETOOLONG");
    expect(await tools.files()).toEqual(["first"]);
    expect(await tools.get("first")).toBe("one\n");
  });

  test("puts the buffers of a host back, too", async () => {
    const buffers = new Map<string, string>();
    await using tools = await fileTools({
      operations: {
        readBuffer: async (path) => buffers.get(path),
        writeBuffer: async (path, content) => {
          if (path.endsWith("fourth")) throw new Error("no");
          if (path.endsWith("third")) return false;
          buffers.set(path, content);
          return true;
        },
      },
    });
    for (const [name, text] of [
      ["first", "one\n"],
      ["second", "two\n"],
      ["last/fourth", "four\n"],
    ] as const) {
      await tools.put(name, text);
      buffers.set(tools.path(name), text);
    }
    expect((await tools.call("apply_patch", INPUT)).text).toBe(
      "The editor did not write last/fourth (no). Nothing was changed.",
    );
    expect(buffers.get(tools.path("first"))).toBe("one\n");
    expect(await tools.files()).toEqual(BEFORE);
  });

  test("says what could not be put back", async () => {
    await using tools = await fileTools({
      operations: {
        writeBuffer: async (path) => {
          if (!path.endsWith("fourth")) return false;
          // While the last file is written somebody puts a folder where the first one was.
          await rm(tools.path("first"));
          await mkdir(tools.path("first/x"), { recursive: true });
          throw new Error("no");
        },
      },
    });
    await tools.put("first", "one\n");
    await tools.put("second", "two\n");
    await tools.put("last/fourth", "four\n");
    const outcome = await tools.call("apply_patch", INPUT);
    expect(outcome.text).toContain("not everything could be put back: look at ");
    const [, kept = ""] = /look at (\S+)\.$/.exec(outcome.text) ?? [];
    expect(await readFile(kept, "utf8")).toBe("one\n");
    expect(await tools.get("second")).toBe("two\n");
  });
});

function shell(command: string): void {
  execFileSync("sh", ["-c", command], { stdio: "ignore" });
}

describe("a full disk", () => {
  test("at the second file changes nothing", async (context) => {
    await using tools = await fileTools();
    await mkdir(tools.path("small"));
    try {
      shell(`mount -t tmpfs -o size=64k tmpfs "${tools.path("small")}"`);
    } catch {
      context.skip("only root can mount a small disk");
    }
    try {
      await tools.put("first", "one\n");
      await writeFile(tools.path("small/second"), "two\n");
      const big = Array.from({ length: 400 }, () => `+${"x".repeat(200)}`);
      const outcome = await tools.call(
        "apply_patch",
        patchOf(
          "*** Update File: first",
          "@@",
          "-one",
          "+1",
          "*** Update File: small/second",
          "@@",
          " two",
          ...big,
        ),
      );
      expect(outcome.text).toBe(
        "small/second cannot be written (the disk is full). Nothing was changed.",
      );
      expect(await tools.get("first")).toBe("one\n");
      expect(await tools.get("small/second")).toBe("two\n");
      expect(await tools.files()).toEqual(["first", "small/second"]);
    } finally {
      shell(`umount "${tools.path("small")}"`);
    }
  });
});
