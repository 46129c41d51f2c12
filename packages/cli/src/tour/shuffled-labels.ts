import type { Ticket } from "./ticket.ts";

/** Enough to find a typical shuffle: about one in ten is. */
const MAX_SEEDS = 1_000;

/**
 * The same tickets with the queues dealt out again at random: every queue stays as frequent as it was, only what a ticket
 * says no longer tells where it belongs. Of the shuffles of seeds 1, 2, … it is the first that leaves as many tickets in
 * their queue as chance is expected to: one that keeps many right labels by luck is a control that still teaches something.
 */
export function withShuffledQueues(tickets: readonly Ticket[]): Ticket[] {
  const expected = expectedToStay(tickets);
  let shuffled = dealtOut(tickets, 1);
  for (let seed = 2; seed <= MAX_SEEDS && stayed(tickets, shuffled) !== expected; seed += 1) {
    shuffled = dealtOut(tickets, seed);
  }
  return shuffled;
}

/** Number of tickets that keep their queue under a random deal, on average: the sum of n² / N over the queues. */
export function expectedToStay(tickets: readonly Ticket[]): number {
  const counts = new Map<string, number>();
  for (const { queue } of tickets) counts.set(queue, (counts.get(queue) ?? 0) + 1);
  let sum = 0;
  for (const count of counts.values()) sum += count ** 2 / tickets.length;
  return Math.round(sum);
}

function stayed(tickets: readonly Ticket[], shuffled: readonly Ticket[]): number {
  return shuffled.filter((ticket, index) => ticket.queue === tickets[index]?.queue).length;
}

/** A shuffle after Fisher and Yates. */
function dealtOut(tickets: readonly Ticket[], seed: number): Ticket[] {
  const queues = tickets.map((ticket) => ticket.queue);
  const random = mulberry32(seed);
  for (let last = queues.length - 1; last > 0; last -= 1) {
    const pick = Math.floor(random() * (last + 1));
    const [a, b] = [queues[last], queues[pick]];
    if (a === undefined || b === undefined) break;
    queues[last] = b;
    queues[pick] = a;
  }
  return tickets.map((ticket, index) => ({ ...ticket, queue: queues[index] ?? ticket.queue }));
}

/** Numbers in [0, 1) from a 32-bit state (public domain generator by T. Ettinger). */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
