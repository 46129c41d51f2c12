import { type TempFolder, tempFolder } from "@acumen/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { giveFeedback } from "../../src/learning/give-feedback.ts";
import type { Rating } from "../../src/learning/rated-turn.ts";
import { reviewProposals } from "../../src/learning/review-proposals.ts";
import { feedbackOptions, teacher, turn } from "./support.ts";

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

async function rate(rating: Rating, contents: readonly string[] = [], turnId?: string) {
  const events = turn().map((event) =>
    turnId === undefined ? event : { ...event, turn_id: turnId },
  );
  const model = teacher(contents);
  return giveFeedback(feedbackOptions({ home: folder.path, rating, model, events }));
}

/** Ratings in the evidence of the only proposal, and the later one that it warns of. */
async function shown() {
  const { pending } = await reviewProposals({ home: folder.path });
  return pending.map(({ proposal, ratedLater }) => [
    proposal.feedback.map(({ rating }) => rating),
    ratedLater,
  ]);
}

test("a corrected rating is shown with the proposal, also when it teaches nothing itself", async () => {
  await rate("good", ["Run the tests first."]);
  expect(await shown()).toEqual([[["good"], undefined]]);
  await rate("bad");
  expect(await shown()).toEqual([[["good", "bad"], "bad"]]);
  await rate("bad");
  expect(await shown()).toEqual([[["good", "bad"], "bad"]]);
  const { accepted } = await reviewProposals({ home: folder.path, accept: ["p-00001"] });
  expect(accepted).toMatchObject([{ id: "p-00001", ratedLater: "bad" }]);
});

test("a rating that is taken back warns no longer, also when it proposes the same again", async () => {
  await rate("good", ["Run the tests first."]);
  await rate("bad");
  await rate("good", ["Run the tests first."]);
  expect(await shown()).toEqual([[["good", "bad", "good"], undefined]]);
});

test("another turn corrects nothing", async () => {
  await rate("good", ["Run the tests first."]);
  await rate("bad", [], "another");
  expect(await shown()).toEqual([[["good"], undefined]]);
});
