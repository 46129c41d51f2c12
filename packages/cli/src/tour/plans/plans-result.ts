/** What the fifth act found out. */
export interface PlansResult {
  /** Process id of the server, and its exit code. */
  readonly pid: number;
  readonly exitCode: number | null;
  /** How commands of plans are kept to their sandbox on this machine. */
  readonly isolation: string;
  readonly applied: AppliedPlan;
  readonly constrained: ConstrainedPlan;
}

export interface AppliedPlan {
  /** Phase and state, as the answers and the status told it, in order. */
  readonly states: readonly string[];
  /** Events that came over both connections. */
  readonly events: number;
  /** How many of them after the reconnect. */
  readonly afterReconnect: number;
  /** Nothing missing, doubled or out of order, compared with the log as well. */
  readonly unbroken: boolean;
  /** The repository was as before while the attempt was made and reviewed. */
  readonly untouchedBefore: boolean;
  readonly changedFiles: readonly string[];
  /** HEAD is the commit of the receipt, and the file on disk has the new line. */
  readonly merged: boolean;
}

export interface ConstrainedPlan {
  readonly state: string;
  readonly conflicts: readonly string[];
  /** Every file of the repository is as it was, byte for byte: those of `.git` too, but for unreachable objects. */
  readonly untouched: boolean;
}

/** Why the act was left out: this machine lacks something that it needs. */
export interface LeftOut {
  readonly leftOut: string;
}

export function isLeftOut(plans: PlansResult | LeftOut): plans is LeftOut {
  return "leftOut" in plans;
}

const STATES = ["strategize/complete", "execute/complete", "apply/applied"];

/** Every check of the fifth act that failed, as sentences; an act that was left out has none. */
export function plansFailures(plans: PlansResult | LeftOut): readonly string[] {
  if (isLeftOut(plans)) return [];
  const { applied, constrained, exitCode } = plans;
  const { states, changedFiles, conflicts } = { ...applied, ...constrained };
  const checks: readonly (readonly [boolean, string])[] = [
    [states.join() === STATES.join(), `the plan went ${states.join(", ")}`],
    [
      applied.events > applied.afterReconnect && applied.afterReconnect > 0,
      `${applied.afterReconnect} of ${applied.events} events came after the reconnect`,
    ],
    [applied.unbroken, "events of the plan were lost, doubled or out of order"],
    [applied.untouchedBefore, "the repository changed before the plan was applied"],
    [changedFiles.join() === "lockers.mjs", `the diff showed ${changedFiles.join(", ")}`],
    [applied.merged, "the repository does not contain the change"],
    [constrained.state === "apply/constrained", `the second plan ended ${constrained.state}`],
    [conflicts.join() === "lockers.mjs", `the conflicts were in ${conflicts.join(", ")}`],
    [constrained.untouched, "the conflict changed the repository"],
    // The server says by its exit code that a signal ended it.
    [exitCode === 143, `the server ended with ${exitCode}`],
  ];
  return checks.flatMap(([passed, text]) => (passed ? [] : [text]));
}
