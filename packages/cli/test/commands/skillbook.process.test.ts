import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { acumen } from "../support/acumen.ts";

interface RawSkill {
  readonly content: string;
  readonly section?: string;
  readonly helpful?: number;
  readonly harmful?: number;
  readonly created_at?: string;
  readonly status?: string;
  readonly evidence?: string;
}

function bookText(skills: Readonly<Record<string, RawSkill>>): string {
  const records = Object.entries(skills).map(([id, skill]) => [
    id,
    {
      id,
      section: "tips",
      justification: null,
      evidence: null,
      helpful: 0,
      harmful: 0,
      neutral: 0,
      created_at: "2026-01-01T00:00:00+00:00",
      updated_at: "2026-01-01T00:00:00+00:00",
      status: "active",
      sources: [],
      ...skill,
    },
  ]);
  return JSON.stringify({
    format: "acumen.skillbook",
    version: 1,
    skills: Object.fromEntries(records) as unknown,
    sections: {},
    next_id: 9,
    similarity_decisions: {},
  });
}

const SMALL = bookText({
  "tips-00001": { content: "Plain advice." },
  "tips-00002": { content: "Best advice.", helpful: 5, harmful: 1, evidence: "seen twice" },
  "tips-00003": { content: "Newer advice.", created_at: "2026-02-01T00:00:00+00:00" },
  "git-00004": { content: "Bad advice.", section: "git", harmful: 2 },
  "git-00005": { content: "Gone advice.", section: "git", helpful: 9, status: "invalid" },
});

