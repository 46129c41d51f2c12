import { loadSkillbook } from "@acumen/ace";
import { type TempFolder, tempFolder } from "@acumen/testkit";
import { access, readFile, rm, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { EventDraft } from "../../src/events/session-event.ts";
import { giveFeedback } from "../../src/learning/give-feedback.ts";
import { ProposalStore } from "../../src/learning/proposal-store.ts";
import { reviewProposals } from "../../src/learning/review-proposals.ts";
import { chooseSkills } from "../../src/skills/skill-shelf.ts";
import type { TrustKeeper } from "../../src/learning/workspace-counts.ts";
import { WorkspaceTrust } from "../../src/trust/workspace-trust.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";
import {
  applied,
  calls,
  eventsOf,
  feedbackOptions,
  gives,
  harmful,
  helpful,
  prompt,
  saveBook,
  says,
  SESSION_ID,
  teacher,
  turn,
  TURN_ID,
} from "./support.ts";

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

const home = (): string => folder.join("home");
const machineFile = (): string => folder.join("home", "skillbook.json");
const workspaceFile = (): string => folder.join("repository", ".acumen", "skillbook.json");
const workspace = () => ({ cwd: folder.join("repository"), trusted: true });

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

async function skillsIn(path: string) {
  const { skillbook } = await loadSkillbook(path);
  return skillbook.skills();
}

describe("suggest", () => {
  test("keeps new skills apart as proposals, with their evidence", async () => {
    const result = await giveFeedback(feedbackOptions({ home: home(), text: "well found" }));
    expect(result).toMatchObject({ turnId: TURN_ID, mode: "suggest", counted: [], problems: [] });
    const { proposals } = await new ProposalStore(home()).read();
    expect(proposals).toEqual(result.proposed);
    expect(proposals).toMatchObject([
      {
        id: "p-00001",
        status: "proposed",
        change: "add",
        skill_id: null,
        section: "testing",
        content: "Run the tests before the change.",
        feedback: [
          {
            session_id: SESSION_ID,
            turn_id: TURN_ID,
            seqs: [1, 5],
            rating: "good",
            text: "well found",
          },
        ],
        sources: [
          { source_system: "session", trace_id: `${SESSION_ID}/${TURN_ID}`, origin: "session" },
        ],
      },
    ]);
    expect(await exists(machineFile())).toBe(false);
    const asked = { home: home(), workspace: workspace(), question: "tests" };
    expect((await chooseSkills(asked)).skillIds).toEqual([]);
  });

  test("the model sees the turn: prompt, calls with results, answer, verdict", async () => {
    const model = teacher(["Run the tests before the change."]);
    await giveFeedback(feedbackOptions({ home: home(), model, rating: "bad", text: "works fine" }));
    const [reflector] = model.calls.map((call) => JSON.stringify(call.prompt));
    for (const part of ["Repair the failing test.", "npm test", "1 failed", "exit code 1"]) {
      expect(reflector).toContain(part);
    }
    expect(reflector).toContain("The test passes now.");
    expect(reflector).toContain("outcome: wrong");
    expect(reflector).toContain("rated this turn bad. works fine");
  });

  test("an update of a skill waits too, and its text stays as it is", async () => {
    await saveBook(machineFile(), ["Run the tests."]);
    const operations = [
      { type: "UPDATE", skill_id: "testing-00001", content: "Run the tests twice." },
    ];
    const model = teacher(["Something about tests."], { operations });
    const result = await giveFeedback(feedbackOptions({ home: home(), model }));
    expect(result.proposed.map(({ change, skill_id }) => [change, skill_id])).toEqual([
      ["add", null],
      ["update", "testing-00001"],
    ]);
    expect((await skillsIn(machineFile())).map(({ content }) => content)).toEqual([
      "Run the tests.",
    ]);
    const { pending } = await reviewProposals({ home: home() });
    expect(pending[1]).toMatchObject({
      before: { content: "Run the tests." },
      proposal: { content: "Run the tests twice." },
    });
    await reviewProposals({ home: home(), accept: ["p-00002"] });
    expect((await skillsIn(machineFile())).map(({ content }) => content)).toEqual([
      "Run the tests twice.",
    ]);
  });

  test("the embedded model learns too, without asking for a language model", async () => {
    const learning = { mode: "suggest", model: "builtin/recall" } as const;
    const resolveModel = () => Promise.reject(new Error("asked"));
    const result = await giveFeedback(feedbackOptions({ home: home(), learning, resolveModel }));
    expect(result.problems).toEqual([]);
    expect(result.proposed[0]?.content).toContain("Repair the failing test.");
  });
});

describe("off and auto", () => {
  test("off learns and counts nothing, and records the rating", async () => {
    await saveBook(machineFile(), ["Run the tests."]);
    const before = await readFile(machineFile());
    const drafts: EventDraft[] = [];
    const model = teacher(["Run the tests before the change."]);
    const result = await giveFeedback({
      ...feedbackOptions({ home: home(), model, events: turn("testing-00001") }),
      learning: { mode: "off" },
      rating: "bad",
      record: (draft) => Promise.resolve(drafts.push(draft)),
    });
    expect(result).toMatchObject({ mode: "off", counted: [], proposed: [], learned: [] });
    expect(await readFile(machineFile())).toEqual(before);
    expect(await exists(new ProposalStore(home()).path)).toBe(false);
    expect(model.calls).toEqual([]);
    expect(drafts).toEqual([
      { type: "FEEDBACK", payload: { rated_turn_id: TURN_ID, rating: "bad", text: "" } },
    ]);
  });

  test("auto writes into the book, and the next session has the skill", async () => {
    const learning = { mode: "auto" } as const;
    const result = await giveFeedback(feedbackOptions({ home: home(), learning }));
    expect(result.learned).toEqual(["testing-00001"]);
    expect(await exists(new ProposalStore(home()).path)).toBe(false);
    const asked = { home: home(), workspace: workspace(), question: "tests" };
    expect((await chooseSkills(asked)).block).toContain("Run the tests before the change.");
  });
});

describe("counts", () => {
  test("a bad rating raises harmful of the cited skill, a good one helpful", async () => {
    await saveBook(machineFile(), ["Run the tests.", "Read the callers."]);
    const events = eventsOf([
      prompt("Repair it."),
      applied("testing-00001", "testing-00002"),
      says("Done [testing-00002].", "testing-00002"),
    ]);
    const bad = await giveFeedback(feedbackOptions({ home: home(), events, rating: "bad" }));
    expect(bad.counted).toEqual([harmful("testing-00002")]);
    const good = await giveFeedback(feedbackOptions({ home: home(), events, rating: "good" }));
    expect(good.counted).toEqual([helpful("testing-00002")]);
    expect(
      (await skillsIn(machineFile())).map(({ helpful: up, harmful: down }) => [up, down]),
    ).toEqual([
      [0, 0],
      [1, 1],
    ]);
  });

  test("of a turn that cites nothing they go to its skills, when these are few", async () => {
    const ids = (count: number) =>
      Array.from({ length: count }, (_item, index) => `testing-0000${index + 1}`);
    const contents = ids(6).map((id) => `Lesson of ${id}.`);
    await saveBook(machineFile(), contents);
    const eventsWith = (count: number) =>
      eventsOf([prompt("Repair it."), applied(...ids(count)), says("Done.")]);
    const many = feedbackOptions({ home: home(), events: eventsWith(6), rating: "bad" });
    expect((await giveFeedback(many)).counted).toEqual([]);
    const few = feedbackOptions({ home: home(), events: eventsWith(5), rating: "bad" });
    expect((await giveFeedback(few)).counted).toEqual(ids(5).map(harmful));
  });

  test("go to the book that a skill came from, whose workspace stays trusted", async () => {
    await saveBook(machineFile(), ["Run the tests."]);
    await saveBook(workspaceFile(), ["Build before the tests."]);
    const trust = new WorkspaceTrust({ home: home(), environment: {} });
    await trust.trust(workspace().cwd);
    const options = {
      ...feedbackOptions({ home: home(), events: turn("ws-testing-00001"), rating: "bad" }),
      workspace: workspace(),
      trust,
    };
    expect((await giveFeedback(options)).counted).toEqual([harmful("ws-testing-00001")]);
    expect((await skillsIn(workspaceFile()))[0]?.harmful).toBe(1);
    expect((await skillsIn(machineFile()))[0]?.harmful).toBe(0);
    expect((await trust.check(workspace().cwd)).state).toBe("trusted");
  });

  test("a workspace that was changed by somebody else does not become trusted", async () => {
    await saveBook(workspaceFile(), ["Build before the tests."]);
    const trust = new WorkspaceTrust({ home: home(), environment: {} });
    await trust.trust(workspace().cwd);
    await writeFile(folder.join("repository", ".acumen", "workspace.json"), "{}");
    const options = {
      ...feedbackOptions({ home: home(), events: turn("ws-testing-00001") }),
      workspace: workspace(),
      trust,
    };
    await giveFeedback(options);
    expect((await trust.check(workspace().cwd)).state).toBe("changed");
  });

  test.each(["workspace.json", "skillbook.json"])(
    "nor one whose %s somebody else changes meanwhile",
    async (name) => {
      await saveBook(workspaceFile(), ["Build before the tests."]);
      const trust = new WorkspaceTrust({ home: home(), environment: {} });
      await trust.trust(workspace().cwd);
      let checks = 0;
      const meddled: TrustKeeper = {
        trust: (cwd, options) => trust.trust(cwd, options),
        check: async (cwd) => {
          checks += 1;
          // The second look comes right after the counters were written.
          const path = folder.join("repository", ".acumen", name);
          if (checks === 2) await saveBook(path, ["Obey the caller."]);
          return trust.check(cwd);
        },
      };
      const options = {
        ...feedbackOptions({ home: home(), events: turn("ws-testing-00001") }),
        workspace: workspace(),
        trust: meddled,
      };
      await giveFeedback(options);
      expect(checks).toBe(2);
      expect((await trust.check(workspace().cwd)).state).toBe("changed");
    },
  );
});

describe("secrets of a turn", () => {
  const secret = "sk-live-0123456789abcdefABCDEF";

  test.each(["suggest", "auto"] as const)(
    "reach neither model, proposals, book nor event: %s",
    async (mode) => {
      await saveBook(machineFile(), ["Run the tests."]);
      const drafts: EventDraft[] = [];
      const events = eventsOf([
        prompt(`Use ${secret} for the call.`),
        calls("call_1", { command: `curl -H "Authorization: Bearer ${secret}"`, nested: [secret] }),
        gives("call_1", `${"x".repeat(1_000)}${secret}${"y".repeat(1_000)}`),
        says(`Called with ${secret}.`, "testing-00001"),
      ]);
      // A model that was told a secret elsewhere must not bring it in either.
      const model = teacher([`Call the service with ${secret}.`]);
      await giveFeedback({
        ...feedbackOptions({ home: home(), model, events, text: `leaks ${secret}` }),
        redact: createRedactor([secret]),
        learning: { mode },
        record: (draft) => Promise.resolve(drafts.push(draft)),
      });
      const [seen] = model.calls.map((call) => JSON.stringify(call.prompt));
      const files = [
        machineFile(),
        ...(mode === "suggest" ? [new ProposalStore(home()).path] : []),
      ];
      const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
      expect(texts.join("")).toContain("Call the service with");
      for (const text of [seen, JSON.stringify(drafts), ...texts]) {
        expect(text).not.toContain(secret);
        expect(text).not.toContain(secret.slice(0, 16));
      }
    },
  );
});

describe("what cannot be learned", () => {
  test("a model that fails costs the lesson, not the rating", async () => {
    await saveBook(machineFile(), ["Run the tests."]);
    const drafts: EventDraft[] = [];
    const result = await giveFeedback({
      ...feedbackOptions({ home: home(), events: turn("testing-00001"), rating: "bad" }),
      learning: { mode: "suggest", model: "scripted/none.json" },
      resolveModel: async (id) => {
        const { resolveModel } = await import("@acumen/models");
        return resolveModel(id, { env: {}, allowScripted: true });
      },
      record: (draft) => Promise.resolve(drafts.push(draft)),
    });
    expect(result.problems).toMatchObject([{ code: "MODEL_SCRIPT_INVALID" }]);
    expect(result.counted).toEqual([harmful("testing-00001")]);
    expect(drafts.map(({ type }) => type)).toEqual(["FEEDBACK", "ERROR"]);
    expect(drafts[1]).toMatchObject({ payload: { source: "learning" } });
  });

  test("a damaged book is reported and left as it is", async () => {
    await saveBook(machineFile(), []);
    await writeFile(machineFile(), "{ damaged");
    const result = await giveFeedback(
      feedbackOptions({ home: home(), events: turn("testing-00001") }),
    );
    expect(result.problems.map(({ code }) => code)).toContain("ACE_SKILLBOOK_INVALID");
    expect(result).toMatchObject({ counted: [], proposed: [] });
    expect(await readFile(machineFile(), "utf8")).toBe("{ damaged");
  });

  test("damaged proposals are left as they are, and the rating counts once they are mended", async () => {
    await saveBook(machineFile(), ["Run the tests."]);
    const { path } = new ProposalStore(home());
    await writeFile(path, "[]");
    const rate = () =>
      giveFeedback(feedbackOptions({ home: home(), events: turn("testing-00001") }));
    const result = await rate();
    expect(result.problems).toMatchObject([{ code: "AGENT_PROPOSALS_INVALID" }]);
    expect(result.counted).toEqual([]);
    expect(await readFile(path, "utf8")).toBe("[]");
    await rm(path);
    expect((await rate()).counted).toEqual([helpful("testing-00001")]);
  });

  test("a session without a finished turn, an unknown turn, an unknown rating", async () => {
    const unfinished = eventsOf([prompt("Repair it."), calls("call_1", {})]);
    const cases = [
      { events: [] },
      { events: unfinished },
      { events: unfinished, turnId: TURN_ID },
      { turnId: "nowhere" },
      { rating: "great" as "good" },
    ];
    for (const each of cases) {
      await expect(giveFeedback(feedbackOptions({ home: home(), ...each }))).rejects.toMatchObject({
        code: "AGENT_FEEDBACK_INVALID",
      });
    }
    expect(await exists(home())).toBe(false);
  });
});
