import { isJsonObject } from "@acumen/core";
import type { Evaluation, Sample } from "../evaluation/evaluation.ts";
import { aceError } from "../errors.ts";
import { renderText, renderTrace } from "./trace-render.ts";

/** One piece of experience to reflect on, whether it came from a sample, a person or a foreign log. */
export interface Trace {
  readonly question: string;
  readonly context: string;
  /** Absent when only the outcome is known. */
  readonly reasoning?: string;
  readonly answer?: string;
  readonly feedback?: string;
  readonly groundTruth?: string;
  /** Ids of skills that the work cites; absent when the trace does not say, then its reasoning is searched for them. */
  readonly skillIds?: readonly string[];
  readonly evaluation?: Evaluation;
  /** Everything else, rendered for the reflector: steps and keys that are not known here. */
  readonly notes?: string;
}

/** Characters of rendered text that a trace may add to the reflector's input, about 5,000 tokens. */
const NOTES_CHARS = 20_000;

/** Known keys in the spelling of the Python original, and how our own callers would write them. */
const TEXT_KEYS = [
  ["question", ["question"]],
  ["context", ["context"]],
  ["reasoning", ["reasoning"]],
  ["answer", ["answer"]],
  ["feedback", ["feedback"]],
  ["groundTruth", ["ground_truth", "groundTruth"]],
] as const;
const SKILL_ID_KEYS = ["skill_ids", "skillIds"];

/**
 * Reads any value as a trace: known keys become fields (values that are no text are rendered), every other key and
 * everything that is no object become bounded text.
 * @throws ACE_TRACE_INVALID for a value that says nothing (null, "", {}, []), or that cannot be read.
 */
export function parseTrace(value: unknown): Trace {
  let trace: Trace;
  try {
    trace = isJsonObject(value)
      ? parseObject(value)
      : { question: "", context: "", notes: renderWhole(value) };
  } catch (cause) {
    throw aceError("ACE_TRACE_INVALID", "The trace cannot be read: one of its values throws.", {
      cause,
    });
  }
  if (!saysSomething(trace)) {
    throw aceError(
      "ACE_TRACE_INVALID",
      "The trace is empty. Give at least a question, an answer, feedback or steps.",
    );
  }
  return trace;
}

/** The trace as a sample, for environments and reports. */
export function sampleOfTrace(trace: Trace): Sample {
  return {
    question: trace.question,
    context: trace.context,
    ...(trace.groundTruth !== undefined && { groundTruth: trace.groundTruth }),
  };
}

function parseObject(value: Record<string, unknown>): Trace {
  const rest = new Map(Object.entries(value));
  const texts: { -readonly [Field in (typeof TEXT_KEYS)[number][0]]?: string } = {};
  for (const [field, keys] of TEXT_KEYS) {
    const isAbsent = (name: string) => value[name] === undefined || value[name] === null;
    const key = keys.find((name) => !isAbsent(name));
    for (const name of keys) if (name === key || isAbsent(name)) rest.delete(name);
    const text = key === undefined ? undefined : textOf(value[key]);
    // A blank truth or judgement is none; a blank answer is one.
    if (text !== undefined && (text.trim() !== "" || field === "answer")) texts[field] = text;
  }
  const idKey = SKILL_ID_KEYS.find((name) => isIdList(value[name]));
  const skillIds = idKey === undefined ? undefined : (value[idKey] as string | readonly string[]);
  if (idKey !== undefined) rest.delete(idKey);
  return {
    question: "",
    context: "",
    ...texts,
    ...(skillIds !== undefined && {
      skillIds: typeof skillIds === "string" ? [skillIds] : skillIds,
    }),
    ...(rest.size > 0 && { notes: renderTrace([...rest], NOTES_CHARS) }),
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : renderText(value, NOTES_CHARS);
}

function renderWhole(value: unknown): string {
  if (Array.isArray(value))
    return value.length === 0 ? "" : renderTrace([["steps", value]], NOTES_CHARS);
  return value === null || value === undefined ? "" : renderText(value, NOTES_CHARS);
}

function isIdList(value: unknown): value is string | readonly string[] {
  if (typeof value === "string") return true;
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function saysSomething(trace: Trace): boolean {
  const { question, context, reasoning, answer, feedback, groundTruth, notes } = trace;
  return [question, context, reasoning, answer, feedback, groundTruth, notes].some(
    (text) => text !== undefined && text.trim() !== "",
  );
}
