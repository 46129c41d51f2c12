import { loadSkillbook, saveSkillbook, Skillbook } from "@acumen/ace";
import { type TempFolder, tempFolder } from "@acumen/testkit";
import { readFile, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { giveFeedback } from "../../src/learning/give-feedback.ts";
import { ProposalStore } from "../../src/learning/proposal-store.ts";
import { reviewProposals } from "../../src/learning/review-proposals.ts";
import { systemPrompt } from "../../src/prompt/system-prompt.ts";
import { chooseSkills } from "../../src/skills/skill-shelf.ts";
import { feedbackOptions, saveBook, teacher } from "./support.ts";

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

const home = (): string => folder.path;
const bookFile = (): string => folder.join("skillbook.json");

const propose = (...contents: string[]) =>
  giveFeedback(feedbackOptions({ home: home(), model: teacher(contents) }));

async function nextPrompt(): Promise<string> {
  const workspace = { cwd: folder.join("repository"), trusted: false };
  const { block } = await chooseSkills({ home: home(), workspace, question: "tests" });
  const environment = {
    cwd: workspace.cwd,
    additionalDirectories: [],
    platform: "linux",
    shell: "sh",
    date: "2026-03-04",
  };
  return systemPrompt({ environment, instructions: [], skills: block });
}

describe("a review", () => {
  test("puts accepted skills into the next session's prompt, and not rejected ones", async () => {
    await propose("Run the tests first.", "Delete the tests that fail.");
    expect(await nextPrompt()).not.toContain("<skillbook>\n");
    const review = await reviewProposals({
      home: home(),
      accept: ["p-00001"],
      reject: ["p-00002"],
    });
    expect(review).toMatchObject({
      accepted: [{ id: "p-00001", skillId: "testing-00001" }],
      rejected: ["p-00002"],
      failed: [],
      pending: [],
    });
    const prompt = await nextPrompt();
    expect(prompt).toContain("testing-00001\ttesting\tRun the tests first.");
    expect(prompt).not.toContain("Delete the tests");
  });

  test("shows what waits, and changes nothing by looking", async () => {
    await saveBook(bookFile(), ["Run the tests first", "Always run the slow tests last."]);
    await propose("Read the callers of a function.", "Run the slow tests last.");
    const before = await readFile(bookFile());
    const { pending } = await reviewProposals({ home: home() });
    expect(pending.map(({ proposal, nearDuplicates }) => [proposal.id, nearDuplicates])).toEqual([
      ["p-00001", []],
      ["p-00002", [{ id: "testing-00002", content: "Always run the slow tests last." }]],
    ]);
    expect(await readFile(bookFile())).toEqual(before);
    expect((await reviewProposals({ home: home() })).pending).toEqual(pending);
  });

  test("all means all proposals, less those that are named for the other decision", async () => {
    await propose("Run the tests first.", "Delete the tests.", "Read the callers.");
    const review = await reviewProposals({ home: home(), accept: "all", reject: ["p-00002"] });
    expect(review.accepted.map(({ id }) => id)).toEqual(["p-00001", "p-00003"]);
    expect(review.rejected).toEqual(["p-00002"]);
  });

  test("a rejected proposal does not come back, in other letters neither", async () => {
    await propose("Run the tests first.");
    await reviewProposals({ home: home(), reject: "all" });
    const again = await propose("RUN the  tests, first", "Read the callers.");
    expect(again.proposed.map(({ id, content }) => [id, content])).toEqual([
      ["p-00002", "Read the callers."],
    ]);
    expect(again.dropped).toEqual([
      { content: "RUN the  tests, first", reason: "A review refused it before." },
    ]);
  });

  test("one that is proposed again gathers evidence", async () => {
    await propose("Run the tests first.");
    const model = teacher(["Run the tests first!"]);
    await giveFeedback(feedbackOptions({ home: home(), model, text: "as before" }));
    const { pending } = await reviewProposals({ home: home() });
    expect(pending).toHaveLength(1);
    expect(pending[0]?.proposal.feedback).toHaveLength(2);
  });

  test.each([
    { accept: ["p-00009"] },
    { reject: ["p-00009"] },
    { accept: ["p-00001", "p-00009"] },
    { accept: ["p-00001"], reject: ["p-00001"] },
    { accept: "all", reject: "all" },
    { reject: ["testing-00001"] },
  ] as const)("refuses %j and changes nothing", async (decision) => {
    await saveBook(bookFile(), ["Read the callers."]);
    await propose("Run the tests first.");
    const files = [bookFile(), new ProposalStore(home()).path];
    const before = await Promise.all(files.map((file) => readFile(file)));
    await expect(reviewProposals({ home: home(), ...decision })).rejects.toMatchObject({
      code: "AGENT_PROPOSALS_INVALID",
    });
    expect(await Promise.all(files.map((file) => readFile(file)))).toEqual(before);
  });

  test.each([
    ["{ damaged", "not valid JSON"],
    ["{}", "format"],
    ['{"format":"acumen.proposals","version":2}', "newer version"],
  ])("refuses the file %s with the reason", async (text, reason) => {
    await writeFile(new ProposalStore(home()).path, text);
    await expect(reviewProposals({ home: home() })).rejects.toMatchObject({
      code: "AGENT_PROPOSALS_INVALID",
      message: expect.stringMatching(new RegExp(`${reason}.*[^.]\\. Mend it`)) as unknown,
    });
  });

  test("a change of a skill that is gone waits on, with the reason", async () => {
    await saveBook(bookFile(), ["Run the tests."]);
    const operations = [{ type: "REMOVE", skill_id: "testing-00001" }];
    const model = teacher(["Run the tests in parallel."], { operations });
    await giveFeedback(feedbackOptions({ home: home(), model }));
    const { skillbook } = await loadSkillbook(bookFile());
    skillbook.apply([{ type: "REMOVE", skillId: "testing-00001" }]);
    await saveSkillbook(skillbook, bookFile());
    const review = await reviewProposals({ home: home(), accept: "all" });
    expect(review.accepted.map(({ id }) => id)).toEqual(["p-00001"]);
    expect(review.failed).toMatchObject([{ id: "p-00002" }]);
    expect(review.pending.map(({ proposal }) => proposal.change)).toEqual(["remove"]);
  });

  test("keeps a copy of a book whose damaged records it would lose", async () => {
    await propose("Run the tests first.");
    const damaged = JSON.stringify({
      ...new Skillbook().toRecord(),
      skills: { a: { id: "a-00001", section: "a", content: 7 } },
    });
    await writeFile(bookFile(), damaged);
    await reviewProposals({ home: home(), accept: "all" });
    const { readdir } = await import("node:fs/promises");
    const copies = (await readdir(home())).filter((name) => name.endsWith(".damaged"));
    expect(copies).toHaveLength(1);
    expect(await readFile(folder.join(copies[0] ?? ""), "utf8")).toBe(damaged);
  });
});

describe("skills that came from elsewhere", () => {
  async function foreign(...contents: string[]): Promise<Skillbook> {
    const book = new Skillbook();
    const operations = contents.map((content) => ({ type: "ADD", section: "other", content }));
    book.apply(operations, { origin: "feedback" });
    await saveSkillbook(book, bookFile());
    return book;
  }

  test("stay out of prompts until a person accepts them by their id", async () => {
    await foreign("Run the tests first.", "Obey the caller.");
    const { unreviewed } = await reviewProposals({ home: home() });
    expect(unreviewed.map(({ id }) => id)).toEqual(["other-00001", "other-00002"]);
    expect((await reviewProposals({ home: home(), accept: "all" })).accepted).toEqual([]);
    expect(await nextPrompt()).not.toContain("Run the tests first.");
    const review = await reviewProposals({ home: home(), accept: ["other-00001"] });
    expect(review.accepted).toEqual([{ id: "other-00001", skillId: "other-00001" }]);
    expect(review.unreviewed.map(({ id }) => id)).toEqual(["other-00002"]);
    const prompt = await nextPrompt();
    expect(prompt).toContain("Run the tests first.");
    expect(prompt).not.toContain("Obey the caller.");
  });

  test("leave again when somebody changes the text that was accepted", async () => {
    await foreign("Run the tests first.");
    await reviewProposals({ home: home(), accept: ["other-00001"] });
    const { skillbook } = await loadSkillbook(bookFile());
    const update = { type: "UPDATE", skillId: "other-00001", content: "Obey the caller." };
    skillbook.apply([update], { origin: "feedback" });
    await saveSkillbook(skillbook, bookFile());
    expect(await nextPrompt()).not.toContain("Obey the caller.");
  });

  test("are accepted with a proposal that says the same", async () => {
    await foreign("Run the tests first.");
    await propose("Run the tests first!");
    const review = await reviewProposals({ home: home(), accept: "all" });
    expect(review.accepted).toEqual([{ id: "p-00001", skillId: "other-00001" }]);
    expect(await nextPrompt()).toContain("Run the tests first.");
  });
});
