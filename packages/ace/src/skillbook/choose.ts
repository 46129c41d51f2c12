import { aceError } from "../errors.ts";
import { compareSkillIds } from "./id-order.ts";
import { BLOCK_TOKENS, tokensOfRow } from "./prompt-block.ts";
import type { SkillIndex, SkillScores } from "./skill-index.ts";
import type { Skill } from "./skill.ts";
import type { ContextOptions } from "./view.ts";

/** Tokens that the skills of a prompt may take unless the caller says otherwise. */
export const DEFAULT_BUDGET = 4_000;

/** A skill that did harm this often, and more often than it helped, is kept out of prompts. */
const HARMFUL_LIMIT = 3;
/** A full swing of the success rate moves a skill as far as a third of the best match's score. */
const PRIOR_WEIGHT = 1 / 3;
/** The smallest row (id, four TABs, counters, line feed) costs more, so a budget of n tokens can't take n / 10 rows. */
const SMALLEST_ROW = 10;
/** Skills in a row that didn't fit, after which the rest of the ranking is not tried any more. */
const MISFITS = 64;

/** Whether a skill is kept out of prompts: harmful >= 3 and harmful > helpful. */
export function isLeftOut(skill: Skill): boolean {
  return skill.harmful >= HARMFUL_LIMIT && skill.harmful > skill.helpful;
}

/** Skills that may be printed, and what their counters say about them. */
interface Usable {
  readonly skills: readonly Skill[];
  /** Of each, its position in the list that it was taken from. */
  readonly positions: Int32Array;
  /** Of each, success rate above or below one half, between -1/2 and 1/2. */
  readonly priors: Float64Array;
}

/** A book hands out one list a revision, and questions are more frequent than changes. */
const usables = new WeakMap<readonly Skill[], Usable>();

/**
 * The skills to print for a question, in stable id order.
 *
 * All of them when their prompt block ({@link renderSkills}) fits the budget. Otherwise the block is filled in the order of
 * `bm25 / bestBm25 + 1/3 * ((helpful + 1) / (helpful + harmful + 2) - 1/2)`, where `bm25` is the score of section + content against the
 * question (and, at half weight, the context), 0 without a common word; ties go to the older skill. A skill that no longer fits is passed
 * over. The rendered block never takes more than the budget, by {@link estimateTokens}; if not even one skill fits, nothing is chosen.
 *
 * @throws ACE_OPTION_INVALID for a budget that is negative or no number
 * @param skills active skills, each id once; the list must not change afterwards
 * @param index follows the same skills; asked only when they don't all fit, so it may be synced lazily
 */
export function chooseSkills(
  skills: readonly Skill[],
  index: Pick<SkillIndex, "scores">,
  question: string,
  { context = "", budget = DEFAULT_BUDGET }: ContextOptions = {},
): readonly Skill[] {
  if (!(budget >= 0)) {
    throw aceError(
      "ACE_OPTION_INVALID",
      `budget is ${String(budget)}, but a number of tokens is 0 or more. Leave it out for ${DEFAULT_BUDGET}.`,
    );
  }
  const room = budget - BLOCK_TOKENS;
  const usable = usableOf(skills);
  const chosen = fitsWhole(usable.skills, room)
    ? usable.skills
    : fill(bestFirst(index.scores(question, context), room), room);
  return chosen.toSorted((a, b) => compareSkillIds(a.id, b.id));
}

function usableOf(skills: readonly Skill[]): Usable {
  let usable = usables.get(skills);
  if (usable === undefined) {
    const kept: Skill[] = [];
    const positions: number[] = [];
    const priors: number[] = [];
    skills.forEach((skill, position) => {
      if (skill.status !== "active" || isLeftOut(skill)) return;
      kept.push(skill);
      positions.push(position);
      priors.push(priorOf(skill));
    });
    usable = {
      skills: kept,
      positions: Int32Array.from(positions),
      priors: Float64Array.from(priors),
    };
    usables.set(skills, usable);
  }
  return usable;
}

function fitsWhole(skills: readonly Skill[], room: number): boolean {
  if (skills.length * SMALLEST_ROW > room) return false;
  let tokens = 0;
  return skills.every((skill) => (tokens += tokensOfRow(skill)) <= room);
}

function fill(ranked: readonly Skill[], room: number): Skill[] {
  const chosen: Skill[] = [];
  let left = room;
  let misfits = 0;
  for (const skill of ranked) {
    const tokens = tokensOfRow(skill);
    if (tokens <= left) {
      chosen.push(skill);
      left -= tokens;
      misfits = 0;
    } else if (left < SMALLEST_ROW || ++misfits === MISFITS) break;
  }
  return chosen;
}

/** As many of the best as could ever be needed: sorting a whole book at every question would cost more than scoring it. */
function bestFirst(scores: SkillScores, room: number): Skill[] {
  const { skills, positions, priors } = usableOf(scores.skills);
  const ranks = new Float64Array(skills.length);
  let best = 0;
  for (let i = 0; i < ranks.length; i++) {
    const score = scores.values[positions[i] ?? 0] ?? 0;
    ranks[i] = score;
    if (score > best) best = score;
  }
  for (let i = 0; i < ranks.length; i++) {
    const relevance = best > 0 ? (ranks[i] ?? 0) / best : 0;
    ranks[i] = relevance + PRIOR_WEIGHT * (priors[i] ?? 0);
  }
  const needed = Math.max(0, Math.ceil(room / SMALLEST_ROW)) + MISFITS;
  const threshold =
    needed < ranks.length ? (ranks.toSorted()[ranks.length - needed] ?? 0) : -Infinity;
  const candidates: { skill: Skill; rank: number }[] = [];
  for (let i = 0; i < ranks.length; i++) {
    const rank = ranks[i] ?? 0;
    const skill = skills[i];
    if (rank >= threshold && skill !== undefined) candidates.push({ skill, rank });
  }
  candidates.sort((a, b) => b.rank - a.rank || compareSkillIds(a.skill.id, b.skill.id));
  return candidates.map(({ skill }) => skill);
}

function priorOf(skill: Skill): number {
  return (skill.helpful + 1) / (skill.helpful + skill.harmful + 2) - 0.5;
}
