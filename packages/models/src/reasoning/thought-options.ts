import type { LanguageModelV3Prompt, SharedV3ProviderOptions } from "@ai-sdk/provider";
import type { ThoughtLevel } from "./thought-level.ts";

/** How a wire is told a level. */
export type ThoughtWire =
  | "openai"
  | "azure"
  | "anthropic"
  | "google"
  | "bedrock"
  | "compatible"
  | "groq"
  | "mistral"
  | "deepseek";

export interface ThoughtSetting {
  readonly providerOptions: SharedV3ProviderOptions;
  /** Tokens of thinking that the provider package adds to the limit of the answer. */
  readonly budget?: number;
}

const NOTHING: ThoughtSetting = { providerOptions: {} };

/** Tokens for models that think within a budget. The service wants at least 1,024. */
const CLAUDE_BUDGETS: Readonly<Partial<Record<ThoughtLevel, number>>> = {
  low: 4_096,
  medium: 12_288,
  high: 24_576,
};

/** As Google's own layer for OpenAI's clients has it. */
const GEMINI_BUDGETS: Readonly<Partial<Record<ThoughtLevel, number>>> = {
  none: 0,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
};

/** Up to 4.5; a date may follow. */
const THINKS_IN_BUDGET = /claude-(?:3-|(?:opus|sonnet|haiku)-4(?:-[015])?(?!-?\d{1,5}(?!\d)))/;

interface Called {
  /** Name without the prefix. */
  readonly model: string;
  /** A budget cannot be given between a call of a tool without signed thoughts and its result. */
  readonly prompt: LanguageModelV3Prompt;
}

/** What a level is on a wire, in the options of its provider package. */
export function thoughtOptions(
  level: ThoughtLevel,
  wire: ThoughtWire,
  called: Called,
): ThoughtSetting {
  switch (wire) {
    case "openai":
      return { providerOptions: { openai: { reasoningEffort: level } } };
    case "azure":
      return {
        providerOptions: { openai: { reasoningEffort: level }, azure: { reasoningEffort: level } },
      };
    case "compatible":
      return { providerOptions: { openaiCompatible: { reasoningEffort: level } } };
    case "groq":
    case "mistral":
      return { providerOptions: { [wire]: { reasoningEffort: level } } };
    case "deepseek":
      return { providerOptions: { deepseek: deepSeekThinking(level) } };
    case "anthropic":
      return claudeThinking(level, called);
    case "bedrock":
      return bedrockThinking(level, called);
    case "google":
      return { providerOptions: { google: { thinkingConfig: geminiThinking(level, called) } } };
  }
}

function deepSeekThinking(level: ThoughtLevel): Record<string, string | { type: string }> {
  return level === "none"
    ? { thinking: { type: "disabled" } }
    : { thinking: { type: "enabled" }, reasoningEffort: level };
}

function claudeThinking(level: ThoughtLevel, { model, prompt }: Called): ThoughtSetting {
  if (level === "none")
    return { providerOptions: { anthropic: { thinking: { type: "disabled" } } } };
  if (!THINKS_IN_BUDGET.test(model)) {
    // Later models keep their thoughts to themselves unless they are asked for a summary.
    const thinking = { type: "adaptive", display: "summarized" };
    return { providerOptions: { anthropic: { thinking, effort: level } } };
  }
  const budget = CLAUDE_BUDGETS[level];
  if (budget === undefined || followsUnthoughtCall(prompt)) return NOTHING;
  return {
    providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens: budget } } },
    budget,
  };
}

function bedrockThinking(level: ThoughtLevel, { model, prompt }: Called): ThoughtSetting {
  if (!THINKS_IN_BUDGET.test(model)) {
    const reasoningConfig = { type: "adaptive", maxReasoningEffort: level, display: "summarized" };
    return { providerOptions: { bedrock: { reasoningConfig } } };
  }
  const budget = CLAUDE_BUDGETS[level];
  if (budget === undefined || followsUnthoughtCall(prompt)) return NOTHING;
  const reasoningConfig = { type: "enabled", budgetTokens: budget };
  return { providerOptions: { bedrock: { reasoningConfig } }, budget };
}

function geminiThinking(
  level: ThoughtLevel,
  { model }: Called,
): { readonly includeThoughts: boolean } & Record<string, string | number | boolean> {
  const includeThoughts = level !== "none";
  const budget = GEMINI_BUDGETS[level];
  return model.startsWith("gemini-2.5-") && budget !== undefined
    ? { thinkingBudget: budget, includeThoughts }
    : { thinkingLevel: level, includeThoughts };
}

/**
 * The services refuse a budget when the calls whose results come now were made without thinking: after a level or a model was
 * chosen in the middle of a turn, or when a signature had to be left out.
 */
function followsUnthoughtCall(prompt: LanguageModelV3Prompt): boolean {
  const end = prompt.findLastIndex(({ role }) => role === "assistant");
  const begin = prompt.slice(0, end + 1).findLastIndex(({ role }) => role !== "assistant") + 1;
  const parts = prompt
    .slice(begin, end + 1)
    .flatMap((message) => (message.role === "assistant" ? message.content : []));
  if (!parts.some(({ type }) => type === "tool-call")) return false;
  const [first] = parts;
  return first?.type !== "reasoning" || !isSigned(first.providerOptions);
}

function isSigned(options: SharedV3ProviderOptions | undefined): boolean {
  return Object.values(options ?? {}).some(
    ({ signature, redactedData }) => signature !== undefined || redactedData !== undefined,
  );
}
