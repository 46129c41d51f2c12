import { BookState } from "./book-state.ts";
import { pairOf } from "./similarity-decision.ts";
import type { BookContent } from "./serialise.ts";

/** A book at one moment. It shares the (immutable) skills with the book it came from, so taking one costs two map copies. */
export interface SkillbookSnapshot extends BookContent {
  readonly revision: number;
}

export function takeSnapshot(state: BookState, revision: number): SkillbookSnapshot {
  return {
    skills: new Map(state.skills),
    decisions: new Map(state.decisions),
    lastNumber: state.lastNumber,
    revision,
  };
}

export function stateOf(content: BookContent): BookState {
  const state = new BookState();
  for (const skill of content.skills.values()) state.put(skill);
  for (const [key, decision] of content.decisions) {
    const pair = pairOf(key);
    if (pair) state.decide(pair[0], pair[1], decision);
  }
  state.reserveNumber(content.lastNumber);
  return state;
}
