import { loadSkillbook } from "@acumen/ace";
import { sourceCommand, startProcess, type TempFolder, tempFolder } from "@acumen/testkit";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { giveFeedback } from "../../src/learning/give-feedback.ts";
import { ProposalStore } from "../../src/learning/proposal-store.ts";
import { reviewProposals } from "../../src/learning/review-proposals.ts";
import { commitLocked } from "../../src/learning/commit.ts";
import { feedbackOptions, saveBook, teacher, turn } from "./support.ts";

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

describe("an abort", () => {
  test("while the model works stores and records nothing, and ends at once", async () => {
    await saveBook(bookFile(), ["Run the tests."]);
    const before = await readFile(bookFile());
    const controller = new AbortController();
    const recorded: unknown[] = [];
    let abortedAt = 0;
    const model = teacher(["Run the tests before the change."], { delayMs: 10 });
    const running = giveFeedback({
      ...feedbackOptions({ home: home(), model, events: turn("testing-00001") }),
      signal: controller.signal,
      onProgress: (phase) => {
        if (phase === "curating") {
          setTimeout(() => {
            abortedAt = performance.now();
            controller.abort();
          }, 30);
        }
      },
      record: (draft) => Promise.resolve(recorded.push(draft)),
    });
    await expect(running).rejects.toMatchObject({ code: "CORE_ABORTED" });
    // The contract says one second; a busy machine may be slower.
    expect(performance.now() - abortedAt).toBeLessThan(3_000);
    expect(recorded).toEqual([]);
    expect(await readdir(home())).toEqual(["skillbook.json"]);
    expect(await readFile(bookFile())).toEqual(before);
  });

  test("while another process holds the lock writes nothing, later neither", async () => {
    const path = folder.join("file.json");
    await mkdir(`${path}.lock`);
    const controller = new AbortController();
    const written: string[] = [];
    const prepare = () => Promise.resolve({ write: () => Promise.resolve(written.push("file")) });
    const running = commitLocked([path], prepare, controller.signal);
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: "CORE_ABORTED" });
    const { rmdir } = await import("node:fs/promises");
    await rmdir(`${path}.lock`);
    // Served after the call that was aborted, if that one still waits.
    await commitLocked([path], () => Promise.resolve({ write: () => Promise.resolve() }));
    expect(written).toEqual([]);
  });

  test("that comes while files are written is too late", async () => {
    const controller = new AbortController();
    const written: string[] = [];
    const write = async (): Promise<string> => {
      written.push("first");
      controller.abort();
      await Promise.resolve();
      written.push("second");
      return "done";
    };
    const running = commitLocked(
      [folder.join("file.json")],
      () => Promise.resolve({ write }),
      controller.signal,
    );
    expect(await running).toBe("done");
    expect(written).toEqual(["first", "second"]);
  });
});
