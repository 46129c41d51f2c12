/** Facts as the provider package and the service's model table state them (autumn 2026). */
const NEWEST = /claude-(?:opus-4-[78]|(?:opus|sonnet|haiku|fable)-[5-9])/;
const SINCE_4_6 = /claude-(?:opus|sonnet)-4-6/;
const SINCE_4_5 = /claude-(?:opus|sonnet|haiku)-4-5/;

export function isClaude(model: string): boolean {
  return model.startsWith("claude-");
}

export function maxOutputTokens(model: string): number {
  if (/claude-3-haiku|claude-3-opus/.test(model)) return 4096;
  if (/claude-3-5/.test(model)) return 8192;
  if (NEWEST.test(model) || SINCE_4_6.test(model)) return 128_000;
  if (SINCE_4_5.test(model)) return 64_000;
  return /claude-opus-4/.test(model) ? 32_000 : 64_000;
}

export function supportsOutputFormat(model: string): boolean {
  const older = SINCE_4_5.test(model) || /claude-opus-4-1/.test(model);
  return NEWEST.test(model) || SINCE_4_6.test(model) || older;
}

/** `temperature`, `top_p` and `top_k` are gone. */
export function rejectsSampling(model: string): boolean {
  return NEWEST.test(model);
}

/** A conversation must not end with the assistant. */
export function rejectsPrefill(model: string): boolean {
  return NEWEST.test(model) || SINCE_4_6.test(model);
}
