import type { Clock, Logger } from "@acumen/core";
import { aceError } from "../errors.ts";
import type { Sample, TaskEnvironment } from "../evaluation/evaluation.ts";
import type { RoleSet } from "../roles/role-set.ts";
import type { Skillbook } from "../skillbook/skillbook.ts";
import type { Feedback } from "./feedback.ts";

export interface AceOptions {
  /** Default: an empty book. It may be shared by several runners. */
  readonly skillbook?: Skillbook;
  /** Judges answers while learning. Default: comparison with the ground truth. */
  readonly environment?: TaskEnvironment;
  /** Samples that are answered and reflected on at once. Default 4. */
  readonly workers?: number;
  /** Default true. */
  readonly learning?: boolean;
  /** Folder for `checkpoint_<number>.json` and `latest.json`; created when needed. Default: no checkpoints. */
  readonly checkpointDir?: string;
  /** Samples between two checkpoints. Default 10. */
  readonly checkpointInterval?: number;
  /** Samples between two merges of near-duplicates. Default: they are not merged while learning. */
  readonly deduplicateInterval?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** For language models; `builtin/recall` has no settings. */
export interface ModelSettings {
  /** 0 … 2. Default 0; models that take no temperature get none. */
  readonly temperature?: number;
  /**
   * Tokens of an answer, at least 1. Default: what the model can give, but at most 8,192 (32,768 for a model that thinks, because
   * thinking counts; 4,096 for an unknown one).
   */
  readonly maxTokens?: number;
  /** Where keys and addresses are looked up (`OPENAI_API_KEY`, `OPENAI_BASE_URL`, …). Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Accept `scripted/PATH` and `recorded/PATH`, which read files: never for an id that came from elsewhere. Default false. */
  readonly allowScripted?: boolean;
}

export const DEFAULT_WORKERS = 4;
export const DEFAULT_CHECKPOINT_INTERVAL = 10;

/** @throws ACE_OPTION_INVALID naming the option */
export function checkAceOptions(options: AceOptions): void {
  checkCount("workers", options.workers);
  checkCount("checkpointInterval", options.checkpointInterval);
  checkCount("deduplicateInterval", options.deduplicateInterval);
}

/** @throws ACE_OPTION_INVALID for anything but a whole number of at least 1 (absent is fine) */
export function checkCount(name: string, value: number | undefined): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= 1)) return;
  throw invalid(name, `a whole number of at least 1, not ${JSON.stringify(value) ?? typeof value}`);
}

/** @throws ACE_OPTION_INVALID */
export function checkModelSettings({ temperature, maxTokens }: ModelSettings): void {
  if (temperature !== undefined && !(temperature >= 0 && temperature <= 2)) {
    throw invalid("temperature", "a number from 0 to 2");
  }
  checkCount("maxTokens", maxTokens);
}

/** @throws ACE_OPTION_INVALID when a value is no text, or an empty one although it must say something */
export function checkText(name: string, value: unknown, allow: "any" | "filled"): void {
  if (typeof value !== "string") throw invalid(name, "a text");
  if (allow === "filled" && value.trim() === "") throw invalid(name, "a text that is not empty");
}

/** @throws ACE_OPTION_INVALID naming the sample, before any of them is learned */
export function checkSamples(samples: readonly Sample[]): void {
  if (!Array.isArray(samples)) throw invalid("samples", "a list of samples");
  for (const [index, sample] of (samples as readonly unknown[]).entries()) {
    const name = `samples[${index}]`;
    if (typeof sample !== "object" || sample === null) throw invalid(name, "an object");
    const { question, context, groundTruth } = sample as Partial<Record<keyof Sample, unknown>>;
    checkText(`${name}.question`, question, "filled");
    if (context !== undefined) checkText(`${name}.context`, context, "any");
    if (groundTruth !== undefined && groundTruth !== null) {
      checkText(`${name}.groundTruth`, groundTruth, "any");
    }
  }
}

/** @throws ACE_OPTION_INVALID */
export function checkTraces(traces: unknown): void {
  if (typeof traces === "string" || Array.isArray(traces)) return;
  throw invalid("traces", "a list, or the path of a JSONL file");
}

/** @throws ACE_OPTION_INVALID. Without a ground truth the feedback itself must say something. */
export function checkFeedback(given: Feedback): void {
  const { question, answer, feedback, context = "", groundTruth } = given;
  checkText("question", question, "filled");
  checkText("answer", answer, "any");
  checkText("context", context, "any");
  if (groundTruth !== undefined && groundTruth !== null) {
    checkText("groundTruth", groundTruth, "any");
  }
  checkText("feedback", feedback, groundTruth?.trim() ? "any" : "filled");
}

/** @throws ACE_OPTION_INVALID when a role is missing */
export function checkRoles(roles: RoleSet): void {
  const given = [
    ["roles.agent", roles.agent, "answer"],
    ["roles.reflector", roles.reflector, "reflect"],
    ["roles.skillManager", roles.skillManager, "update"],
  ] as const;
  for (const [name, role, method] of given) {
    const value = (role as unknown as Readonly<Record<string, unknown>> | undefined)?.[method];
    if (typeof value !== "function") throw invalid(name, `an object with a method ${method}()`);
  }
}

function invalid(option: string, expected: string) {
  return aceError("ACE_OPTION_INVALID", `${option} must be ${expected}.`, { details: { option } });
}
