import { AcumenError, parseJson, readTextFile } from "@acumen/core";
import { resolve } from "node:path";
import { z } from "zod";
import { MODEL_FAILURE_KINDS, modelsError } from "../errors.ts";
import { THOUGHT_LEVELS } from "../reasoning/thought-level.ts";

const texts = z.union([z.string(), z.array(z.string())]);

const expectation = z.strictObject({
  /** Of the last user message. */
  lastUserIncludes: texts.exactOptional(),
  /** Of the tool results since the last assistant message. */
  toolResultIncludes: texts.exactOptional(),
  /** Names. */
  toolsInclude: texts.exactOptional(),
  systemIncludes: texts.exactOptional(),
  /** Exactly; `default` when none may be chosen. */
  thoughtLevel: z.enum([...THOUGHT_LEVELS, "default"]).exactOptional(),
});

const scriptedError = z.strictObject({
  kind: z.enum(MODEL_FAILURE_KINDS),
  message: z.string(),
  retryAfterMs: z.number().int().min(0).exactOptional(),
  /** How often the step fails before it succeeds; without it, it fails for good and the next call gets the next step. */
  times: z.number().int().min(1).exactOptional(),
});

const step = z.strictObject({
  for: z.literal("compaction").exactOptional(),
  reasoning: z.string().exactOptional(),
  text: z.string().exactOptional(),
  /** Characters per delta. */
  chunkSize: z.number().int().min(1).exactOptional(),
  /** Before each delta. */
  delayMs: z.number().int().min(0).exactOptional(),
  toolCalls: z
    .array(z.strictObject({ id: z.string().exactOptional(), tool: z.string(), input: z.unknown() }))
    .exactOptional(),
  finish: z.enum(["stop", "length", "tool-calls", "content-filter"]).exactOptional(),
  usage: z
    .strictObject({
      inputTokens: z.number().int().min(0),
      outputTokens: z.number().int().min(0),
    })
    .exactOptional(),
  error: scriptedError.exactOptional(),
  expect: expectation.exactOptional(),
});

const steps = {
  steps: z.array(step),
  /** Calls after the last step get it again. */
  repeatLast: z.boolean().exactOptional(),
};
const traits = {
  contextWindow: z.number().int().min(1).exactOptional(),
  /** Levels that can be chosen. */
  thoughtLevels: z.array(z.enum(THOUGHT_LEVELS)).exactOptional(),
};

const stepsScript = z.strictObject({ ...traits, ...steps });
const phasesScript = z.strictObject({
  ...traits,
  phases: z.record(z.string(), z.strictObject(steps)),
});

export type ScriptStep = z.output<typeof step>;
export type ScriptSteps = z.output<typeof stepsScript>;
/** What a scripted model replays: steps, or steps for each phase of a plan. */
export type ModelScript = ScriptSteps | z.output<typeof phasesScript>;

const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Reads a script. A relative path starts at the working directory of the process.
 * @throws MODEL_SCRIPT_INVALID naming the place and what was expected there
 */
export async function readScript(path: string): Promise<ModelScript> {
  let value: unknown;
  try {
    value = parseJson(await readTextFile(resolve(path), { maxBytes: MAX_BYTES }));
  } catch (error) {
    if (!AcumenError.isInstance(error)) throw error;
    throw invalid(path, error.message);
  }
  return parseScript(value, path);
}

export function parseScript(value: unknown, path: string): ModelScript {
  const hasPhases = typeof value === "object" && value !== null && "phases" in value;
  const parsed = hasPhases ? phasesScript.safeParse(value) : stepsScript.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? "the file" : issue.path.join(".");
  throw invalid(path, `${place}: ${issue?.message ?? "not a script"}`);
}

function invalid(path: string, reason: string): Error {
  return modelsError("MODEL_SCRIPT_INVALID", `The script "${path}" cannot be used: ${reason}`, {
    details: { provider: "scripted", model: path, kind: "bad_request", retryable: false },
  });
}
