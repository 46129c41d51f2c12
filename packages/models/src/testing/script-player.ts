import type { LanguageModelV3CallOptions } from "@ai-sdk/provider";
import { modelError, modelsError } from "../errors.ts";
import { lastUserText, mismatchOf } from "./expectation.ts";
import type { ModelScript, ScriptStep, ScriptSteps } from "./script.ts";

interface Position {
  /** Index of the next step. */
  next: number;
  /** Failures of the step at `next` so far. */
  failures: number;
  /** The step that failed the latest call for good: tries of the same call fail again. */
  failed: ScriptStep | undefined;
}

const MAX_SHOWN_CHARS = 500;
const RETRYABLE = new Set(["rate_limit", "timeout", "unavailable"]);

/** Decides which step answers a call. Steps are counted per session, in a script with phases per run of a phase. */
export class ScriptPlayer {
  readonly #script: ModelScript;
  readonly #path: string;
  readonly #positions = new Map<string, Position>();

  constructor(script: ModelScript, path: string) {
    this.#script = script;
    this.#path = path;
  }

  /**
   * The step for this call, consumed.
   * @throws MODEL_SCRIPT_MISMATCH with expected and actual; the step's own error
   */
  take(call: LanguageModelV3CallOptions): ScriptStep {
    const note = noteOf(call);
    const { purpose, attempt = 1 } = note;
    const { steps, repeatLast = false } = this.#steps(note.phase ?? "");
    const position = this.#position(note);
    if (attempt === 1) position.failed = undefined;
    else if (position.failed?.error !== undefined) throw this.#error(position.failed.error);
    const index = Math.min(position.next, repeatLast ? steps.length - 1 : position.next);
    const step = steps[index];
    if (purpose === "compaction" && step?.for !== "compaction") return { text: summaryOf(call) };
    if (step === undefined) throw this.#afterLast(steps.length, call);
    this.#check(step, index, purpose, call);
    this.#failIfScripted(step, position);
    position.next += 1;
    return step;
  }

  #position({ session = "", phase = "", run = 1 }: Note): Position {
    // Steps without phases go on from one phase to the next.
    const key = JSON.stringify("steps" in this.#script ? [session] : [session, phase, run]);
    const position = this.#positions.get(key) ?? { next: 0, failures: 0, failed: undefined };
    this.#positions.set(key, position);
    return position;
  }

  #steps(phase: string): ScriptSteps {
    const script = this.#script;
    if ("steps" in script) return script;
    const steps = Object.hasOwn(script.phases, phase) ? script.phases[phase] : undefined;
    if (steps !== undefined) return steps;
    const expected = `one of the phases ${Object.keys(script.phases).join(", ")}`;
    throw this.#mismatch("phase", expected, phase === "" ? "no phase" : phase);
  }

  #check(
    step: ScriptStep,
    index: number,
    purpose: string | undefined,
    call: LanguageModelV3CallOptions,
  ): void {
    const place = `step ${index + 1}`;
    if (step.for === "compaction" && purpose !== "compaction") {
      throw this.#mismatch(place, "a call for a compaction summary", "another call");
    }
    const mismatch = step.expect === undefined ? undefined : mismatchOf(step.expect, call);
    if (mismatch === undefined) return;
    const { field, expected, actual } = mismatch;
    throw this.#mismatch(`${place}, ${field}`, expected, actual);
  }

  /** Without `times` the call fails however often it is tried, and the next call gets the next step. */
  #failIfScripted(step: ScriptStep, position: Position): void {
    const { error } = step;
    if (error === undefined) return;
    if (error.times === undefined) {
      position.next += 1;
      position.failed = step;
    } else if (position.failures < error.times) {
      position.failures += 1;
    } else {
      position.failures = 0;
      return;
    }
    throw this.#error(error);
  }

  #error({ kind, message, retryAfterMs }: NonNullable<ScriptStep["error"]>): Error {
    return modelError(message, {
      provider: "scripted",
      model: this.#path,
      kind,
      retryable: RETRYABLE.has(kind),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  }

  #afterLast(steps: number, call: LanguageModelV3CallOptions): Error {
    const actual = `call ${steps + 1}: ${lastUserText(call.prompt)}`;
    return this.#mismatch("end of the script", `no call after its ${steps} steps`, actual);
  }

  #mismatch(place: string, expected: string, actual: string): Error {
    const shown =
      actual.length <= MAX_SHOWN_CHARS ? actual : `${actual.slice(0, MAX_SHOWN_CHARS)}…`;
    return modelsError(
      "MODEL_SCRIPT_MISMATCH",
      `The script "${this.#path}" does not fit the call (${place}). Expected: ${expected}. Actual: ${shown}`,
      {
        details: {
          provider: "scripted",
          model: this.#path,
          kind: "bad_request",
          retryable: false,
          place,
          expected,
          actual: shown,
        },
      },
    );
  }
}

interface Note {
  readonly session?: string;
  readonly phase?: string;
  readonly run?: number;
  readonly purpose?: string;
  /** Counts the tries of one call from 1. */
  readonly attempt?: number;
}

function noteOf({ providerOptions }: LanguageModelV3CallOptions): Note {
  return (providerOptions?.["acumen"] ?? {}) as Note;
}

/** The same for the same conversation. */
function summaryOf({ prompt }: LanguageModelV3CallOptions): string {
  const request = lastUserText(prompt).split("\n")[0]?.slice(0, 200) ?? "";
  return `Summary of ${prompt.length} messages. Last request: ${request}`;
}