test("show prints the skills best first, with counters, evidence and what is left over", async () => {
  await using folder = await tempFolder();
  const path = join(folder.path, "book.json");
  await writeFile(path, SMALL);
  const { code, stdout, stderr } = await acumen(["skillbook", "show", path, "--limit", "3"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("4 skills in 2 sections, 1 removed");
  const order = ["Best advice.", "Newer advice.", "Plain advice."].map((text) =>
    stdout.indexOf(text),
  );
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect(order[0]).toBeGreaterThan(0);
  expect(stdout).toContain("tips-00002 tips: helpful 5, harmful 1, neutral 0");
  expect(stdout).toContain("evidence: seen twice");
  expect(stdout).not.toContain("Bad advice.");
  expect(stdout).not.toContain("Gone advice.");
  expect(stdout).toContain("1 more: --limit 4 shows all.");
});

test("show --json holds the records of the file, with --section and --all", async () => {
  await using folder = await tempFolder();
  const path = join(folder.path, "book.json");
  await writeFile(path, SMALL);
  const flags = ["--json", "--all", "--section", "git"];
  const { code, stdout } = await acumen(["skillbook", "show", path, ...flags]);
  expect(code).toBe(0);
  expect(stdout.trimEnd()).not.toContain("\n");
  expect(JSON.parse(stdout)).toMatchObject({
    type: "result",
    command: "skillbook show",
    files: [
      {
        file: path,
        load: { loaded: 5, skipped: [], migrated_from: null },
        total: 2,
        skills: [
          { id: "git-00005", status: "invalid", helpful: 9 },
          { id: "git-00004", created_at: "2026-01-01T00:00:00+00:00" },
        ],
      },
    ],
  });
});

test("show never brings control or hidden characters of a file to the terminal", async () => {
  await using folder = await tempFolder();
  const path = join(folder.path, "book.json");
  const evil = "\u001B]0;owned\u0007 \u001B[2J clear \u202E bidi \u200B zero\r\nnext";
  await writeFile(
    path,
    bookText({ "tips-00001": { content: evil, evidence: evil, section: "s\u001B[1m" } }),
  );
  const { code, stdout } = await acumen(["skillbook", "show", path]);
  expect(code).toBe(0);
  expect(stdout).toContain("clear bidi zero\n  next");
  expect(stdout).toMatch(/^(?:[^\p{Cc}\p{Cf}]|\n)*$/u);
});

test("show names the sections that exist when one has no skill", async () => {
  await using folder = await tempFolder();
  const path = join(folder.path, "book.json");
  await writeFile(path, SMALL);
  const { code, stdout } = await acumen(["skillbook", "show", path, "--section", "tipps"]);
  expect(code).toBe(0);
  expect(stdout).toContain('No skill in section "tipps". Sections: ');
  expect(stdout).toMatch(/Sections: (?:tips, git|git, tips)\./);
});

test("show keeps long words and long texts within 80 columns", async () => {
  await using folder = await tempFolder();
  const path = join(folder.path, "book.json");
  const content = `${"x".repeat(300)} ${"word ".repeat(100)}`;
  await writeFile(path, bookText({ [`tips-${"0".repeat(60)}1`]: { content } }));
  const { stdout } = await acumen(["skillbook", "show", path]);
  const [, ...lines] = stdout.split("\n");
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
});

test("show tells which records were skipped, and reads files of the Python original", async () => {
  await using folder = await tempFolder();
  const path = join(folder.path, "old.json");
  await writeFile(
    path,
    JSON.stringify({
      bullets: {
        "a-00001": { id: "a-00001", section: "a", content: "Kept." },
        "a-00002": { id: "a-00002", section: "a", content: 7 },
      },
    }),
  );
  const { code, stdout } = await acumen(["skillbook", "show", path]);
  expect(code).toBe(0);
  expect(stdout).toContain("Kept.");
  expect(stdout).toMatch(/skipped a-00002: /);
  expect(stdout).toContain("of the Python original");
});

test("stats counts skills, sections and tags of several files", async () => {
  await using folder = await tempFolder();
  const paths = [join(folder.path, "a.json"), join(folder.path, "b.json")];
  await writeFile(paths[0] ?? "", SMALL);
  await writeFile(paths[1] ?? "", bookText({}));
  const text = await acumen(["skillbook", "stats", ...paths]);
  expect(text.code).toBe(0);
  expect(text.stdout).toContain("tags: helpful 5, harmful 3, neutral 0");
  expect(text.stdout).toMatch(/tips +3\n {2}git +1\n/);
  expect(text.stdout).toContain("b.json: 0 skills in 0 sections");
  const json = await acumen(["skillbook", "stats", ...paths, "--json"]);
  expect(JSON.parse(json.stdout)).toMatchObject({
    command: "skillbook stats",
    files: [
      { file: paths[0], stats: { skills: 4, invalid: 1, by_section: { tips: 3, git: 1 } } },
      { file: paths[1], stats: { skills: 0 } },
    ],
  });
});

test("diff shows what was added, removed and changed", async () => {
  await using folder = await tempFolder();
  const [before, after] = [join(folder.path, "a.json"), join(folder.path, "b.json")];
  await writeFile(before, SMALL);
  await writeFile(
    after,
    bookText({
      "tips-00001": { content: "Plain advice.", helpful: 2 },
      "tips-00002": { content: "Better advice.", helpful: 5, harmful: 1, evidence: "seen twice" },
      "tips-00003": { content: "Newer advice.", created_at: "2026-02-01T00:00:00+00:00" },
      "tips-00006": { content: "New advice." },
    }),
  );
  const text = await acumen(["skillbook", "diff", before, after]);
  expect(text.code).toBe(0);
  expect(text.stdout.replace(/\s+/g, " ")).toContain("1 added, 1 removed, 2 changed");
  expect(text.stdout).toContain("+ tips-00006 (tips)\n  New advice.");
  expect(text.stdout).toContain("- git-00004 (git)\n  Bad advice.");
  expect(text.stdout).toContain("~ tips-00001: helpful 0 -> 2");
  expect(text.stdout).toContain("  - Best advice.\n  + Better advice.");
  const json = await acumen(["skillbook", "diff", before, after, "--json", "--limit", "1"]);
  expect(JSON.parse(json.stdout)).toMatchObject({
    command: "skillbook diff",
    counts: { added: 1, removed: 1, changed: 2 },
    added: [{ id: "tips-00006" }],
    removed: [{ id: "git-00004" }],
    changed: [{ id: "tips-00002", fields: ["content"], before: { content: "Best advice." } }],
  });
});

test("a file that is no skillbook is a failure with its code", async () => {
  await using folder = await tempFolder();
  const path = join(folder.path, "list.json");
  await writeFile(path, "[]");
  const { code, stdout, stderr } = await acumen(["skillbook", "stats", path]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^acumen: ACE_SKILLBOOK_INVALID: [^\n]*list\.json[^\n]*\n$/);
});
