import type { LanguageModelV3FinishReason, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { modelError } from "../errors.ts";
import type { ModelId } from "../model-id.ts";
import type { Deadline } from "./deadline.ts";

export interface StreamLimits {
  /** When the stream must have said something, on the clock of `performance`: a model may think without a word. */
  readonly wordsBy: number;
  /** Between two parts from then on, in milliseconds. */
  readonly idleMs: number;
}

/**
 * The parts of a stream as long as it is whole. Throws what an error part holds; throws kind `unavailable` when the
 * stream ends without a finish. Stops the request when the reader stops.
 */
export async function* guardStream(
  stream: ReadableStream<LanguageModelV3StreamPart>,
  id: ModelId,
  deadline: Deadline,
  { wordsBy, idleMs }: StreamLimits,
): AsyncGenerator<LanguageModelV3StreamPart, void, undefined> {
  const reader = stream.getReader();
  let finished = false;
  let said = false;
  try {
    for (;;) {
      const limitMs = said ? idleMs : Math.max(0, Math.ceil(wordsBy - performance.now()));
      const { done, value } = await deadline.wait(reader.read(), limitMs);
      if (done) break;
      if (value.type === "error") throw value.error;
      if (value.type === "finish") {
        checkFinish(value.finishReason, id, said);
        finished = true;
      }
      said ||= isSaid(value);
      yield value;
    }
    if (!finished) throw truncated(id);
  } finally {
    deadline.end();
    reader.cancel().catch(() => undefined);
  }
}

/**
 * Truncation can look like success: the OpenAI package ends with `other` and no reason of the service when the
 * connection ended early, or when something else than the protocol came. Google answers a blocked prompt with success and no word.
 * @throws MODEL_FAILED, kind `unavailable`, `content_filter` or `invalid_output`
 */
export function checkFinish(
  { unified, raw }: LanguageModelV3FinishReason,
  id: ModelId,
  said: boolean,
): void {
  if (unified === "content-filter" && !said) {
    throw modelError(
      `The service blocked the conversation by its content policy and did not answer, model "${id.model}"${raw === undefined ? "" : ` (${raw})`}.`,
      { ...id, kind: "content_filter" },
    );
  }
  if (unified === "other" && raw === undefined) throw truncated(id);
  if (unified !== "error") return;
  if (raw !== undefined && /MALFORMED|UNEXPECTED_TOOL/i.test(raw)) {
    throw modelError(`Model "${id.model}" wrote a tool call that nobody can read (${raw}).`, {
      ...id,
      kind: "invalid_output",
      retryable: true,
    });
  }
  throw modelError(
    `The answer of model "${id.model}" ended with an error${raw === undefined ? "" : ` (${raw})`}.`,
    {
      ...id,
      kind: "unavailable",
      retryable: true,
    },
  );
}

function truncated(id: ModelId): Error {
  return modelError(
    `The answer of model "${id.model}" broke off before its end; what had come is not used.`,
    { ...id, kind: "unavailable", retryable: true },
  );
}

/** Whether a part tells the caller something, so that asking again would tell it twice. */
export function isSaid({ type }: LanguageModelV3StreamPart): boolean {
  return !["stream-start", "response-metadata", "raw", "text-start", "reasoning-start"].includes(
    type,
  );
}
