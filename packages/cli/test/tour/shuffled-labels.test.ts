import { expect, test } from "vitest";
import { loadDataset } from "../../src/tour/dataset.ts";
import { withShuffledQueues } from "../../src/tour/shuffled-labels.ts";

const { learn, queues } = await loadDataset();
const shuffled = withShuffledQueues(learn);

test("keeps the tickets and how often each queue occurs", () => {
  expect(shuffled.map(({ id }) => id)).toEqual(learn.map(({ id }) => id));
  const sorted = (tickets: typeof learn): string[] => tickets.map(({ queue }) => queue).toSorted();
  expect(sorted(shuffled)).toEqual(sorted(learn));
});

test("leaves no more tickets in their queue than chance does", () => {
  const kept = shuffled.filter((ticket, index) => ticket.queue === learn[index]?.queue).length;
  expect(kept / learn.length).toBeLessThan(2 / queues.length);
});

test("is the same on every run and another one for another seed", () => {
  expect(withShuffledQueues(learn)).toEqual(shuffled);
  expect(withShuffledQueues(learn, 2)).not.toEqual(shuffled);
});
