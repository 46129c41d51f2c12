import type { PlanEntry } from "@acumen/agent";
import { bullets } from "./answer-text.ts";
import type { HostCommand } from "./host-command.ts";

const BOXES: Readonly<Record<PlanEntry["status"], string>> = {
  pending: "[ ]",
  in_progress: "[ ] (in progress)",
  completed: "[x]",
};

export const planCommand: HostCommand = {
  name: "plan",
  description: "Show the plan of the agent",
  run: ({ session: { plan }, say }) =>
    plan.length === 0
      ? "There is no plan."
      : bullets(plan.map(({ status, content }) => `${BOXES[status]} ${say.prose(content)}`)),
};
