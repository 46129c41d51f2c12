import type { LanguageModelV3Usage } from "@ai-sdk/provider";

/** Tokens of one call or of several. Input includes cached and cache-written tokens, output includes reasoning. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Input read from the provider's prompt cache. */
  readonly cachedInputTokens?: number;
  /** Input written to the provider's prompt cache. */
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 };

/** Counts that a provider leaves out are absent, or 0 for the two totals. */
export function usageOf({ inputTokens, outputTokens }: LanguageModelV3Usage): Usage {
  const { cacheRead, cacheWrite } = inputTokens;
  const { reasoning } = outputTokens;
  return {
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0,
    ...(cacheRead !== undefined && { cachedInputTokens: cacheRead }),
    ...(cacheWrite !== undefined && { cacheWriteTokens: cacheWrite }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
  };
}

export function addUsage(a: Usage, b: Usage): Usage {
  const cached = sum(a.cachedInputTokens, b.cachedInputTokens);
  const written = sum(a.cacheWriteTokens, b.cacheWriteTokens);
  const reasoning = sum(a.reasoningTokens, b.reasoningTokens);
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...(cached !== undefined && { cachedInputTokens: cached }),
    ...(written !== undefined && { cacheWriteTokens: written }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
  };
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}
