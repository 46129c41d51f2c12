import type { Model, Usage } from "@acumen/models";
import type { EventPayload } from "../events/session-event.ts";

/** @param contextTokens what the next request begins with; default the input and output of this call */
export function usagePayload(
  { capabilities }: Model,
  { inputTokens, outputTokens, cachedInputTokens = 0 }: Usage,
  contextTokens = inputTokens + outputTokens,
): EventPayload<"USAGE"> {
  const { contextWindow = null, inputPrice, outputPrice } = capabilities;
  return {
    input_tokens: inputTokens,
    cached_input_tokens: cachedInputTokens,
    output_tokens: outputTokens,
    context_tokens: contextTokens,
    context_window: contextWindow,
    ...(inputPrice !== undefined &&
      outputPrice !== undefined && {
        // An estimate: reading from a cache costs less than plain input, writing to one may cost more.
        cost: (inputTokens * inputPrice + outputTokens * outputPrice) / 1_000_000,
      }),
  };
}
