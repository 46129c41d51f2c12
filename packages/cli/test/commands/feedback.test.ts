import { loadSkillbook, saveSkillbook, Skillbook } from "@acumen/ace";
import { access, mkdtemp } from "node:fs/promises";
import { expect, test } from "vitest";
import { type AgentBench, agentBench } from "../support/agent-bench.ts";
import { lastRecord } from "../support/run-main.ts";

const TALK = { steps: [{ text: "I pushed without running the tests." }], repeatLast: true };

/** Stands in the place of the session's model while it learns: reflects, then adds one skill. */
const TEACHER = {
  steps: [
    {
      reasoning: "Failure.",
      correct_approach: "Run the tests first.",
      key_insight: "Tests show the cause.",
      extracted_learnings: [{ learning: "Run the tests before a push.", atomicity_score: 1 }],
      skill_tags: [],
    },
    {
      reasoning: "New.",
      operations: [
        {
          type: "ADD",
          section: "publishing",
          content: "Run the tests before a push.",
          justification: "It saves time.",
          evidence: "The person said so.",
          reflection_index: 0,
        },
      ],
    },
  ].map((reply) => ({ text: JSON.stringify(reply) })),
};

/** A turn that was rated. */
async function rated(rating: string, learning: object): Promise<AgentBench & { record: object }> {
  const bench = await agentBench(TALK);
  await bench.write("home/config.json", JSON.stringify({ learning }));
  expect((await bench.run(["publish the package"])).code).toBe(0);
  await bench.write("script.json", JSON.stringify(TEACHER));
  const words = ["feedback", "last", rating, "run the tests before you push"];
  const outcome = await bench.acumen([...words, "--cwd", bench.workspace, "--json"], {
    variables: { ACUMEN_MODEL: bench.model },
  });
  expect(outcome.code).toBe(0);
  await bench.write("script.json", JSON.stringify(TALK));
  return { ...bench, record: lastRecord(outcome) };
}

test("a rating proposes a skill, which counts once it is accepted", async () => {
  await using bench = await rated("bad", {});
  expect(bench.record).toMatchObject({
    command: "feedback",
    session_id: expect.any(String),
    turn_id: expect.any(String),
    rating: "bad",
    learning: "suggest",
    proposed: [{ id: "p-00001", status: "proposed" }],
    problems: [],
  });
  const shown = await bench.acumen(["skillbook", "review"]);
  expect(shown.stdout).toContain("p-00001: add");
  expect(shown.stdout).toContain("rated bad: run the tests before you push");
  expect(shown.stdout).toContain("--accept ID");
  const review = async (...flags: string[]): Promise<Record<string, unknown>> =>
    lastRecord(await bench.acumen(["skillbook", "review", "--json", ...flags]));
  expect(await review()).toMatchObject({ pending: [{ id: "p-00001", before: null }] });
  expect(await review("--accept", "p-00001")).toMatchObject({
    pending: [],
    accepted: [{ id: "p-00001", skill_id: expect.any(String) }],
  });
  const after = await bench.acumen(["skillbook", "review"]);
  expect(after.stdout).toBe("Nothing waits for a review.\n");
  const next = await bench.run(["publish the package"]);
  expect(next.stderr).toContain("1 skill of the skillbook applied");
});

test("a refused proposal is gone and never applied", async () => {
  await using bench = await rated("bad", {});
  const refused = await bench.acumen(["skillbook", "review", "--reject", "all", "--json"]);
  expect(lastRecord(refused)).toMatchObject({ pending: [], rejected: ["p-00001"] });
  const next = await bench.run(["publish the package"]);
  expect(next.stderr).not.toContain("of the skillbook applied");
  const unknown = await bench.acumen(["skillbook", "review", "--accept", "p-00001"]);
  expect(unknown.code).toBe(1);
  expect(unknown.stderr).toContain("AGENT_PROPOSALS_INVALID");
});

test("a correction of the rating is shown with what the first one proposed, and warned of when it is accepted", async () => {
  await using bench = await rated("good", {});
  await bench.acumen(["feedback", "last", "bad", "--cwd", bench.workspace]);
  const shown = await bench.acumen(["skillbook", "review"]);
  expect(shown.stdout).toContain("rated good: run the tests");
  expect(shown.stdout).toContain("was rated bad later");
  const accepted = await bench.acumen(["skillbook", "review", "--accept", "p-00001"]);
  expect(accepted.stdout).toContain("p-00001 is accepted as");
  expect(accepted.stdout).toContain("was rated bad later");
});

test("nothing is learned with `off`, and that is said", async () => {
  await using bench = await rated("good", { mode: "off" });
  expect(bench.record).toMatchObject({ learning: "off", proposed: [], learned: [], counted: [] });
  const words = ["feedback", "last", "good", "--cwd", bench.workspace];
  expect((await bench.acumen(words)).stdout).toContain("`learning.mode` is `off`");
});

