import { type ContentBlock, textOf } from "../content/content-block.ts";
import type { SessionEvent } from "../events/session-event.ts";
import { cutMiddle } from "./cut-middle.ts";
import { mapTexts } from "./map-texts.ts";
import type { RatedTurn } from "./rated-turn.ts";

/** Characters of the prompt and of the final text, of each text of a step, and steps that a trace holds. */
export const TRACE_LIMITS = { text: 8_000, detail: 1_500, calls: 12, steps: 40 } as const;

export interface TraceOptions {
  readonly sessionId: string;
  readonly skillIds: readonly string[];
  /** What the person says. */
  readonly feedback: string;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
}

interface TracedCall {
  readonly tool: string;
  readonly input: string;
  status?: string;
  output?: string;
}

interface TracedStep {
  readonly step: number;
  readonly thought?: string;
  /** What the agent said, then how the turn ended or failed, one below the other. */
  readonly says?: string;
  readonly calls: readonly TracedCall[];
}

interface StepTexts {
  readonly step: number;
  readonly thoughts: string[];
  readonly says: string[];
  readonly calls: TracedCall[];
}

/** A turn as the engine learns from it; every text is redacted first and cut then, so that no cut saves half a secret. */
export interface TurnTrace {
  readonly source_system: "session";
  readonly trace_id: string;
  readonly question: string;
  readonly answer: string;
  readonly steps: readonly (TracedStep | string)[];
  readonly feedback: string;
  readonly skill_ids: readonly string[];
  readonly evidence: {
    readonly session_id: string;
    readonly turn_id: string;
    /** First and last event of the turn. */
    readonly seqs: readonly [number, number];
  };
}

export function turnTrace({ turnId, events }: RatedTurn, options: TraceOptions): TurnTrace {
  const { sessionId, skillIds, feedback, redact } = options;
  const text = (value: string, limit: number = TRACE_LIMITS.text): string =>
    cutMiddle(redact(value), limit);
  // Before JSON escapes the texts of a value, and once more as a whole: a secret may stand across two of them.
  const prompts = events.flatMap((event) =>
    event.type === "USER_MESSAGE" ? [contentText(event.payload.content, redact)] : [],
  );
  return {
    source_system: "session",
    trace_id: `${sessionId}/${turnId}`,
    question: text(prompts.join("\n\n")),
    answer: text(finalText(events)),
    steps: fewer(stepsOf(events, (value) => text(value, TRACE_LIMITS.detail), redact)),
    feedback: text(feedback),
    skill_ids: skillIds,
    evidence: {
      session_id: sessionId,
      turn_id: turnId,
      seqs: [events[0]?.seq ?? 0, events.at(-1)?.seq ?? 0],
    },
  };
}

function finalText(events: readonly SessionEvent[]): string {
  const last = events.findLast(
    (event) => event.type === "ASSISTANT_MESSAGE" && event.payload.kind === "assistant",
  );
  return last?.type === "ASSISTANT_MESSAGE" ? last.payload.text : "";
}

function stepsOf(
  events: readonly SessionEvent[],
  short: (text: string) => string,
  redact: (text: string) => string,
): TracedStep[] {
  const steps: StepTexts[] = [];
  const calls = new Map<string, TracedCall>();
  const stepAt = (number: number): StepTexts => {
    const last = steps.at(-1);
    if (last?.step === number) return last;
    const step: StepTexts = { step: number, thoughts: [], says: [], calls: [] };
    steps.push(step);
    return step;
  };
  for (const { type, step, payload } of events) {
    if (type === "ASSISTANT_MESSAGE") {
      if (payload.kind === "reasoning") stepAt(step).thoughts.push(payload.text);
      if (payload.kind === "assistant") stepAt(step).says.push(payload.text);
    } else if (type === "TOOL_CALL") {
      const call = { tool: payload.exposed_name, input: short(valueText(payload.input, redact)) };
      calls.set(payload.call_id, call);
      stepAt(step).calls.push(call);
    } else if (type === "TOOL_RESULT") {
      const call = calls.get(payload.call_id);
      if (!call) continue;
      const { exit_code: exitCode, status } = payload;
      call.status = exitCode === null ? status : `${status}, exit code ${exitCode}`;
      call.output = short(contentText(payload.output, redact));
    } else if (type === "AUTO_STOP") {
      stepAt(step).says.push(`[the turn ended: ${payload.reason}]`);
    } else if (type === "BLOCKED") {
      const detail = payload.detail === "" ? "" : `: ${payload.detail}`;
      stepAt(step).says.push(`[the turn ended: blocked, ${payload.reason}${detail}]`);
    } else if (type === "ERROR") {
      stepAt(step).says.push(`[failed: ${payload.code}: ${payload.message}]`);
    }
  }
  return steps.map(({ step, thoughts, says, calls: made }) => ({
    step,
    ...(thoughts.length > 0 && { thought: short(thoughts.join("\n")) }),
    ...(says.length > 0 && { says: short(says.join("\n")) }),
    calls: made.slice(0, TRACE_LIMITS.calls),
  }));
}

/** The first and the last ones: the approach and the outcome say most. */
function fewer(steps: readonly TracedStep[]): (TracedStep | string)[] {
  const { steps: most } = TRACE_LIMITS;
  if (steps.length <= most) return [...steps];
  const head = Math.floor(most / 2);
  const note = `[${steps.length - most} steps left out]`;
  return [...steps.slice(0, head), note, ...steps.slice(head - most)];
}

function valueText(value: unknown, redact: (text: string) => string): string {
  return typeof value === "string" ? value : (JSON.stringify(mapTexts(value, redact)) ?? "");
}

function contentText(blocks: readonly ContentBlock[], redact: (text: string) => string): string {
  const others = blocks.flatMap((block) => {
    if (block.type === "text") return [];
    if (block.type === "structured") return [valueText(block.data, redact)];
    if (block.type === "resource" && block.text !== undefined) return [block.text];
    return [`[${block.type}]`];
  });
  return [textOf(blocks), ...others].filter((text) => text !== "").join("\n");
}
