import type { JsonObject } from "@acumen/facade";
import type { CommandContext } from "../command-context.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { refuseWholeMachine } from "../serve/refuse-whole-machine.ts";
import { terminalOf, writeRecord } from "../commands/setting-flags.ts";
import { openPlans } from "./open-plans.ts";
import { createParams, makePlan } from "./make-plan.ts";
import { ask, type PlanClient } from "./plan-client.ts";
import { factsOf, objectsOf, textOf } from "./plan-facts.ts";
import type { PlanFlags } from "./plan-flags.ts";
import {
  blindLines,
  diffLines,
  eventLines,
  listLines,
  madeLine,
  stateLine,
  statusLines,
} from "./plan-lines.ts";
import { printable } from "../terminal/printable.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type PlanWatcher, watchPlan } from "./watch-plan.ts";

export async function createPlan(
  context: CommandContext,
  prompt: string,
  flags: PlanFlags,
): Promise<void> {
  const params = createParams(prompt, flags);
  if (flags.local === true) {
    await refuseWholeMachine(flags.project ?? [process.cwd()], context.environment.variables);
  }
  await using client = await openPlans(context, flags);
  const made = await makePlan(client, params, flags);
  await shownAtEnd(context, client, "create", made, flags);
}

export async function listPlans(context: CommandContext, flags: PlanFlags): Promise<void> {
  await using client = await openPlans(context, flags);
  const page = await ask(client, "plan.list", { limit: flags.limit ?? 20 });
  if (flags.json === true) return writeRecord(context, { command: "plan list", ...page });
  const terminal = terminalOf(context, flags);
  terminal.print(...listLines(objectsOf(page["plans"]), terminal.width));
}

type Verb = "status" | "watch" | "execute" | "cancel" | "retry" | "revert";

export async function runOnPlan(
  context: CommandContext,
  verb: Verb,
  planId: string,
  flags: PlanFlags,
): Promise<void> {
  await using client = await openPlans(context, flags);
  if (verb !== "status" && verb !== "watch") {
    const reason = verb === "revert" ? flags.reason : undefined;
    await ask(client, `plan.${verb}`, { plan_id: planId, ...(reason !== undefined && { reason }) });
  }
  const status = await ask(client, "plan.status", { plan_id: planId });
  await shownAtEnd(context, client, verb, status, {
    ...flags,
    wait: flags.wait === true || verb === "watch",
  });
}

export async function showDiff(
  context: CommandContext,
  planId: string,
  flags: PlanFlags,
): Promise<void> {
  await using client = await openPlans(context, flags);
  const diff = await ask(client, "plan.diff", { plan_id: planId });
  if (flags.json === true) return writeRecord(context, { command: "plan diff", ...diff });
  const terminal = terminalOf(context, flags);
  terminal.print(...diffLines(diff, terminal.width));
}

export async function applyPlan(
  context: CommandContext,
  planId: string,
  flags: PlanFlags,
): Promise<void> {
  const { digest, message } = flags;
  await using client = await openPlans(context, flags);
  await ask(client, "plan.apply", {
    plan_id: planId,
    ...(digest !== undefined && { expected_digest: digest }),
    ...(message !== undefined && { message }),
  });
  const status = await ask(client, "plan.status", { plan_id: planId });
  await shownAtEnd(context, client, "apply", status, { ...flags, wait: true });
}

export async function approveCall(
  context: CommandContext,
  planId: string,
  callId: string,
  flags: PlanFlags,
): Promise<void> {
  await using client = await openPlans(context, flags);
  const allowed = flags.always === true ? "allow_always" : "allow_once";
  await ask(client, "approval.respond", {
    plan_id: planId,
    call_id: callId,
    decision: flags.reject === true ? "reject_once" : allowed,
  });
  const status = await ask(client, "plan.status", { plan_id: planId });
  await shownAtEnd(context, client, "approve", status, flags);
}

/** Follows the plan where that was asked for, and ends with its state: 1 when it failed, 3 when it cannot be merged. */
async function shownAtEnd(
  context: CommandContext,
  client: PlanClient,
  verb: string,
  plan: JsonObject,
  flags: PlanFlags,
): Promise<void> {
  const terminal = terminalOf(context, flags);
  const planId = textOf(plan["plan_id"]);
  if (verb === "create") terminal.print(madeLine(factsOf(plan)));
  else if (flags.wait === true) terminal.print(printable(`plan ${planId}`));
  const { signal } = context;
  const last =
    flags.wait === true ? await watchPlan(client, planId, watcherOf(terminal), { signal }) : plan;
  const facts = factsOf(last);
  if (facts.state === "errored") context.ending.exitCode = EXIT_CODES.failed;
  if (facts.state === "constrained") context.ending.exitCode = EXIT_CODES.refused;
  if (flags.json === true) return writeRecord(context, { command: `plan ${verb}`, ...last });
  terminal.print(...statusLines(facts, terminal.width));
  const isLeft =
    (facts.state === "queued" && facts.waiting_for === null) || facts.state === "processing";
  if (flags.local === true && isLeft) {
    terminal.print("  nobody works on it now: add --wait, or start acumen serve");
  }
}

function watcherOf(terminal: Terminal): PlanWatcher {
  let before: string | undefined;
  return {
    event: (event) => terminal.print(...eventLines(event)),
    blind: (reason) => terminal.print(...blindLines(reason, terminal.width)),
    state: (plan) => {
      const line = stateLine(factsOf(plan));
      if (line !== before) terminal.print(line);
      before = line;
    },
  };
}
