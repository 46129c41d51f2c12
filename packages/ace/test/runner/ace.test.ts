import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { Ace } from "../../src/runner/ace.ts";
import { Skillbook } from "../../src/skillbook/skillbook.ts";
import { contents, forever, questions, testRoles } from "./test-roles.ts";

test("answers with the book and names the interaction", async () => {
  const skillbook = new Skillbook();
  skillbook.apply([{ type: "ADD", section: "math", content: "Add digits." }]);
  const roles = testRoles({
    answer: ({ skillbook: book }) => ({
      reasoning: "by the book",
      finalAnswer: "42",
      skillIds: [...book.skills().map((skill) => skill.id), "math-99999", "math-00001"],
    }),
  });
  const ace = Ace.fromRoles(roles, { skillbook });
  const result = await ace.ask("How many?", { context: "in all" });
  expect(result).toEqual({
    interactionId: expect.stringMatching(/^[0-9A-Z]{26}$/),
    answer: "42",
    reasoning: "by the book",
    skillIds: ["math-00001"],
    skillCount: 1,
  });
  expect(roles.calls.agent[0]).toMatchObject({ question: "How many?", context: "in all" });
});

test("learns samples and reports what changed", async () => {
  const ace = Ace.fromRoles(testRoles());
  const progress: object[] = [];
  const report = await ace.learn(questions("a", "b"), {
    onProgress: (step) => progress.push(step),
  });
  expect(report).toMatchObject({
    processed: 2,
    failed: 0,
    skillCountBefore: 0,
    skillCountAfter: 2,
    newSkillCount: 2,
    aborted: false,
  });
  expect(report.firstError).toBeUndefined();
  expect(report.results.map(({ index, epoch, status }) => [index, epoch, status])).toEqual([
    [0, 1, "done"],
    [1, 1, "done"],
  ]);
  expect(progress).toEqual([
    { done: 1, total: 2, failed: 0, skillCount: 1 },
    { done: 2, total: 2, failed: 0, skillCount: 2 },
  ]);
  expect(contents(ace.skillbook.skills())).toEqual(["Lesson of a", "Lesson of b"]);
});

test("judges answers by their ground truth and shows the evaluation to reflector and skill manager", async () => {
  const roles = testRoles({
    answer: () => ({ reasoning: "", finalAnswer: "It is Rome.", skillIds: [] }),
  });
  const ace = Ace.fromRoles(roles);
  const report = await ace.learn([
    { question: "Capital of Italy?", groundTruth: "Rome" },
    { question: "Capital of France?", groundTruth: "Paris" },
  ]);
  expect(report.results.map((result) => result.evaluation?.correct)).toEqual([true, false]);
  const [first] = roles.calls.reflector;
  expect(first).toMatchObject({
    question: "Capital of Italy?",
    reasoning: "",
    answer: "It is Rome.",
    groundTruth: "Rome",
    evaluation: { correct: true },
  });
  expect(roles.calls.skillManager[1]).toMatchObject({
    progress: "Epoch 1/1, sample 2/2",
    evaluation: { correct: false },
    groundTruth: "Paris",
  });
});

test("gives the environment every known answer: truths of the samples and answers of the book", async () => {
  const skillbook = new Skillbook();
  skillbook.apply([{ type: "ADD", section: "x", content: "Case: colour of sky\nAnswer: blue" }]);
  const known: string[][] = [];
  const environment = {
    evaluate: (
      _sample: object,
      _output: object,
      options?: { knownAnswers?: ReadonlySet<string> },
    ) => {
      known.push([...(options?.knownAnswers ?? [])].toSorted());
      return { feedback: "seen", metrics: { cost: 2 } };
    },
  };
  const ace = Ace.fromRoles(testRoles(), { skillbook, environment });
  await ace.learn([
    { question: "q", groundTruth: "red" },
    { question: "r", groundTruth: "green" },
  ]);
  expect(known[0]).toEqual(["blue", "green", "red"]);
});

