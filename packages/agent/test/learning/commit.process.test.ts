import { loadSkillbook } from "@acumen/ace";
import { sourceCommand, startProcess, type TempFolder, tempFolder } from "@acumen/testkit";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ProposalStore } from "../../src/learning/proposal-store.ts";
import { reviewProposals } from "../../src/learning/review-proposals.ts";
import { saveBook } from "./support.ts";

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

const home = (): string => folder.path;
const bookFile = (): string => folder.join("skillbook.json");
const feedbackProcess = (name: string, count: number, own = home()) => {
  const entry = new URL("feedback-process.ts", import.meta.url);
  return startProcess(sourceCommand(entry, [own, name, String(count)]));
};

describe("several processes", () => {
  test("that give feedback at once, beside a review, lose nothing", async () => {
    await saveBook(bookFile(), ["Run the tests."]);
    const names = ["one", "two"];
    const children = names.map((name) => feedbackProcess(name, 5));
    await children[0]?.waitFor("stdout", "done 1\n", 50_000);
    const early = await reviewProposals({ home: home(), accept: "all" });
    for (const child of children) {
      expect((await child.exited).code, child.stderr()).toBe(0);
    }
    const late = await reviewProposals({ home: home(), accept: "all" });
    expect(early.accepted.length).toBeGreaterThan(0);
    expect(early.accepted.length + late.accepted.length).toBe(10);
    const { skillbook } = await loadSkillbook(bookFile());
    expect(skillbook.get("testing-00001")?.helpful).toBe(10);
    const lessons = names.flatMap((name) =>
      Array.from({ length: 5 }, (_item, index) => `Lesson ${index + 1} of ${name}.`),
    );
    const contents = skillbook.skills().map(({ content }) => content);
    expect(contents.toSorted()).toEqual([...lessons, "Run the tests."].toSorted());
  });

  test("one that is killed while it saves leaves book and proposals whole", async () => {
    const round = async (finished: number): Promise<void> => {
      const own = folder.join(`home-${finished}`);
      await saveBook(join(own, "skillbook.json"), ["Run the tests."]);
      await using child = feedbackProcess("one", 100, own);
      await child.waitFor("stdout", `saving ${finished + 1}\n`, 50_000);
      child.kill("SIGKILL");
      await child.exited;
      const { proposals } = await new ProposalStore(own).read();
      const { skillbook } = await loadSkillbook(join(own, "skillbook.json"));
      expect(proposals.length).toBeGreaterThanOrEqual(finished);
      expect(skillbook.get("testing-00001")?.helpful).toBeGreaterThanOrEqual(finished);
    };
    await Promise.all([0, 1].map(round));
  });
});
