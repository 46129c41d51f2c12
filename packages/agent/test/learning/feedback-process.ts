import { giveFeedback } from "../../src/learning/give-feedback.ts";
import { eventsOf, feedbackOptions, prompt, says, teacher } from "./support.ts";

/** Gives feedback a number of times, a new lesson each time: `HOME_FOLDER NAME COUNT`. */
const [home = "", name = "", count = "0"] = process.argv.slice(2);
for (let index = 1; index <= Number(count); index += 1) {
  const model = teacher([`Lesson ${index} of ${name}.`]);
  const drafts = [prompt("Repair it."), says("Done.", "testing-00001")];
  // A turn of its own each time: one turn counts once.
  const events = eventsOf(drafts, `${name} ${index}`);
  const onProgress = (phase: string) => process.stdout.write(`${phase} ${index}\n`);
  const result = await giveFeedback(feedbackOptions({ home, model, events, onProgress }));
  const [problem] = result.problems;
  if (problem) throw problem;
  process.stdout.write(`done ${index}\n`);
}
