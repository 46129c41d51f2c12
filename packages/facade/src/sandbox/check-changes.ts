import { BusinessRuleViolation } from "../errors/domain-error.ts";
import type { Change } from "./change.ts";
import { LEAVING_LINK, ODD_NAME } from "./read-diff.ts";

const SUBMODULE = "160000";
const SHOWN = 5;

/** @throws BusinessRuleViolation for what is never merged */
export function checkChanges(changes: readonly Change[]): void {
  if (changes.length === 0) {
    throw new BusinessRuleViolation(
      "The attempt changed nothing, so there is nothing to apply. Revert the plan, or cancel it.",
    );
  }
  refuse(
    changes.filter(({ note }) => note === LEAVING_LINK),
    "make links that leave the project",
  );
  refuse(
    changes.filter(({ old_mode, new_mode }) => old_mode !== new_mode && new_mode === SUBMODULE),
    "make submodules",
  );
  refuse(
    changes.filter(({ note }) => note === ODD_NAME),
    "change files whose names are not UTF-8",
    "Rename them",
  );
}

function refuse(changes: readonly Change[], what: string, remedy?: string): void {
  if (changes.length === 0) return;
  const paths = changes.map(({ path }) => path);
  throw new BusinessRuleViolation(
    `A plan may not ${what}: ${paths.slice(0, SHOWN).join(", ").replace(/\p{C}/gu, "\ufffd")}.${remedy === undefined ? "" : ` ${remedy}, or leave them as they are.`} Revert the plan.`,
    { details: { paths: paths.slice(0, 50) } },
  );
}
