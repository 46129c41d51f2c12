import fc from "fast-check";
import { expect, test } from "vitest";
import { Ace } from "../../src/runner/ace.ts";
import { Skillbook } from "../../src/skillbook/skillbook.ts";
import { contents, forever, questions, reflection, testRoles, wait } from "./test-roles.ts";

test("property: any latencies and workers 1..8 give the book that one worker gives, updated in sample order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ answer: fc.nat(4), reflect: fc.nat(4), update: fc.nat(2) }), {
        minLength: 1,
        maxLength: 12,
      }),
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 3 }),
      fc.uniqueArray(fc.nat(11), { maxLength: 3 }),
      async (latencies, workers, epochs, failing) => {
        const samples = latencies.map((_latency, index) => ({ question: String(index) }));
        const run = async (size: number, pause: (ms: number) => Promise<void>) => {
          const updates: string[] = [];
          const latency = (question: string) =>
            latencies[Number(question)] ?? { answer: 0, reflect: 0, update: 0 };
          const roles = testRoles({
            answer: async ({ question }) => {
              await pause(latency(question).answer);
              return { reasoning: "", finalAnswer: question, skillIds: [] };
            },
            reflect: async ({ question }) => {
              await pause(latency(question).reflect);
              if (failing.includes(Number(question))) throw new Error("no reflection");
              return reflection({ keyInsight: question });
            },
            update: async ({ question, progress, skillbook }) => {
              updates.push(progress);
              await pause(latency(question).update);
              const known = skillbook.skills().find((skill) => skill.section === `s${question}`);
              return known
                ? [{ type: "TAG", skillId: known.id, tag: "helpful" }]
                : [{ type: "ADD", section: `s${question}`, content: `Lesson ${question}` }];
            },
          });
          const ace = Ace.fromRoles(roles, { workers: size });
          const report = await ace.learn(samples, { epochs });
          const book = ace.skillbook
            .skills()
            .map(({ id, content, helpful }) => [id, content, helpful]);
          return {
            book,
            updates,
            results: report.results.map(({ index, epoch, status }) => [index, epoch, status]),
          };
        };
        const reference = await run(1, () => Promise.resolve());
        expect(await run(workers, wait)).toEqual(reference);
      },
    ),
    { numRuns: 25 },
  );
});

test("a sequential agent answers each sample with the lessons of all earlier ones, whatever workers says", async () => {
  const roles = testRoles({ sequential: true });
  const seen: number[] = [];
  const ace = Ace.fromRoles(
    {
      ...roles,
      agent: {
        sequential: true,
        answer: (input) => {
          seen.push(input.skillbook.size);
          return roles.agent.answer(input);
        },
      },
    },
    { workers: 8 },
  );
  await ace.learn(questions("a", "b", "c", "d"), { workers: 8 });
  expect(seen).toEqual([0, 1, 2, 3]);
});

test("answers and reflections of several samples overlap up to `workers`", async () => {
  let running = 0;
  let most = 0;
  const roles = testRoles({
    answer: async () => {
      running += 1;
      most = Math.max(most, running);
      await wait(3);
      running -= 1;
      return { reasoning: "", finalAnswer: "", skillIds: [] };
    },
  });
  await Ace.fromRoles(roles).learn(questions("a", "b", "c", "d", "e", "f", "g"));
  expect(most).toBe(4);
  most = 0;
  await Ace.fromRoles(roles).learn(questions("a", "b", "c"), { workers: 2 });
  expect(most).toBe(2);
});

test.each(["agent", "evaluate", "reflect", "update"])(
  "an error in %s costs only its own sample",
  async (step) => {
    const fails = (name: string, question: string) => {
      if (name === step && question === "b") throw new Error("boom");
    };
    const roles = testRoles({
      answer: ({ question }) => {
        fails("agent", question);
        return { reasoning: "", finalAnswer: "", skillIds: [] };
      },
      reflect: ({ question }) => {
        fails("reflect", question);
        return reflection();
      },
      update: ({ question }) => {
        fails("update", question);
        return [{ type: "ADD", section: "x", content: question }];
      },
    });
    const environment = {
      evaluate: ({ question }: { question: string }) => {
        fails("evaluate", question);
        return { feedback: "", metrics: {} };
      },
    };
    const ace = Ace.fromRoles(roles, { environment });
    const report = await ace.learn(questions("a", "b", "c"));
    expect(report).toMatchObject({ processed: 2, failed: 1, newSkillCount: 2, aborted: false });
    expect(report.results[1]).toMatchObject({
      status: "failed",
      failedAt: step,
      error: { code: "ACE_ROLE_FAILED" },
    });
    expect(report.firstError).toBe(report.results[1]?.error);
    expect(contents(ace.skillbook.skills())).toEqual(["a", "c"]);
  },
);

