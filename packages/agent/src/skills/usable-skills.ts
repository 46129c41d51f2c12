import type { Skill, Skillbook } from "@acumen/ace";
import { type BookName, shownId } from "./shown-id.ts";
import { isVouched } from "./vouched.ts";

/** The skills of a book that coding sessions may use, under their shown ids. */
export function usableSkills(book: BookName, skillbook: Skillbook): readonly Skill[] {
  return skillbook
    .skills()
    .filter(isVouched)
    .map((skill) => ({ ...skill, id: shownId({ book, id: skill.id }) }));
}
