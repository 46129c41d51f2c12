export interface Ticket {
  readonly text: string;
  readonly queue: string;
}

const WORDS: Readonly<Record<string, readonly string[]>> = {
  billing: ["invoice", "charged", "refund", "payment", "credit card", "receipt"],
  access: ["password", "login", "locked out", "code", "account", "reset"],
  shipping: ["parcel", "delivery", "courier", "tracking", "address", "package"],
};
const FRAMES = [
  (a: string, b: string) => `Something is off with the ${a}, and the ${b} is unclear.`,
  (a: string, b: string) => `Please look at my ${a}; I asked about the ${b} on Monday.`,
  (a: string, b: string) => `Customer wonders about ${a} and ${b} since last week.`,
  (a: string, b: string) => `The ${a} does not agree with the ${b} we were told.`,
];

/** Every pair of a queue's words in one frame; pairs that are learned and pairs that are asked differ. */
const ALL: readonly Ticket[] = Object.entries(WORDS).flatMap(([queue, words]) =>
  words.flatMap((first, i) =>
    words.slice(i + 1).map((second, j) => {
      const frame = FRAMES[(i + j) % FRAMES.length] ?? ((a: string) => a);
      return { text: frame(first, second), queue };
    }),
  ),
);

export const LEARNED = ALL.filter((_ticket, i) => i % 3 !== 0);
export const UNSEEN = ALL.filter((_ticket, i) => i % 3 === 0);