test("a lesson that could not be learned is a failure, and the rating stands", async () => {
  await using bench = await agentBench(TALK);
  await bench.write("home/config.json", '{"learning":{"model":"openai/gpt-5-mini"}}');
  await bench.run(["publish the package"]);
  const words = ["feedback", "last", "bad", "why", "--cwd", bench.workspace, "--json"];
  const outcome = await bench.acumen(words);
  expect(outcome.code).toBe(1);
  const record = lastRecord(outcome);
  expect(record).toMatchObject({ problems: [{ code: "MODEL_FAILED" }] });
  expect(outcome.stderr).toContain("acumen setup");
  const shown = await bench.acumen(["sessions", "show", String(record["session_id"])]);
  expect(shown.stdout).toContain("rated bad: why");
});

test("the embedded model says why a bad rating teaches it nothing", async () => {
  await using bench = await agentBench(TALK);
  await bench.write("home/config.json", '{"learning":{"model":"builtin/recall"}}');
  await bench.run(["publish the package"]);
  const rate = (...words: string[]) =>
    bench.acumen(["feedback", "last", ...words, "--cwd", bench.workspace]);
  const bad = await rate("bad", "check signs");
  expect(bad.stdout).toContain("a bad rating gives no right answer");
  expect(bad.stdout).toContain("`learning.model`");
  expect((await rate("good")).stdout).toContain("Proposed p-00001");
});

test("a session of a scripted model: ACUMEN_MODEL or learning.model learns from it", async () => {
  await using bench = await agentBench({ steps: [{ text: "I pushed." }] });
  await bench.run(["publish the package"]);
  const rate = (variables: Readonly<Record<string, string>> = {}) =>
    bench.acumen(["feedback", "last", "good", "--cwd", bench.workspace], { variables });
  const unnamed = await rate();
  expect(unnamed.code).toBe(1);
  expect(unnamed.stdout).toContain("Rated good");
  expect(unnamed.stderr).toContain("`learning.model`");
  expect(unnamed.stderr).toContain("builtin/recall");
  await bench.write("script.json", JSON.stringify(TEACHER));
  expect((await rate({ ACUMEN_MODEL: bench.model })).stdout).toContain("Proposed p-00001");
  await bench.write("home/config.json", '{"learning":{"model":"builtin/recall"}}');
  const recalled = await rate();
  expect(recalled).toMatchObject({ code: 0, stderr: "" });
  expect(recalled.stdout).toContain("Proposed p-00002");
});

test("there must be a session and a rating", async () => {
  await using bench = await agentBench(TALK);
  const folder = await mkdtemp(bench.folder.join("empty-"));
  const none = await bench.acumen(["feedback", "last", "good", "--cwd", folder]);
  expect(none.code).toBe(1);
  expect(none.stderr).toContain("AGENT_SESSION_NOT_FOUND");
  const rating = await bench.acumen(["feedback", "last", "great"]);
  expect(rating.code).toBe(2);
  expect(rating.stderr).toContain("good, bad");
});

test("skills of a workspace that was trusted for one run count with --trust-once, else it is said why not", async () => {
  await using bench = await agentBench(TALK);
  await bench.write("home/config.json", '{"learning":{"model":"builtin/recall"}}');
  const book = new Skillbook();
  book.apply([{ type: "ADD", section: "publishing", content: "Build before you publish." }], {
    origin: "session",
  });
  const path = bench.folder.join("work", ".acumen", "skillbook.json");
  await saveSkillbook(book, path);
  await bench.run(["publish the package", "--trust-once"]);
  const rate = (...more: string[]) =>
    bench.acumen(["feedback", "last", "good", "--cwd", bench.workspace, ...more]);
  const ratedSo = { skill_id: "ws-publishing-00001", tag: "helpful" };
  expect(lastRecord(await rate("--json"))).toMatchObject({
    counted: [],
    not_counted: [{ ...ratedSo, reason: "untrusted" }],
  });
  const said = await rate();
  expect(said.stdout).toContain("ws-publishing-00001 is not counted: its workspace is not trusted");
  expect(said.stdout).toContain("--trust-once");
  const counted = await rate("--trust-once", "--json");
  expect(lastRecord(counted)).toMatchObject({ counted: [ratedSo], not_counted: [], kept: [] });
  const again = await rate("--trust-once");
  expect(again.stdout).toContain("a rating of a turn counts once");
  const { skillbook } = await loadSkillbook(path);
  expect(skillbook.get("publishing-00001")?.helpful).toBe(1);
  const bad = ["feedback", "last", "bad", "--cwd", bench.workspace, "--trust-once"];
  expect((await bench.acumen(bad)).stdout).toContain(
    "ws-publishing-00001 keeps the count helpful of the rating before.",
  );
});

test("a child of the agent may rate, but not where that puts skills into the book", async () => {
  await using bench = await agentBench(TALK);
  await bench.write("home/config.json", '{"learning":{"model":"builtin/recall"}}');
  await bench.run(["publish the package"]);
  const rate = (mode: string) =>
    bench.acumen(["feedback", "last", "good", "--cwd", bench.workspace, "--json"], {
      variables: { ACUMEN_AGENT: "1", ACUMEN_LEARNING: mode },
    });
  const refused = await rate("auto");
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("CLI_REFUSED_TO_AGENT");
  const book = bench.folder.join("home", "skillbook.json");
  await expect(access(book)).rejects.toThrow("ENOENT");
  expect(lastRecord(await rate("suggest"))).toMatchObject({ rating: "good", problems: [] });
  expect((await rate("off")).code).toBe(0);
  await expect(access(book)).rejects.toThrow("ENOENT");
});