test.each([
  ["agent", { answer: () => undefined as never }],
  ["reflect", { reflect: () => "good" as never }],
  ["update", { update: () => "none" as never }],
])("a result of the wrong shape from %s is a coded error", async (failedAt, options) => {
  const report = await Ace.fromRoles(testRoles(options)).learn(questions("a"));
  expect(report.results[0]).toMatchObject({ failedAt, error: { code: "ACE_ROLE_FAILED" } });
});

test("odd fields of a reflection cost themselves, not the sample", async () => {
  const roles = testRoles({
    reflect: () =>
      ({
        keyInsight: 7,
        extractedLearnings: [null, { learning: "Sum in cents." }, { text: "?" }],
        skillTags: [null, { id: "x-00001", tag: "great" }, { id: "x-00001", tag: "helpful" }],
      }) as never,
  });
  const skillbook = new Skillbook();
  skillbook.apply([{ type: "ADD", section: "x", content: "Known." }]);
  const report = await Ace.fromRoles(roles, { skillbook }).learn(questions("a"));
  expect(report.processed).toBe(1);
  expect(roles.calls.skillManager[0]?.reflections).toEqual([
    reflection({
      extractedLearnings: [{ learning: "Sum in cents." } as never],
      skillTags: [{ id: "x-00001", tag: "helpful" }],
    }),
  ]);
  expect(skillbook.get("x-00001")?.helpful).toBe(1);
  expect(skillbook.skills().at(-1)?.sources).toMatchObject([{ learningText: "Sum in cents." }]);
});

test("many workers make Node warn of no leak", async () => {
  const warnings: Error[] = [];
  const listen = (warning: Error) => warnings.push(warning);
  process.on("warning", listen);
  const names = Array.from({ length: 40 }, (_, index) => `q${index}`);
  const { signal } = new AbortController();
  const answer = async () => {
    await wait(2);
    return { reasoning: "", finalAnswer: "", skillIds: [] };
  };
  await Ace.fromRoles(testRoles({ answer })).learn(questions(...names), { workers: 40, signal });
  await wait(2);
  process.off("warning", listen);
  expect(warnings).toEqual([]);
});

test("skipped operations are in the result, good ones of the same batch are applied", async () => {
  const update = () => [
    { type: "ADD", section: "x", content: "good" },
    { type: "NONSENSE" },
    { type: "TAG", skill_id: "x-77777", metadata: { helpful: 1 } },
  ];
  const ace = Ace.fromRoles(testRoles({ update }));
  const { results } = await ace.learn(questions("a"));
  expect(results[0]?.applied?.applied).toHaveLength(1);
  expect(results[0]?.applied?.skipped.map((skip) => skip.reason)).toEqual([
    "invalid_operation",
    "unknown_skill",
  ]);
});

test("new skills are those added in the call that are active at its end", async () => {
  const skillbook = new Skillbook();
  skillbook.apply([{ type: "ADD", section: "old", content: "old" }]);
  const update = ({ question }: { question: string }) =>
    question === "b"
      ? [
          { type: "REMOVE", skill_id: "old-00001" },
          { type: "REMOVE", skill_id: "new-00002" },
          { type: "ADD", section: "new", content: "b" },
        ]
      : [{ type: "ADD", section: "new", content: question }];
  const ace = Ace.fromRoles(testRoles({ update }), { skillbook });
  const report = await ace.learn(questions("a", "b", "c"));
  expect(report).toMatchObject({ skillCountBefore: 1, skillCountAfter: 2, newSkillCount: 2 });
});

