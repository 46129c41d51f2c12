import { loadSkillbook, Skillbook } from "@acumen/ace";
import { type TempFolder, tempFolder } from "@acumen/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { saveAfter } from "../../src/learning/commit.ts";
import { countOnce } from "../../src/learning/counted-ratings.ts";
import { giveFeedback } from "../../src/learning/give-feedback.ts";
import { EMPTY_PROPOSALS, PROPOSAL_LIMITS } from "../../src/learning/proposal.ts";
import { ProposalStore } from "../../src/learning/proposal-store.ts";
import type { SkillCount } from "../../src/learning/skill-counts.ts";
import {
  feedbackOptions,
  type Given,
  harmful,
  helpful,
  saveBook,
  teacher,
  turn,
  TURN_ID,
} from "./support.ts";

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
  await saveBook(machineFile(), ["Run the tests.", "Read the callers."]);
});
afterEach(() => folder.remove());

const machineFile = (): string => folder.join("home", "skillbook.json");
const workspaceFile = (): string => folder.join("repository", ".acumen", "skillbook.json");
const workspace = (trusted: boolean) => ({ cwd: folder.join("repository"), trusted });

const rate = (given: Omit<Given, "home"> = {}) =>
  giveFeedback(
    feedbackOptions({ home: folder.join("home"), events: turn("testing-00001"), ...given }),
  );

/** Helpful and harmful of each skill. */
async function counters(path = machineFile()): Promise<readonly (readonly number[])[]> {
  const { skillbook } = await loadSkillbook(path);
  return skillbook.skills().map((skill) => [skill.helpful, skill.harmful]);
}

/** How a model asks for a count. */
const tagged = ({ skillId, tag }: SkillCount) => ({ type: "TAG", skill_id: skillId, tag });

const before = (skillId: string) => ({ ...helpful(skillId), reason: "counted_before" });

describe("a rating that is given again", () => {
  test("counts once, also of what the model tags", async () => {
    const neutral = { skillId: "testing-00002", tag: "neutral" } as const;
    const model = () => teacher(["Run the tests twice."], { operations: [tagged(neutral)] });
    const first = await rate({ model: model() });
    expect(first).toMatchObject({ counted: [helpful("testing-00001"), neutral], kept: [] });
    const second = await rate({ model: model() });
    expect(second.counted).toEqual([]);
    expect(second.uncounted).toEqual([
      before("testing-00001"),
      { ...neutral, reason: "counted_before" },
    ]);
    const { skillbook } = await loadSkillbook(machineFile());
    expect(skillbook.get("testing-00001")).toMatchObject({ helpful: 1, neutral: 0 });
    expect(skillbook.get("testing-00002")).toMatchObject({ helpful: 0, neutral: 1 });
    const { proposals } = await new ProposalStore(folder.join("home")).read();
    expect(proposals.map(({ feedback }) => feedback.length)).toEqual([1]);
  });

  test("because its event could not be recorded counts once", async () => {
    const record = () => Promise.reject(new Error("disk full"));
    await expect(rate({ record })).rejects.toThrow("disk full");
    expect((await rate()).uncounted).toEqual([before("testing-00001")]);
    expect(await counters()).toEqual([
      [1, 0],
      [0, 0],
    ]);
  });

  test("at the same moment counts once", async () => {
    const results = await Promise.all([rate(), rate(), rate()]);
    expect(results.flatMap(({ counted }) => counted)).toEqual([helpful("testing-00001")]);
    expect(results.flatMap(({ uncounted }) => uncounted)).toHaveLength(2);
    expect((await counters())[0]).toEqual([1, 0]);
  });

  test("in a fork of its session counts once", async () => {
    await rate();
    const meta = { session_id: "01JNN000000000000000000009", model: "scripted/inline" };
    await rate({ session: { meta, events: turn("testing-00001") } });
    expect((await counters())[0]).toEqual([1, 0]);
  });

  test("of another turn counts", async () => {
    await rate();
    const events = turn("testing-00001").map((event) => ({ ...event, turn_id: "another" }));
    expect((await rate({ events })).counted).toEqual([helpful("testing-00001")]);
    expect((await counters())[0]).toEqual([2, 0]);
  });
});

test("a correction counts beside the first rating, which is said, and neither counts again", async () => {
  await rate();
  const corrected = await rate({ rating: "bad" });
  expect(corrected.counted).toEqual([harmful("testing-00001")]);
  expect(corrected.kept).toEqual([helpful("testing-00001")]);
  await rate();
  await rate({ rating: "bad" });
  expect((await counters())[0]).toEqual([1, 1]);
});

