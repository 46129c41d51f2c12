import { BusinessRuleViolation } from "../errors/domain-error.ts";
import type { Change } from "./change.ts";

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
    changes.filter(({ note }) => note === "link that leaves the project"),
    "make links that leave the project",
  );
  refuse(
    changes.filter(({ old_mode, new_mode }) => old_mode !== new_mode && new_mode === SUBMODULE),
    "make submodules",
  );
}

function refuse(changes: readonly Change[], what: string): void {
  if (changes.length === 0) return;
  const paths = changes.map(({ path }) => path);
  throw new BusinessRuleViolation(
    `A plan may not ${what}: ${paths.slice(0, SHOWN).join(", ").replace(/\p{C}/gu, "\ufffd")}. Revert the plan.`,
    { details: { paths: paths.slice(0, 50) } },
  );
}
