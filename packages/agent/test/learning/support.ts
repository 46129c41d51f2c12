import { saveSkillbook, Skillbook } from "@acumen/ace";
import { createScriptedModel, type ScriptedModel } from "@acumen/models/testing";
import type { EventDraft, SessionEvent } from "../../src/events/session-event.ts";
import type { FeedbackOptions } from "../../src/learning/give-feedback.ts";
import type { SkillCount } from "../../src/learning/skill-counts.ts";
import { DEFAULT_SETTINGS } from "../../src/settings/agent-settings.ts";

export const SESSION_ID = "01JNN000000000000000000001";
export const TURN_ID = "01JNN000000000000000000002";

/** Drafts as the log of a session holds them, all of one turn. */
export function eventsOf(
  drafts: readonly EventDraft[],
  turnId: string | null = TURN_ID,
): SessionEvent[] {
  return drafts.map(
    (draft, index) =>
      ({
        seq: index + 1,
        event_id: `event-${index + 1}`,
        session_id: SESSION_ID,
        turn_id: turnId,
        step: 1,
        timestamp: "2026-03-04T00:00:00.000Z",
        ...draft,
      }) as SessionEvent,
  );
}

export const prompt = (text: string): EventDraft<"USER_MESSAGE"> => ({
  type: "USER_MESSAGE",
  payload: { content: [{ type: "text", text }], source: "test" },
});
export const applied = (...ids: string[]): EventDraft<"SKILLS_APPLIED"> => ({
  type: "SKILLS_APPLIED",
  payload: { skill_ids: ids, reason: "test" },
});
export const says = (text: string, ...ids: string[]): EventDraft<"ASSISTANT_MESSAGE"> => ({
  type: "ASSISTANT_MESSAGE",
  payload: { message_id: "m", kind: "assistant", text, skill_ids: ids },
});
export const calls = (id: string, input: unknown): EventDraft<"TOOL_CALL"> => ({
  type: "TOOL_CALL",
  payload: {
    call_id: id,
    tool: "bash",
    exposed_name: "bash",
    kind: "execute",
    title: "bash",
    input,
    locations: [],
    diff: [],
  },
});
export const gives = (
  id: string,
  text: string,
  exitCode: number | null = 0,
): EventDraft<"TOOL_RESULT"> => ({
  type: "TOOL_RESULT",
  payload: {
    call_id: id,
    status: exitCode === 0 ? "completed" : "failed",
    output: [{ type: "text", text }],
    exit_code: exitCode,
    duration_ms: 1,
    truncated: false,
    diff: [],
  },
});

/** A whole turn: the tests are repaired with the help of some skills. */
export function turn(...cited: string[]): SessionEvent[] {
  return eventsOf([
    prompt("Repair the failing test."),
    applied(...cited),
    calls("call_1", { command: "npm test" }),
    gives("call_1", "1 failed", 1),
    says("The test passes now.", ...cited),
  ]);
}

/** A model for both learning roles: reflects, then adds these skills. */
export function teacher(
  contents: readonly string[],
  more: {
    readonly delayMs?: number;
    readonly operations?: readonly unknown[];
    readonly tags?: readonly SkillCount[];
  } = {},
): ScriptedModel {
  const { delayMs, operations = [], tags = [] } = more;
  const reflection = {
    reasoning: "Success.",
    correct_approach: "Run the tests first.",
    key_insight: "Tests show the cause.",
    extracted_learnings: contents.map((learning) => ({ learning, atomicity_score: 1 })),
    skill_tags: tags.map(({ skillId, tag }) => ({ id: skillId, tag })),
  };
  const adds = contents.map((content) => ({
    type: "ADD",
    section: "testing",
    content,
    justification: "It saves time.",
    evidence: "The test failed at first.",
    reflection_index: 0,
  }));
  const steps = [reflection, { reasoning: "New.", operations: [...adds, ...operations] }].map(
    (value) => ({
      text: JSON.stringify(value),
      ...(delayMs !== undefined && { delayMs, chunkSize: 4 }),
    }),
  );
  return createScriptedModel({ steps });
}

export interface Given extends Partial<FeedbackOptions> {
  readonly home: string;
  readonly model?: ScriptedModel;
  readonly events?: readonly SessionEvent[];
}

export function feedbackOptions({ model, events = turn(), ...given }: Given): FeedbackOptions {
  return {
    workspace: { cwd: `${given.home}/repository`, trusted: false },
    session: { meta: { session_id: SESSION_ID, model: "scripted/inline" }, events },
    rating: "good",
    learning: DEFAULT_SETTINGS.learning,
    resolveModel: () => Promise.resolve(model ?? teacher(["Run the tests before the change."])),
    redact: (text) => text,
    ...given,
  };
}

/** A book of skills that sessions learned. */
export async function saveBook(path: string, contents: readonly string[]): Promise<void> {
  const book = new Skillbook();
  const operations = contents.map((content) => ({ type: "ADD", section: "testing", content }));
  book.apply(operations, { origin: "session" });
  await saveSkillbook(book, path);
}

export const harmful = (skillId: string): SkillCount => ({ skillId, tag: "harmful" });
export const helpful = (skillId: string): SkillCount => ({ skillId, tag: "helpful" });
