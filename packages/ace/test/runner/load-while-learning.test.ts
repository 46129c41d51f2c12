import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { Ace } from "../../src/runner/ace.ts";
import { contents, forever, questions, testRoles, wait } from "./test-roles.ts";

async function savedBook(...lessons: string[]) {
  const folder = await tempFolder();
  const ace = Ace.fromRoles(testRoles());
  await ace.learn(questions(...lessons));
  const { path } = await ace.save(folder.join("saved.json"));
  return { path, [Symbol.asyncDispose]: folder.remove };
}

const slow = () =>
  testRoles({
    answer: async () => {
      await wait(10);
      return { reasoning: "", finalAnswer: "x", skillIds: [] };
    },
  });

test("load waits for learning that is under way, and learning that comes later waits for load", async () => {
  await using saved = await savedBook("saved");
  const ace = Ace.fromRoles(slow());
  const oldBook = ace.skillbook;
  const events: string[] = [];
  const learning = ace.learn(questions("a", "b")).then(() => events.push("learned"));
  const loading = ace.load(saved.path).then(() => events.push("loaded"));
  const later = ace.learn(questions("c")).then(() => events.push("learned later"));
  await Promise.all([learning, loading, later]);
  expect(events).toEqual(["learned", "loaded", "learned later"]);
  expect(contents(oldBook.skills())).toEqual(["Lesson of a", "Lesson of b"]);
  expect(contents(ace.skillbook.skills())).toEqual(["Lesson of saved", "Lesson of c"]);
});

test("several loads run one after the other, the last one wins", async () => {
  await using first = await savedBook("first");
  await using second = await savedBook("second");
  const ace = Ace.fromRoles(slow());
  const learning = ace.learn(questions("a"));
  const loads = [ace.load(first.path), wait(4).then(() => ace.load(second.path))];
  await Promise.all([learning, ...loads]);
  expect(contents(ace.skillbook.skills())).toEqual(["Lesson of second"]);
});

test("a load that is aborted while it waits changes nothing and blocks nobody", async () => {
  await using saved = await savedBook("saved");
  const stuck = new AbortController();
  let block = true;
  const roles = testRoles({
    answer: () =>
      block ? forever() : Promise.resolve({ reasoning: "", finalAnswer: "", skillIds: [] }),
  });
  const ace = Ace.fromRoles(roles);
  const book = ace.skillbook;
  const blocked = ace.learn(questions("a"), { signal: stuck.signal });
  await expect(ace.load(saved.path, { signal: AbortSignal.timeout(15) })).rejects.toMatchObject({
    code: "CORE_ABORTED",
  });
  expect(ace.skillbook).toBe(book);
  block = false;
  await expect(ace.learn(questions("b"))).resolves.toMatchObject({ processed: 1 });
  stuck.abort();
  await blocked;
  expect(contents(book.skills())).toEqual(["Lesson of b"]);
});

test("learning that is aborted while a load is pending returns at once with nothing done", async () => {
  await using saved = await savedBook("saved");
  const stuck = new AbortController();
  const ace = Ace.fromRoles(testRoles({ answer: forever }));
  const blocked = ace.learn(questions("a"), { signal: stuck.signal });
  const loading = ace.load(saved.path);
  await wait(15);
  const report = await ace.learn(questions("b"), { signal: AbortSignal.timeout(5) });
  expect(report).toMatchObject({ aborted: true, processed: 0, failed: 1 });
  stuck.abort();
  await Promise.all([blocked, loading]);
  expect(contents(ace.skillbook.skills())).toEqual(["Lesson of saved"]);
});

test("an answer that was under way during a load is not remembered", async () => {
  await using saved = await savedBook("saved");
  const ace = Ace.fromRoles(slow());
  const asking = ace.ask("q");
  await ace.load(saved.path);
  const { interactionId } = await asking;
  const report = await ace.learnFromFeedback({
    question: "q",
    answer: "x",
    feedback: "correct",
    interactionId,
  });
  expect(report.matchedInteraction).toBe(false);
});

test("samples that the caller changes while they wait for a load are learned as they were given", async () => {
  await using saved = await savedBook("saved");
  const ace = Ace.fromRoles(testRoles());
  const samples = questions("a", "b", "c");
  const loading = ace.load(saved.path);
  const learning = ace.learn(samples);
  samples.length = 1;
  await loading;
  await expect(learning).resolves.toMatchObject({ processed: 3 });
});
