import { isJsonObject } from "@acumen/core";
import { parseEvent, type SessionEvent } from "@acumen/agent";
import type { Stage } from "../stage.ts";
import { acumen, type AcumenRun, acumenDone } from "./acumen-process.ts";
import { type PracticePlace, scriptedModel } from "./practice-place.ts";
import { nextLines, proposalLines, reviewLines } from "./practice-report.ts";
import type { LessonFacts } from "./practice-result.ts";
import { eventLines } from "./session-report.ts";

const QUESTION = "Does lockers.mjs do what its comment says? Change nothing.";

/** What the rated turn proposes; the same question is asked meanwhile, as long as nothing is accepted. */
export async function rateTheTurn(
  stage: Stage,
  place: PracticePlace,
  sessionId: string,
): Promise<Pick<LessonFacts, "absentBefore"> & { readonly proposals: readonly string[] }> {
  const [early, rated] = await Promise.all([
    askNext(stage, place),
    acumenDone(stage, place, ["feedback", sessionId, "good", "the cause was found and mended"]),
  ]);
  const proposals = objectsIn(rated["proposed"]);
  const absentBefore = isStoppedForSkill(early);
  stage.terminal.print(...proposalLines(stage.terminal, proposals, absentBefore));
  return { absentBefore, proposals: proposals.map(({ id }) => String(id)) };
}

/** @returns ids in the skillbook */
export async function reviewProposals(
  stage: Stage,
  place: PracticePlace,
  proposals: readonly string[],
): Promise<readonly string[]> {
  const args = ["skillbook", "review", "--accept", ...proposals];
  const { accepted } = await acumenDone(stage, place, args);
  const skills = objectsIn(accepted).map((item) => String(item["skill_id"]));
  stage.terminal.print(...reviewLines(stage.terminal, proposals, skills));
  return skills;
}

/** A new process, whose script goes on only when the skill stands in its system prompt. */
export async function useTheSkill(
  stage: Stage,
  place: PracticePlace,
): Promise<LessonFacts["next"]> {
  const { terminal } = stage;
  const { code, lines, result } = await askNext(stage, place);
  const events = eventsIn(lines);
  for (const event of events) terminal.print(...eventLines(terminal, event));
  const { session_id: sessionId, text } = result;
  const next = {
    sessionId: typeof sessionId === "string" ? sessionId : undefined,
    exitCode: code,
    applied: events.flatMap((event) =>
      event.type === "SKILLS_APPLIED" ? event.payload.skill_ids : [],
    ),
    cited: events.flatMap((event) =>
      event.type === "ASSISTANT_MESSAGE" ? event.payload.skill_ids : [],
    ),
    answer: typeof text === "string" ? text : "",
  };
  terminal.print(...nextLines(terminal, next));
  return next;
}

function askNext(stage: Stage, place: PracticePlace): Promise<AcumenRun> {
  return acumen(stage, place, ["run", "--model", scriptedModel("use-the-skill"), QUESTION]);
}

function isStoppedForSkill({ code, result: { error } }: AcumenRun): boolean {
  return code === 1 && isJsonObject(error) && error["code"] === "MODEL_SCRIPT_MISMATCH";
}

function eventsIn(lines: AcumenRun["lines"]): SessionEvent[] {
  return lines.flatMap((line) => {
    const parsed = parseEvent(line);
    return parsed.ok ? [parsed.event] : [];
  });
}

function objectsIn(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