test("learning that is switched off is refused, and can be switched on again", async () => {
  const ace = Ace.fromRoles(testRoles(), { learning: false });
  const disabled = { code: "ACE_LEARNING_DISABLED" };
  await expect(ace.learn(questions("a"))).rejects.toMatchObject(disabled);
  await expect(ace.learnFromTraces([{ answer: "x" }])).rejects.toMatchObject(disabled);
  await expect(
    ace.learnFromFeedback({ question: "q", answer: "a", feedback: "good" }),
  ).rejects.toMatchObject(disabled);
  expect(ace.learningEnabled).toBe(false);
  ace.enableLearning();
  await expect(ace.learn(questions("a"))).resolves.toMatchObject({ processed: 1 });
  ace.disableLearning();
  await expect(ace.learn(questions("a"))).rejects.toMatchObject(disabled);
});

test.each([
  ["workers", () => Ace.fromRoles(testRoles(), { workers: 0 })],
  ["checkpointInterval", () => Ace.fromRoles(testRoles(), { checkpointInterval: 1.5 })],
  ["deduplicateInterval", () => Ace.fromRoles(testRoles(), { deduplicateInterval: -1 })],
  ["roles.reflector", () => Ace.fromRoles({ ...testRoles(), reflector: {} } as never)],
])("refuses the option %s", (option, build) => {
  expect(build).toThrow(
    expect.objectContaining({ code: "ACE_OPTION_INVALID", details: { option } }),
  );
});

test.each([
  ["workers", { workers: Number.NaN }, questions("a")],
  ["epochs", { epochs: 0 }, questions("a")],
  ["samples[1].question", {}, questions("a", "  ")],
  ["samples[0]", {}, [null as never]],
  ["samples[0].groundTruth", {}, [{ question: "a", groundTruth: 4 as never }]],
])(
  "refuses to learn with a bad %s, before anything is learned",
  async (option, options, samples) => {
    const roles = testRoles();
    await expect(Ace.fromRoles(roles).learn(samples, options)).rejects.toMatchObject({
      code: "ACE_OPTION_INVALID",
      details: { option },
    });
    expect(roles.calls.agent).toEqual([]);
  },
);

test("ask rejects with a coded error for an empty question, a failing role, a role without answer, an abort", async () => {
  const failing = (answer: Parameters<typeof testRoles>[0]) => Ace.fromRoles(testRoles(answer));
  await expect(failing({}).ask(" ")).rejects.toMatchObject({ code: "ACE_OPTION_INVALID" });
  const throws = failing({
    answer: () => {
      throw new Error("boom");
    },
  });
  await expect(throws.ask("q")).rejects.toMatchObject({ code: "ACE_ROLE_FAILED" });
  const silent = failing({ answer: () => ({}) as never });
  await expect(silent.ask("q")).rejects.toMatchObject({ code: "ACE_ROLE_FAILED" });
  const stuck = failing({ answer: forever });
  await expect(stuck.ask("q", { signal: AbortSignal.timeout(5) })).rejects.toMatchObject({
    code: "CORE_ABORTED",
  });
});

test("saves and loads a book", async () => {
  await using folder = await tempFolder();
  const ace = Ace.fromRoles(testRoles());
  await ace.learn(questions("a"));
  const path = folder.join("book.json");
  await expect(ace.save(path)).resolves.toEqual({ path, skills: 1 });
  const other = Ace.fromRoles(testRoles());
  const report = await other.load(path);
  expect(report.loaded).toBe(1);
  expect(contents(other.skillbook.skills())).toEqual(["Lesson of a"]);
});

test("a file that cannot be loaded changes nothing", async () => {
  const ace = Ace.fromRoles(testRoles());
  await ace.learn(questions("a"));
  const before = ace.skillbook;
  await expect(ace.load("/nowhere/book.json")).rejects.toMatchObject({
    details: { reason: "not_found" },
  });
  expect(ace.skillbook).toBe(before);
});
