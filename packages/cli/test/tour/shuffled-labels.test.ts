import { expect, test } from "vitest";
import { loadDataset } from "../../src/tour/dataset.ts";
import { expectedToStay, withShuffledQueues } from "../../src/tour/shuffled-labels.ts";

const { learn } = await loadDataset();
const shuffled = withShuffledQueues(learn);

test("keeps the tickets and how often each queue occurs", () => {
  expect(shuffled.map(({ id }) => id)).toEqual(learn.map(({ id }) => id));
  const sorted = (tickets: typeof learn): string[] => tickets.map(({ queue }) => queue).toSorted();
  expect(sorted(shuffled)).toEqual(sorted(learn));
});

test("leaves as many tickets in their queue as chance does, and no more", () => {
  const kept = shuffled.filter((ticket, index) => ticket.queue === learn[index]?.queue).length;
  expect(kept).toBe(expectedToStay(learn));
  expect(kept / learn.length).toBeLessThan(0.16);
});

test("expects the sum of n² / N", () => {
  const tickets = ["a", "a", "b", "b"].map((queue, index) => ({
    id: String(index),
    use: "learn" as const,
    queue,
    subject: "s",
    text: "t",
  }));
  expect(expectedToStay(tickets)).toBe(2);
  expect(expectedToStay([])).toBe(0);
});

test("is the same on every run", () => {
  expect(withShuffledQueues(learn)).toEqual(shuffled);
});
