import { type Group, GROUPS } from "./candidate.ts";

/** Of the budget, in percent: instructions, plan and decisions; skills; history and tools; files and the diff. */
const SHARES: Readonly<Record<Group, number>> = { guide: 15, skills: 15, history: 20, files: 50 };

/** Each group gets its share; what one does not want goes to those that want more. @returns whole tokens, together at most the total */
export function shareBudget(
  total: number,
  wants: Readonly<Record<Group, number>>,
): Readonly<Record<Group, number>> {
  const given = { guide: 0, skills: 0, history: 0, files: 0 };
  let left = total;
  let hungry = GROUPS.filter((group) => wants[group] > 0);
  while (left > 0 && hungry.length > 0) {
    const percents = hungry.reduce((sum, group) => sum + SHARES[group], 0);
    const round = left;
    for (const group of hungry) {
      const share = Math.floor((round * SHARES[group]) / percents);
      const taken = Math.min(share, wants[group] - given[group]);
      given[group] += taken;
      left -= taken;
    }
    const still = hungry.filter((group) => given[group] < wants[group]);
    // Less is left than can be divided.
    if (left === round) break;
    hungry = still;
  }
  return given;
}
