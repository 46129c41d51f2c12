// The engine without any protocol: learn from samples and feedback, ask, save, and load in a second runner.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ace } from "@acumen/ace";

const folder = await mkdtemp(join(tmpdir(), "acumen-example-"));
try {
  // The embedded model answers from the most similar lessons: no key, no network.
  const ace = await Ace.fromModel("builtin/recall");

  const report = await ace.learn(
    [
      {
        question: "A pump hums but moves no water. What is wrong?",
        groundTruth: "blocked impeller",
      },
      { question: "The breaker trips when the heater starts. Why?", groundTruth: "short to earth" },
      { question: "Water drips from the shaft of the pump. Why?", groundTruth: "worn shaft seal" },
    ],
    { onProgress: ({ done, total }) => console.log(`learned ${done}/${total}`) },
  );
  assert.equal(report.failed, 0);

  const question = "The pump is humming, yet no water comes out. What is wrong with it?";
  const { answer, skillIds } = await ace.ask(question);
  console.log(`${question}\n  ${answer} (from ${skillIds.join(", ")})`);
  assert.equal(answer, "blocked impeller");

  // A person judges an answer; the lesson is tied to the question that was asked.
  const unknown = await ace.ask("My drill smokes under load. What is worn?");
  const feedback = await ace.learnFromFeedback({
    question: "My drill smokes under load. What is worn?",
    answer: unknown.answer,
    feedback: "Wrong, it is the carbon brushes.",
    groundTruth: "carbon brushes",
    interactionId: unknown.interactionId,
  });
  assert.equal(feedback.matchedInteraction, true);
  assert.equal(
    (await ace.ask("The drill smokes when I load it. What wears?")).answer,
    "carbon brushes",
  );

  // The skillbook is the only memory: a second runner with the file gives the same answers.
  const path = join(folder, "skillbook.json");
  const saved = await ace.save(path);
  const second = await Ace.fromModel("builtin/recall");
  await second.load(path);
  assert.equal(second.skillbook.size, saved.skills);
  assert.equal((await second.ask(question)).answer, answer);
  console.log(`saved and loaded ${saved.skills} skills`);

  // Bring your own agent: the chosen skills as one block for its prompt.
  assert.match(second.skillbook.asContext(question), /blocked impeller/);
} finally {
  await rm(folder, { recursive: true, force: true });
}
console.log("ok");
