/**
 * The word list behind `polarityOf` (English). Verdict words judge an answer by themselves; liking words decide only where no verdict was
 * given, so that "nice try, but wrong" is negative.
 */
export const POLARITY_WORDS = {
  verdict: {
    positive: list(`
      correct correctly right accurate accurately exactly true valid yes yep yeah perfect perfectly works worked pass passes passed
      solved solves succeeded success successful successfully confirmed accepted agree agreed 👍 ✅ ✔`),
    negative: list(`
      wrong wrongly incorrect incorrectly inaccurate inaccurately false untrue invalid incomplete mistaken mistake mistakes error errors
      fail fails failed failing failure failures broken broke nope rejected disagree 👎 ❌ ✗ ✘`),
  },
  liking: {
    positive: list(`
      good great excellent nice nicely awesome brilliant helpful useful thanks love loved fine super ok okay`),
    negative: list(`
      bad badly poor poorly terrible awful useless unhelpful misleading nonsense problem problems issue issues disappointing missing
      hallucinated made-up`),
  },
} as const;

/** Judge only when negated: "doesn't work" is a verdict, "work on it" is none. */
export const NEGATED_ONLY = new Set(list("work help match compile run solve apply answer fit"));

/** Turn the judging words behind them around; so does every word that ends in "n't". */
export const NEGATORS = new Set(
  list(`
    not never no nothing none neither nor without hardly barely cannot zero 0
    isnt wasnt arent werent doesnt didnt dont cant couldnt wouldnt shouldnt wont hasnt havent`),
);

/** Words that judge nothing where they stand in these phrases: "the correct answer is B", "right now", "not only". */
export const NO_VERDICT = [
  /\b(?:correct|right|true|valid|accurate|good|better|best)\s+(?:\p{L}+\s+)?(?:is|was|are|were|would|should|has)\b/gu,
  /\b(?:correct|right|true|valid|accurate|good|better|best)(?:\s+\p{L}+)?\s*[:=]/gu,
  /\b(?:please|to|should|must) correct\b/gu,
  /\bright (?:now|away|after|before|side|hand|click|here|there)\b/gu,
  /\b(?:not sure|unsure|true or false|right or wrong|no idea|not (?:only|just)|no doubt)\b/gu,
];

/** A wish for something else is a verdict too. */
export const WISH =
  /\b(?:should|must|ought to|needs? to|supposed to) (?:have (?:been|said|read)|be|read|say)\b|\bplease (?:correct|fix)\b|\bneeds? (?:correcting|fixing|correction)\b/u;

function list(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
