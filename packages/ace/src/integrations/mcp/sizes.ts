import type { McpServerConfig } from "./config.ts";
import { mcpError } from "./errors.ts";
import type { Requests } from "./models.ts";
import { charCount } from "./text-length.ts";

type SizeLimits = Pick<McpServerConfig, "maxPromptChars" | "maxSamplesPerCall" | "maxCallChars">;

/** @throws ACE_MCP_VALIDATION_ERROR with field, char_count and the limit */
export function checkAskSize(request: Requests["ace.ask"], limits: SizeLimits): void {
  checkNames(request);
  const count = total(request.question, request.context) + metadataChars(request.metadata);
  checkPrompt("question+context+metadata", count, limits);
  checkCall(count, limits);
}

/** @throws ACE_MCP_VALIDATION_ERROR; the field is `samples` (too many), `samples[i]` (one is too long) or `call` */
export function checkSampleSizes(request: Requests["ace.learn.sample"], limits: SizeLimits): void {
  const { samples } = request;
  if (samples.length > limits.maxSamplesPerCall) {
    throw mcpError(
      "ACE_MCP_VALIDATION_ERROR",
      `samples has ${samples.length} items; at most ${limits.maxSamplesPerCall} are accepted in one call.`,
      {
        details: {
          field: "samples",
          sample_count: samples.length,
          max_samples_per_call: limits.maxSamplesPerCall,
        },
      },
    );
  }
  checkNames(request);
  let sum = 0;
  for (const [index, sample] of samples.entries()) {
    const texts = total(sample.question, sample.context, sample.ground_truth ?? "");
    const count = texts + metadataChars(sample.metadata);
    checkPrompt(`samples[${index}]`, count, limits);
    sum += count;
  }
  checkCall(sum, limits);
}

/** @throws ACE_MCP_VALIDATION_ERROR with field, char_count and the limit */
export function checkFeedbackSize(
  request: Requests["ace.learn.feedback"],
  limits: SizeLimits,
): void {
  checkNames(request);
  const { question, context, answer, feedback, ground_truth: truth } = request;
  const count = total(question, context, answer, feedback, truth ?? "");
  checkPrompt("question+context+answer+feedback+ground_truth", count, limits);
  checkCall(count, limits);
}

/** Ids and paths are kept in memory and repeated in replies. Not a setting: nobody needs more, and a small prompt limit must not forbid ordinary ids. */
const NAME_CHARS = 10_000;

/** @throws ACE_MCP_VALIDATION_ERROR with field, char_count and max_chars */
export function checkNames(request: {
  readonly session_id: string;
  readonly path?: string;
  readonly session_config?: { readonly model?: string | undefined } | undefined;
}): void {
  const names = {
    session_id: request.session_id,
    path: request.path ?? "",
    "session_config.model": request.session_config?.model ?? "",
  };
  for (const [field, text] of Object.entries(names)) {
    const count = charCount(text);
    if (count > NAME_CHARS) throw tooLong(field, count, "max_chars", NAME_CHARS);
  }
}

function checkPrompt(field: string, count: number, limits: SizeLimits): void {
  if (count <= limits.maxPromptChars) return;
  throw tooLong(field, count, "max_prompt_chars", limits.maxPromptChars);
}

function checkCall(count: number, limits: SizeLimits): void {
  if (count <= limits.maxCallChars) return;
  throw tooLong("call", count, "max_call_chars", limits.maxCallChars);
}

function tooLong(field: string, count: number, limitName: string, limit: number): Error {
  return mcpError(
    "ACE_MCP_VALIDATION_ERROR",
    `${field === "call" ? "The call" : field} has ${count} characters; at most ${limit} are accepted.`,
    { details: { field, char_count: count, [limitName]: limit } },
  );
}

function total(...texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + charCount(text), 0);
}

function metadataChars(metadata: Readonly<Record<string, unknown>> | undefined): number {
  return metadata === undefined ? 0 : charCount(JSON.stringify(metadata));
}
