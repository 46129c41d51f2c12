import { coreError } from "@acumen/core";
import { tempFolder } from "@acumen/testkit";
import { mkdir, readdir, readFile, symlink, truncate, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { loadSkillbook, printBook, saveSkillbook } from "../../src/skillbook/file.ts";
import { SKILLBOOK_LIMITS } from "../../src/skillbook/skill.ts";
import { Skillbook } from "../../src/skillbook/skillbook.ts";

function sampleBook(): Skillbook {
  const book = new Skillbook();
  book.apply(
    [
      { type: "ADD", section: "units", content: "Convert to metres first.", evidence: "größer" },
      { type: "ADD", section: "units", content: "Write the unit next to each number." },
      { type: "ADD", section: "dates", content: "Read 3/4 as day first in Britain." },
      { type: "REMOVE", skillId: "dates-00003" },
      { type: "TAG", skillId: "units-00001", tag: "helpful" },
    ],
    { origin: "sample" },
  );
  book.keep("units-00001", "units-00002", "one converts, one labels");
  return book;
}

function failure(code: string, reason: string): Error {
  return expect.objectContaining({
    code,
    details: expect.objectContaining({ reason, path: expect.any(String) as string }) as unknown,
  }) as Error;
}

describe("saveSkillbook and loadSkillbook", () => {
  it("write the documented layout and read it back", async () => {
    await using folder = await tempFolder();
    const book = sampleBook();
    const path = folder.join("deep", "er", "book.json");
    expect(await saveSkillbook(book, path)).toEqual({ path, skills: 2 });
    const text = await readFile(path, "utf8");
    const record = JSON.parse(text) as Record<string, Record<string, object>>;
    expect(text).toBe(`${JSON.stringify(record, null, 2)}\n`);
    expect(Object.keys(record)).toEqual([
      "format",
      "version",
      "skills",
      "sections",
      "next_id",
      "similarity_decisions",
    ]);
    expect(Object.keys(record["skills"]?.["units-00001"] ?? {})).toEqual([
      "id",
      "section",
      "content",
      "justification",
      "evidence",
      "helpful",
      "harmful",
      "neutral",
      "created_at",
      "updated_at",
      "status",
      "sources",
    ]);
    expect(record).toMatchObject({
      format: "acumen.skillbook",
      version: 1,
      sections: { units: ["units-00001", "units-00002"], dates: ["dates-00003"] },
      next_id: 3,
      similarity_decisions: {
        "units-00001,units-00002": { decision: "KEEP", reasoning: "one converts, one labels" },
      },
    });
    const { skillbook, report } = await loadSkillbook(path);
    expect(report).toEqual({ loaded: 3, skipped: [], repaired: [], migratedFrom: null });
    expect(skillbook.toRecord()).toEqual(book.toRecord());
    expect(skillbook.skills({ includeInvalid: true })).toEqual(
      book.skills({ includeInvalid: true }),
    );
  });

  it("leave the earlier file whole and no litter when the write is stopped", async () => {
    await using folder = await tempFolder();
    const path = folder.join("book.json");
    await saveSkillbook(sampleBook(), path);
    const before = await readFile(path, "utf8");
    const refusal = coreError("CORE_FILE_NOT_WRITABLE", "no", { details: { reason: "is_a_link" } });
    const check = (): Promise<void> => Promise.reject(refusal);
    await expect(saveSkillbook(new Skillbook(), path, { check })).rejects.toThrow(
      failure("CORE_FILE_NOT_WRITABLE", "is_a_link"),
    );
    const signal = AbortSignal.abort();
    await expect(saveSkillbook(new Skillbook(), path, { signal })).rejects.toThrow(
      expect.objectContaining({ code: "CORE_ABORTED" }) as Error,
    );
    expect(await readFile(path, "utf8")).toBe(before);
    expect(await readdir(folder.path)).toEqual(["book.json"]);
  });

  it("replace a link instead of writing through it", async () => {
    await using folder = await tempFolder();
    await writeFile(folder.join("precious"), "keep me");
    await symlink(folder.join("precious"), folder.join("book.json"));
    await saveSkillbook(sampleBook(), folder.join("book.json"));
    expect(await readFile(folder.join("precious"), "utf8")).toBe("keep me");
  });

  it("say why a file cannot be loaded", async () => {
    await using folder = await tempFolder();
    const write = async (name: string, text: string): Promise<string> => {
      await writeFile(folder.join(name), text);
      return folder.join(name);
    };
    await mkdir(folder.join("folder"));
    const huge = await write("huge.json", "{}");
    await truncate(huge, SKILLBOOK_LIMITS.fileBytes + 1);
    await symlink("loop.json", folder.join("loop.json"));
    const cases: [path: string, code: string, reason: string][] = [
      [folder.join("none.json"), "CORE_FILE_NOT_FOUND", "not_found"],
      [folder.join("loop.json"), "CORE_FILE_UNREADABLE", "unreadable"],
      [folder.join("folder"), "CORE_FILE_UNREADABLE", "not_a_file"],
      [huge, "CORE_FILE_TOO_LARGE", "too_large"],
      [
        await write("half.json", `{"skills": {"a-1": {"id"`),
        "ACE_SKILLBOOK_INVALID",
        "not_a_skillbook",
      ],
      [await write("text.json", "hello"), "ACE_SKILLBOOK_INVALID", "not_a_skillbook"],
      [await write("empty.json", ""), "ACE_SKILLBOOK_INVALID", "not_a_skillbook"],
      [await write("list.json", "[]"), "ACE_SKILLBOOK_INVALID", "not_a_skillbook"],
      [await write("other.json", `{"name": "x"}`), "ACE_SKILLBOOK_INVALID", "not_a_skillbook"],
      [await write("deep.json", "[".repeat(100_000)), "ACE_SKILLBOOK_INVALID", "not_a_skillbook"],
      [
        await write("newer.json", `{"format": "acumen.skillbook", "version": 99, "skills": {}}`),
        "ACE_SKILLBOOK_NEWER",
        "newer_version",
      ],
    ];
    for (const [path, code, reason] of cases) {
      await expect(loadSkillbook(path)).rejects.toThrow(failure(code, reason));
      await expect(loadSkillbook(path)).rejects.toThrow(path);
    }
  });

  it("say why a file cannot be written", async () => {
    await using folder = await tempFolder();
    await writeFile(folder.join("file"), "");
    await mkdir(folder.join("taken.json"));
    for (const path of [folder.join("file", "book.json"), folder.join("taken.json")]) {
      await expect(saveSkillbook(sampleBook(), path)).rejects.toThrow(
        failure("CORE_FILE_NOT_WRITABLE", "not_writable"),
      );
    }
  });
});

describe("printBook", () => {
  it("drops the indent when only that fits the limit, and refuses a book that fits neither way", () => {
    const book = sampleBook();
    const pretty = printBook(book);
    const compact = printBook(book, pretty.byteLength - 1);
    expect(compact.byteLength).toBeLessThan(pretty.byteLength);
    expect(JSON.parse(Buffer.from(compact).toString())).toEqual(book.toRecord());
    expect(() => printBook(book, compact.byteLength - 1)).toThrow(
      expect.objectContaining({
        code: "ACE_SKILLBOOK_TOO_LARGE",
        details: expect.objectContaining({ reason: "too_large" }) as unknown,
      }) as Error,
    );
  });
});
