import { writeFile } from "node:fs/promises";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { Ace } from "../../src/runner/ace.ts";
import { Skillbook } from "../../src/skillbook/skillbook.ts";
import { contents, questions, testRoles } from "./test-roles.ts";

test("learns from any JSON value; an empty one fails alone", async () => {
  const roles = testRoles({
    update: ({ question }) => [
      { type: "ADD", section: "x", content: `from ${question || "notes"}` },
    ],
  });
  const ace = Ace.fromRoles(roles);
  const report = await ace.learnFromTraces([
    { question: "q1", answer: "a1", reasoning: "r1" },
    null,
    "a log of what happened",
  ]);
  expect(report).toMatchObject({ processed: 2, failed: 1, newSkillCount: 2, skippedLines: [] });
  expect(report.results.map((result) => result.status)).toEqual(["done", "failed", "done"]);
  expect(report.firstError?.code).toBe("ACE_TRACE_INVALID");
  expect(contents(ace.skillbook.skills())).toEqual(["from q1", "from notes"]);
  expect(roles.calls.agent).toEqual([]);
  expect(roles.calls.reflector[1]).toMatchObject({
    question: "",
    answer: "",
    trace: "a log of what happened",
  });
  expect(roles.calls.reflector[1]).not.toHaveProperty("reasoning");
});

test("judges traces by ground truth, else by feedback, else not at all", async () => {
  const roles = testRoles();
  await Ace.fromRoles(roles).learnFromTraces(
    [
      { question: "1", answer: "Rome", ground_truth: "Rome", feedback: "wrong" },
      { question: "2", answer: "14", ground_truth: 4 },
      { question: "3", answer: "x", feedback: "perfectly right" },
      { question: "4", answer: "x" },
      { question: "5", ground_truth: "x" },
    ],
    { workers: 1 },
  );
  expect(roles.calls.reflector.map((input) => input.evaluation?.correct)).toEqual([
    true,
    false,
    true,
    undefined,
    undefined,
  ]);
  expect(roles.calls.reflector[4]?.evaluation).toBeUndefined();
});

test("an environment given for the call judges every trace that has an answer", async () => {
  const roles = testRoles();
  const environment = { evaluate: () => ({ score: 0.5, feedback: "half", metrics: { tests: 3 } }) };
  await Ace.fromRoles(roles).learnFromTraces([{ answer: "x" }], { environment });
  expect(roles.calls.reflector[0]?.evaluation).toEqual({
    score: 0.5,
    feedback: "half",
    metrics: { tests: 3 },
  });
});

test("cited skills come from skill_ids, else from the reasoning", async () => {
  const skillbook = new Skillbook();
  skillbook.apply([
    { type: "ADD", section: "web", content: "One." },
    { type: "ADD", section: "web", content: "Two." },
  ]);
  const roles = testRoles();
  const ace = Ace.fromRoles(roles, { skillbook });
  await ace.learnFromTraces(
    [
      { answer: "a", reasoning: "by [web-00001, web-00009]" },
      { answer: "a", reasoning: "by [web-00001]", skill_ids: ["web-00002", "gone-00001"] },
    ],
    { workers: 1 },
  );
  const cited = roles.calls.reflector.map((input) => input.citedSkills.map((skill) => skill.id));
  expect(cited).toEqual([["web-00001"], ["web-00002"]]);
});

test("reads JSONL files; a bad line costs only itself and is reported", async () => {
  await using folder = await tempFolder();
  const path = folder.join("traces.jsonl");
  await writeFile(path, '\uFEFF{"question":"a"}\r\n\n{"question":\n[1,2\n"plain text"\n');
  const report = await Ace.fromRoles(testRoles()).learnFromTraces(path);
  expect(report).toMatchObject({ processed: 2, failed: 0 });
  expect(report.skippedLines.map(({ line, error }) => [line, error.code])).toEqual([
    [3, "ACE_TRACE_INVALID"],
    [4, "ACE_TRACE_INVALID"],
  ]);
});

test("a file that is not there is an error, not an empty list", async () => {
  const ace = Ace.fromRoles(testRoles());
  await expect(ace.learnFromTraces("/nowhere/traces.jsonl")).rejects.toMatchObject({
    code: "CORE_FILE_NOT_FOUND",
  });
  await expect(ace.learnFromTraces({ question: "q" } as never)).rejects.toMatchObject({
    code: "ACE_OPTION_INVALID",
    details: { option: "traces" },
  });
});

test("learned skills name their trace and its system", async () => {
  const ace = Ace.fromRoles(testRoles());
  await ace.learnFromTraces([{ question: "q", trace_id: "run-7", source_system: "ci" }]);
  await ace.learnFromTraces([{ question: "r", id: 12 }], { origin: "session" });
  expect(ace.skillbook.skills().map((skill) => skill.sources)).toMatchObject([
    [{ traceUid: "ci:run-7", origin: "trace", sampleQuestion: "q", operationType: "ADD" }],
    [{ traceUid: "session:12", origin: "session" }],
  ]);
});

test("learned samples name their sample", async () => {
  const ace = Ace.fromRoles(testRoles());
  await ace.learn(
    [
      { question: "a", id: "q-17" },
      { question: "b", metadata: { task_id: "t-1" } },
      ...questions("c"),
    ],
    { epochs: 1 },
  );
  expect(ace.skillbook.skills().map((skill) => skill.sources)).toMatchObject([
    [{ traceUid: "sample:q-17", displayName: "q-17", epoch: 1, origin: "sample" }],
    [{ traceUid: "sample:t-1" }],
    [{ traceUid: expect.stringMatching(/^sample:[0-9a-f]{64}$/) }],
  ]);
});