test("an abort leaves exactly the finished samples in the book, even if the role ignores the signal", async () => {
  const controller = new AbortController();
  const roles = testRoles({
    update: async ({ question }) => {
      if (question === "c") {
        setTimeout(() => controller.abort(), 2);
        await wait(30);
      }
      return [{ type: "ADD", section: "x", content: question }];
    },
  });
  const ace = Ace.fromRoles(roles, { workers: 3 });
  const progress: number[] = [];
  const report = await ace.learn(questions("a", "b", "c", "d", "e"), {
    signal: controller.signal,
    onProgress: ({ done }) => progress.push(done),
  });
  expect(report).toMatchObject({ aborted: true, processed: 2, failed: 3, newSkillCount: 2 });
  expect(report.firstError).toBeUndefined();
  expect(report.results.map((result) => result.status)).toEqual([
    "done",
    "done",
    "aborted",
    "aborted",
    "aborted",
  ]);
  const { revision } = ace.skillbook;
  await wait(50);
  expect(contents(ace.skillbook.skills())).toEqual(["a", "b"]);
  expect(ace.skillbook.revision).toBe(revision);
  expect(progress).toEqual([1, 2]);
});

test("a call with an aborted signal touches nothing and says so", async () => {
  const roles = testRoles();
  const report = await Ace.fromRoles(roles).learn(questions("a", "b"), {
    signal: AbortSignal.abort(),
    epochs: 2,
  });
  expect(report).toMatchObject({ aborted: true, processed: 0, failed: 2 });
  expect(report.results).toHaveLength(4);
  expect(roles.calls.agent).toEqual([]);
});

test("a deadline gets its turn although every role answers without waiting", async () => {
  const samples = Array.from({ length: 1_000 }, (_, index) => ({ question: `q${index}` }));
  const ace = Ace.fromRoles(testRoles({ sequential: true, update: () => [] }));
  const deadline = new AbortController();
  const report = await ace.learn(samples, {
    signal: deadline.signal,
    onProgress: ({ done }) => done === 1 && setTimeout(() => deadline.abort(), 0),
  });
  expect(report.aborted).toBe(true);
  expect(report.processed).toBeLessThan(1_000);
});

test("counts a sample by its last finished epoch", async () => {
  let call = 0;
  const roles = testRoles({
    answer: ({ question }) => {
      call += 1;
      // "a" fails in the first epoch, "b" in the second.
      if (call === 1 || call === 4) throw new Error(question);
      return { reasoning: "", finalAnswer: "", skillIds: [] };
    },
  });
  const report = await Ace.fromRoles(roles).learn(questions("a", "b"), { epochs: 2, workers: 1 });
  expect(report.results.map(({ epoch, status }) => [epoch, status])).toEqual([
    [1, "failed"],
    [1, "done"],
    [2, "done"],
    [2, "failed"],
  ]);
  expect(report).toMatchObject({ processed: 1, failed: 1 });
});

test("a listener that throws does not disturb learning", async () => {
  const report = await Ace.fromRoles(testRoles()).learn(questions("a", "b"), {
    onProgress: () => {
      throw new Error("broken bar");
    },
  });
  expect(report.processed).toBe(2);
});

test("two calls and two runners on one book never interleave their updates", async () => {
  const skillbook = new Skillbook();
  let open = 0;
  let most = 0;
  const roles = testRoles({
    update: async ({ question }) => {
      open += 1;
      most = Math.max(most, open);
      await wait(1);
      open -= 1;
      return [{ type: "ADD", section: "x", content: question }];
    },
  });
  const first = Ace.fromRoles(roles, { skillbook });
  const second = Ace.fromRoles(roles, { skillbook });
  await Promise.all([
    first.learn(questions("a", "b", "c")),
    first.learn(questions("d", "e")),
    second.learn(questions("f", "g")),
    second.learnFromFeedback({ question: "h", answer: "", feedback: "good" }),
  ]);
  expect(most).toBe(1);
  expect(skillbook.size).toBe(8);
});

test("a call that waits for another runner's update leaves at once when it is aborted", async () => {
  const skillbook = new Skillbook();
  const stuck = new AbortController();
  const blocker = Ace.fromRoles(testRoles({ update: forever }), { skillbook });
  const blocked = blocker.learn(questions("a"), { signal: stuck.signal });
  await wait(5);
  const report = await Ace.fromRoles(testRoles(), { skillbook }).learn(questions("b"), {
    signal: AbortSignal.timeout(5),
  });
  expect(report).toMatchObject({ aborted: true, processed: 0 });
  stuck.abort();
  await expect(blocked).resolves.toMatchObject({ aborted: true });
});
