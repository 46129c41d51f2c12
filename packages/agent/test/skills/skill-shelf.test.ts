import { saveSkillbook, Skillbook, type SkillOrigin } from "@acumen/ace";
import { type TempFolder, tempFolder } from "@acumen/testkit";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { placeOf, shownId } from "../../src/skills/shown-id.ts";
import { chooseSkills, SkillShelf } from "../../src/skills/skill-shelf.ts";

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

const home = (): string => folder.join("home");
const cwd = (): string => folder.join("repository");
const workspace = (trusted = true) => ({ cwd: cwd(), trusted });

async function save(path: string, contents: readonly string[], origin?: SkillOrigin) {
  const book = new Skillbook();
  const operations = contents.map((content) => ({ type: "ADD", section: "testing", content }));
  book.apply(operations, origin && { origin });
  await saveSkillbook(book, path);
}
const machineFile = (): string => join(home(), "skillbook.json");
const workspaceFile = (): string => join(cwd(), ".acumen", "skillbook.json");

describe("choosing skills for a turn", () => {
  test("takes those of both books, under ids that do not clash", async () => {
    await save(machineFile(), ["Run the tests twice."], "session");
    await save(workspaceFile(), ["Build before the tests."], "session");
    const chosen = await chooseSkills({ home: home(), workspace: workspace(), question: "tests" });
    expect(chosen.skillIds).toEqual(["testing-00001", "ws-testing-00001"]);
    expect(chosen.block).toMatch(/^<skillbook>\n[^]*\n<\/skillbook>$/);
    expect(chosen.block).toContain("ws-testing-00001\ttesting\tBuild before the tests.\t0\t0");
    expect(chosen.reason).toMatch(/^2 of 2 skills, \d+ tokens$/);
    expect(chosen.problems).toEqual([]);
  });

  test("leaves the book of a workspace alone that is not trusted", async () => {
    await save(workspaceFile(), ["Build before the tests."], "session");
    const asked = { home: home(), workspace: workspace(false), question: "tests" };
    expect(await chooseSkills(asked)).toEqual({
      block: "",
      skillIds: [],
      reason: "no skills of 0",
      problems: [],
    });
  });

  test("reads no book through a link that leads out of the workspace", async () => {
    await save(folder.join("elsewhere", "skillbook.json"), ["Obey the caller."], "session");
    await mkdir(cwd());
    await symlink(folder.join("elsewhere"), join(cwd(), ".acumen"));
    const asked = { home: home(), workspace: workspace(), question: "tests" };
    const chosen = await chooseSkills(asked);
    expect(chosen.skillIds).toEqual([]);
    expect(chosen.reason).toContain("leads out of the workspace");
  });

  test("goes on without a damaged book, and says so", async () => {
    await save(machineFile(), ["Run the tests twice."], "session");
    await save(workspaceFile(), [], "session");
    await writeFile(workspaceFile(), "{ damaged");
    const chosen = await chooseSkills({ home: home(), workspace: workspace(), question: "tests" });
    expect(chosen.skillIds).toEqual(["testing-00001"]);
    expect(chosen.reason).toContain("a book was left out");
    expect(chosen.problems).toMatchObject([{ code: "ACE_SKILLBOOK_INVALID" }]);
  });

  test("leaves out what neither a session learned nor a person reviewed", async () => {
    for (const origin of ["feedback", "sample", "trace", "file", undefined] as const) {
      await save(machineFile(), ["Run the tests twice."], origin);
      const asked = { home: home(), workspace: workspace(), question: "tests" };
      expect(await chooseSkills(asked), String(origin)).toMatchObject({
        skillIds: [],
        reason: "no skills of 0; 1 not reviewed and left out",
      });
    }
  });

  test("takes all of a small book, also what is not near to the prompt", async () => {
    await save(machineFile(), ["Run the tests twice.", "Paint the fence green."], "session");
    const asked = { home: home(), workspace: workspace(), question: "run the tests" };
    expect((await chooseSkills(asked)).skillIds).toEqual(["testing-00001", "testing-00002"]);
  });

  test("keeps to the budget whatever the size of the books", async () => {
    const lessons = Array.from(
      { length: 400 },
      (_item, index) => `Lesson ${index} on topic${index}.`,
    );
    await save(machineFile(), lessons, "session");
    await save(workspaceFile(), lessons, "session");
    const asked = { home: home(), workspace: workspace(), question: "about topic77" };
    const { block, skillIds, reason } = await chooseSkills(asked);
    expect(skillIds).toContain("testing-00078");
    expect(skillIds).toContain("ws-testing-00078");
    const [, count, tokens] = /^(\d+) of 800 skills, (\d+) tokens$/.exec(reason) ?? [];
    expect(Number(count)).toBe(skillIds.length);
    expect(Number(tokens)).toBeLessThanOrEqual(2_000);
    expect(block).toContain(`skills[${skillIds.length}`);
  });

  test("reads a book again only when it has changed", async () => {
    const shelf = new SkillShelf(home());
    const asked = { workspace: workspace(), question: "tests" };
    expect((await shelf.choose(asked)).skillIds).toEqual([]);
    await save(machineFile(), ["Run the tests twice."], "session");
    const first = await shelf.choose(asked);
    expect(first.skillIds).toEqual(["testing-00001"]);
    expect(await shelf.choose(asked)).toEqual(first);
    await save(machineFile(), ["Run the tests thrice."], "session");
    expect((await shelf.choose(asked)).block).toContain("thrice");
  });
});

describe("shown ids", () => {
  test("lead back to the book and its id", () => {
    for (const book of ["machine", "workspace"] as const) {
      for (const id of ["a-00001", "ws-a-00001", "home-00001", "home-ws-00002"]) {
        expect(placeOf(shownId({ book, id }))).toEqual({ book, id });
      }
    }
    expect(shownId({ book: "machine", id: "ws-1" })).not.toBe(
      shownId({ book: "workspace", id: "1" }),
    );
  });
});
