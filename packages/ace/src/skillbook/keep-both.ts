import { aceError } from "../errors.ts";
import type { BookState } from "./book-state.ts";
import { cleanText, cutText } from "./clean-text.ts";
import { bookTooLarge } from "./load.ts";
import { pairKey, type SimilarityDecision } from "./similarity-decision.ts";
import { SKILLBOOK_LIMITS } from "./skill.ts";

/** Records a KEEP decision. @throws ACE_OPTION_INVALID, ACE_SKILLBOOK_TOO_LARGE */
export function keepBoth(
  state: BookState,
  [idA, idB]: readonly [string, string],
  reasoning: string,
  now: string,
): void {
  for (const id of [idA, idB]) {
    if (!state.skills.has(id)) {
      throw aceError(
        "ACE_OPTION_INVALID",
        `A KEEP decision names skill "${id.slice(0, 128)}", which is not in the book.`,
      );
    }
  }
  if (idA === idB) {
    throw aceError("ACE_OPTION_INVALID", `A KEEP decision needs two skills, not ${idA} twice.`);
  }
  const decision: SimilarityDecision = {
    decision: "KEEP",
    reasoning: cutText(cleanText(reasoning), SKILLBOOK_LIMITS.textChars),
    decidedAt: now,
    similarityAtDecision: 0,
  };
  if (!state.decisionFits(pairKey(idA, idB), decision)) {
    throw bookTooLarge("too many KEEP decisions", `${SKILLBOOK_LIMITS.fileBytes} bytes`);
  }
  state.decide(idA, idB, decision);
}
