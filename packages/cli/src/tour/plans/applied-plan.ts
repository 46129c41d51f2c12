import type { AcpEvent, JsonObject } from "@acumen/facade";
import { titleLines } from "../report.ts";
import { isUnbroken, PlanFollower } from "./plan-follower.ts";
import { eventLines, factLines, patchLines, reconnectLines } from "./plans-report.ts";
import type { AppliedPlan } from "./plans-result.ts";
import type { PlansParts } from "./plans-parts.ts";
import { wireText } from "./wire-text.ts";

const TASK = "Compare lockers.mjs with its comment, and mend it.";
const FILE = "lockers.mjs";
const NEW_LINE = "hours >= 5";

/** A plan from its prompt to the merge, with its events read while they happen. @throws as `TourOrchestrator.ask` */
export async function applyAPlan(
  parts: PlansParts,
): Promise<AppliedPlan & { readonly isolation: string }> {
  const { stage, repository, orchestrator } = parts;
  const { terminal } = stage;
  const title = (text: string): void => terminal.print(...titleLines(terminal, text));
  const before = await repository.text(FILE);
  const head = await repository.head();

  title("17. A plan from builtin/task, its events as they come");
  const planId = await createPlan(parts);
  const { follower, states } = await work(parts, planId);
  const status = await orchestrator.ask("plan.status", { plan_id: planId });
  const isolation = wireText(status["isolation"]);
  terminal.print(...factLines(terminal, `The attempt is complete; isolation: ${isolation}.`));
  const untouchedBefore =
    (await repository.text(FILE)) === before && (await repository.head()) === head;

  title("18. The diff is reviewed and applied");
  const diff = await orchestrator.ask("plan.diff", { plan_id: planId });
  terminal.print(...patchLines(terminal, wireText(diff["patch"])));
  const answer = await orchestrator.ask("plan.apply", {
    plan_id: planId,
    expected_digest: diff["changeset_digest"] ?? null,
  });
  await follower.done;
  const receipt = (answer["receipt"] ?? {}) as JsonObject;
  const newHead = await repository.head();
  const hasLine = (await repository.text(FILE)).includes(NEW_LINE);
  const has = hasLine ? "has" : "lacks";
  terminal.print(
    ...factLines(
      terminal,
      `The answer: ${stateOf(answer)}. HEAD is ${newHead.slice(0, 12)}, and the file in the repository ${has} the line.`,
    ),
  );
  const { events, cutAfter } = follower;
  return {
    isolation,
    states: [...states, stateOf(answer)],
    events: events.length,
    afterReconnect: events.filter(({ seq }) => cutAfter > 0 && seq > cutAfter).length,
    unbroken: isUnbroken(events) && (await isWholeLog(parts, planId, events)),
    untouchedBefore,
    changedFiles: pathsOf(diff["changes"]),
    merged: hasLine && receipt["commit"] === newHead && newHead !== head,
  };
}

export async function createPlan({ orchestrator, sessionId }: PlansParts): Promise<string> {
  const created = await orchestrator.ask("plan.create", {
    action_name: "builtin/task",
    arguments: { prompt: TASK },
    session_id: sessionId,
  });
  return wireText(created["plan_id"]);
}

export function stateOf({ phase, state }: JsonObject): string {
  return `${wireText(phase)}/${wireText(state)}`;
}

export function pathsOf(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.map((one: JsonObject) => wireText(one["path"])) : [];
}

/** Strategy and execution; the connection for events is lost while the agent works. */
async function work(
  { stage: { terminal }, orchestrator }: PlansParts,
  planId: string,
): Promise<{ readonly follower: PlanFollower; readonly states: readonly string[] }> {
  const running: { execution?: Promise<JsonObject> } = {};
  const follower: PlanFollower = new PlanFollower(orchestrator, {
    planId,
    onEvent: (event) => terminal.print(...eventLines(terminal, event)),
    cutAt: isToolOfExecution,
    onCut: async (after) => {
      // What is missed meanwhile is the rest of the work.
      await running.execution;
      const missed = await orchestrator.ask("event.list", { plan_id: planId, after, limit: 1_000 });
      terminal.print(
        ...reconnectLines(terminal, {
          cutAfter: after,
          missed: Array.isArray(missed["events"]) ? missed["events"].length : 0,
        }),
      );
    },
  });
  await follower.until("the end of its strategy", (event) => isAt(event, "strategize", "complete"));
  const strategized = await orchestrator.ask("plan.status", { plan_id: planId });
  const { rationale } = (strategized["strategy"] ?? {}) as JsonObject;
  terminal.print(...factLines(terminal, `Strategy: ${wireText(rationale)}`));
  running.execution = orchestrator.ask("plan.execute", { plan_id: planId, wait: true });
  const answer = await running.execution;
  await follower.until("the end of its work", (event) => isAt(event, "execute", "complete"));
  return { follower, states: [stateOf(strategized), stateOf(answer)] };
}

function isAt({ data }: AcpEvent, phase: string, state: string): boolean {
  return data["phase"] === phase && data["state"] === state;
}

/** Reads are all that the strategy may do. */
function isToolOfExecution({ event_type: type, data }: AcpEvent): boolean {
  return type === "tool.invoked" && data["tool"] === "builtin/write_file";
}

/** What was read live is what the log holds. */
async function isWholeLog(
  { orchestrator }: PlansParts,
  planId: string,
  events: readonly AcpEvent[],
): Promise<boolean> {
  const { events: logged } = await orchestrator.ask("event.list", {
    plan_id: planId,
    limit: 1_000,
  });
  if (!Array.isArray(logged)) return false;
  const ids = logged.map((one: JsonObject) => wireText(one["event_id"]));
  return ids.slice(0, events.length).join() === events.map(({ event_id: id }) => id).join();
}
