import type { Ticket } from "./ticket.ts";

/**
 * The same tickets with the queues dealt out again at random: every queue stays as frequent as it was, only what a ticket
 * says no longer tells where it belongs. The order is fixed by the seed, so every run of the tour teaches the same.
 */
export function withShuffledQueues(tickets: readonly Ticket[], seed = 1): Ticket[] {
  const queues = tickets.map((ticket) => ticket.queue);
  const random = mulberry32(seed);
  // Fisher and Yates
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
