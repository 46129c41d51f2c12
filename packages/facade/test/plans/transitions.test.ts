import { describe, expect, it } from "vitest";
import {
  PLAN_POINTS,
  PLAN_TRIGGERS,
  transitionOf,
  TRANSITIONS,
} from "../../src/plans/transitions.ts";

/** The table as it was agreed on, row by row: from, trigger, to, types of events. */
const AGREED: readonly (readonly [string | null, string, string, readonly string[]])[] = [
  [null, "create", "strategize/queued", ["plan.created"]],
  ["strategize/queued", "take", "strategize/processing", ["plan.state_changed"]],
  ["strategize/processing", "finish", "strategize/complete", ["plan.state_changed"]],
  ["strategize/processing", "fail", "strategize/errored", ["plan.errored"]],
  ["strategize/complete", "execute", "execute/queued", ["plan.phase_changed"]],
  ["execute/queued", "take", "execute/processing", ["plan.state_changed"]],
  [
    "execute/processing",
    "finish",
    "execute/complete",
    ["checkpoint.created", "plan.state_changed"],
  ],
  ["execute/processing", "fail", "execute/errored", ["plan.errored"]],
  ["execute/complete", "apply", "apply/queued", ["plan.phase_changed"]],
  ["apply/queued", "take", "apply/processing", ["plan.state_changed"]],
  ["apply/processing", "merge", "apply/applied", ["sandbox.committed", "plan.applied"]],
  ["apply/processing", "constrain", "apply/constrained", ["plan.constrained"]],
  ["apply/processing", "fail", "apply/errored", ["plan.errored"]],
  ["strategize/errored", "retry", "strategize/queued", ["plan.retried"]],
  ["execute/errored", "retry", "execute/queued", ["plan.retried"]],
  ["apply/errored", "retry", "apply/queued", ["plan.retried"]],
  ["execute/errored", "revert", "strategize/queued", ["plan.reverted"]],
  ["execute/complete", "revert", "strategize/queued", ["plan.reverted"]],
  ["apply/constrained", "revert", "strategize/queued", ["plan.reverted"]],
  ["apply/errored", "revert", "strategize/queued", ["plan.reverted"]],
  ["apply/constrained", "apply", "apply/queued", ["plan.state_changed"]],
  ["apply/errored", "apply", "apply/queued", ["plan.state_changed"]],
  // A restart: what was interrupted is queued again.
  ["strategize/processing", "requeue", "strategize/queued", ["plan.state_changed"]],
  ["execute/processing", "requeue", "execute/queued", ["plan.state_changed"]],
  ["apply/processing", "requeue", "apply/queued", ["plan.state_changed"]],
  // Any active or halted one can be cancelled.
  ...[
    ...["strategize", "execute"].flatMap((phase) =>
      ["queued", "processing", "complete", "errored"].map((state) => `${phase}/${state}`),
    ),
    ...["queued", "processing", "constrained", "errored"].map((state) => `apply/${state}`),
  ].map((from): (typeof AGREED)[number] => [
    from,
    "cancel",
    `${from.split("/")[0]}/cancelled`,
    ["plan.cancelled"],
  ]),
];

describe("TRANSITIONS", () => {
  it.each(AGREED)("leads from %s by %s to %s", (from, trigger, to, events) => {
    const place = PLAN_POINTS.find((point) => point === from) ?? null;
    const by = PLAN_TRIGGERS.find((one) => one === trigger);
    expect(by).toBeDefined();
    expect(transitionOf(place, by ?? "create")).toEqual({ from, trigger, to, events });
  });

  it("has no other row", () => {
    const rows = TRANSITIONS.map(({ from, trigger }) => `${from} ${trigger}`);
    expect(rows.toSorted((a, b) => a.localeCompare(b))).toEqual(
      AGREED.map(([from, trigger]) => `${from} ${trigger}`).toSorted((a, b) => a.localeCompare(b)),
    );
  });

  it("never ends execute as applied, and never apply as complete", () => {
    expect(PLAN_POINTS).not.toContain("apply/complete");
    expect(PLAN_POINTS).not.toContain("execute/applied");
    const targets = new Set(TRANSITIONS.map(({ to }) => to));
    expect([...targets].filter((to) => !PLAN_POINTS.includes(to))).toEqual([]);
  });

  it("leads nowhere from what is final", () => {
    const from = TRANSITIONS.map((entry) => entry.from);
    expect(from).not.toContain("apply/applied");
    expect(from.filter((point) => point?.endsWith("/cancelled"))).toEqual([]);
  });
});
