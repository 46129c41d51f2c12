import { createScriptedModel, type ScriptedModel } from "@acumen/models/testing";
import {
  compactHistory,
  type CompactOptions,
  type Compaction,
} from "../../src/compaction/compact-history.ts";
import type { SessionEvent } from "../../src/events/session-event.ts";
import { LogBuilder } from "../conversation/log-builder.ts";

export const TOOLS = [
  {
    type: "function" as const,
    name: "bash",
    description: "Runs a command.",
    inputSchema: { type: "object" as const, properties: { command: { type: "string" as const } } },
  },
];
export const SYSTEM = "You are an agent.";
export const MADE_BY = { provider: "scripted", model: "inline" };

export function summariser(contextWindow: number, ...steps: readonly object[]): ScriptedModel {
  return createScriptedModel(
    { contextWindow, steps: steps.map((step) => ({ for: "compaction", ...step })) },
    { retry: { baseMs: 1, maxMs: 1 } },
  );
}

/** Compacts as inside of the log's last turn. */
export function compact(
  log: { readonly events: readonly SessionEvent[]; readonly turnId: string | null },
  model: ScriptedModel,
  more: Partial<CompactOptions> = {},
): Promise<Compaction> {
  return compactHistory({
    events: log.events,
    turnId: log.turnId,
    model,
    system: SYSTEM,
    tools: TOOLS,
    maxOutputTokens: 1_000,
    note: { session: "s" },
    ...more,
  });
}

/** A turn of several steps, each with one call whose output has `size` characters of its own letter. */
export function workingTurn(
  steps: number,
  size: number,
  log = new LogBuilder().user("Fix the build."),
): LogBuilder {
  for (let index = 1; index <= steps; index += 1) {
    const id = `call-${log.next}`;
    log
      .step()
      .say(`Step ${index}.`, { made_by: MADE_BY })
      .call(id, "bash", { command: `run ${index}` }, { made_by: MADE_BY })
      .result(id, `output ${index} ${String.fromCodePoint(96 + index).repeat(size)}`);
  }
  return log;
}

/** The log with the drafts recorded, as the runtime does it. */
export function recorded(log: LogBuilder, { drafts }: Compaction): LogBuilder {
  for (const draft of drafts) log.add(draft);
  return log;
}

/** What the model read in its n-th call. */
export function promptOf(model: ScriptedModel, call: number): string {
  return JSON.stringify(model.calls[call]?.prompt);
}