test("what the other rating counted is not counted again by a model's tag", async () => {
  await rate();
  const model = teacher(["Run the tests twice."], {
    operations: [tagged(helpful("testing-00001"))],
  });
  const corrected = await rate({ rating: "bad", model, events: turn("testing-00002") });
  expect(corrected.counted).toEqual([harmful("testing-00002")]);
  expect(corrected.uncounted).toEqual([before("testing-00001")]);
  expect(await counters()).toEqual([
    [1, 0],
    [0, 1],
  ]);
});

test("a model's tag of a skill that the rating counts is left out: one count for each skill", async () => {
  const model = teacher(["Run the tests twice."], {
    tags: [{ skillId: "testing-00001", tag: "neutral" }],
    operations: [harmful("testing-00001"), helpful("testing-00002"), harmful("testing-00002")].map(
      tagged,
    ),
  });
  const { counted, uncounted } = await rate({ model });
  expect(counted).toEqual([helpful("testing-00001"), helpful("testing-00002")]);
  expect(uncounted).toEqual([]);
  expect(await counters()).toEqual([
    [1, 0],
    [1, 0],
  ]);
  const { skillbook } = await loadSkillbook(machineFile());
  expect(skillbook.get("testing-00001")?.neutral).toBe(0);
});

describe("what is not counted", () => {
  test("is said of a skill that is gone", async () => {
    const { counted, uncounted } = await rate({ events: turn("testing-00009") });
    expect(counted).toEqual([]);
    expect(uncounted).toEqual([{ ...helpful("testing-00009"), reason: "gone" }]);
  });

  test("is said of a workspace that is not trusted, and counts once it is", async () => {
    await saveBook(workspaceFile(), ["Build before the tests."]);
    const events = turn("ws-testing-00001", "testing-00001");
    const untrusted = await rate({ events, workspace: workspace(false) });
    expect(untrusted.counted).toEqual([helpful("testing-00001")]);
    expect(untrusted.uncounted).toEqual([{ ...helpful("ws-testing-00001"), reason: "untrusted" }]);
    expect(await counters(workspaceFile())).toEqual([[0, 0]]);
    const trusted = await rate({ events, workspace: workspace(true) });
    expect(trusted.counted).toEqual([helpful("ws-testing-00001")]);
    expect(trusted.uncounted).toEqual([before("testing-00001")]);
    const again = await rate({ events, workspace: workspace(true) });
    expect(again.counted).toEqual([]);
    expect(await counters(workspaceFile())).toEqual([[1, 0]]);
    expect((await counters())[0]).toEqual([1, 0]);
  });
});

describe("the file that remembers what was counted", () => {
  test("is written before the book, and taken back when the book cannot be written", async () => {
    const store = new ProposalStore(folder.join("home"));
    const book = new Skillbook();
    book.apply([{ type: "ADD", section: "testing", content: "Run the tests." }]);
    const rated = { turn_id: TURN_ID, rating: "good", book: "machine", at: "now" } as const;
    const { file } = countOnce(book, EMPTY_PROPOSALS, rated, [helpful("testing-00001")]);
    const seen: number[] = [];
    const save = async (): Promise<void> => {
      seen.push((await store.read()).counted.length);
      throw new Error("disk full");
    };
    const saving = saveAfter({ skillbook: book, save }, store, {
      before: EMPTY_PROPOSALS,
      after: file,
    });
    await expect(saving).rejects.toThrow("disk full");
    expect(seen).toEqual([1]);
    expect((await store.read()).counted).toEqual([]);
  });

  test("holds no more than a bounded number of ratings, the newest", () => {
    const book = new Skillbook();
    book.apply([{ type: "ADD", section: "testing", content: "Run the tests." }]);
    let file = EMPTY_PROPOSALS;
    for (let index = 0; index <= PROPOSAL_LIMITS.counted; index += 1) {
      const rated = { turn_id: String(index), rating: "good", book: "machine", at: "" } as const;
      ({ file } = countOnce(book, file, rated, [helpful("testing-00001")]));
    }
    expect(file.counted).toHaveLength(PROPOSAL_LIMITS.counted);
    expect(file.counted.at(-1)?.turn_id).toBe(String(PROPOSAL_LIMITS.counted));
  });
});
