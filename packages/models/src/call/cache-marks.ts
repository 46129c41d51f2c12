import type { LanguageModelV3Prompt, SharedV3ProviderOptions } from "@ai-sdk/provider";
import type { WireTraits } from "../providers/opened-model.ts";

/**
 * Put into `providerOptions` of a message or part: the prompt is the same up to here in the calls to come, so the
 * provider may keep it. Costs nothing where the wire has no such mark. The last system message has one anyway;
 * where there are no marks, system messages in a row go out as one.
 */
export const CACHE_MARK: SharedV3ProviderOptions = { acumen: { cache: true } };

const MARKS: Readonly<Record<NonNullable<WireTraits["cacheMarks"]>, SharedV3ProviderOptions>> = {
  anthropic: { anthropic: { cacheControl: { type: "ephemeral" } } },
  bedrock: { bedrock: { cachePoint: { type: "default" } } },
  openrouter: { openrouter: { cacheControl: { type: "ephemeral" } } },
};

/** The services refuse a request with more. */
const MAX_MARKS = 4;

/** Replaces `CACHE_MARK` by the wire's own mark, or removes it; our key never goes out. */
export function withCacheMarks(
  prompt: LanguageModelV3Prompt,
  cacheMarks: WireTraits["cacheMarks"],
): LanguageModelV3Prompt {
  const mark = cacheMarks === undefined ? undefined : MARKS[cacheMarks];
  const lastSystem = prompt.findLastIndex(({ role }) => role === "system");
  let left = mark === undefined || lastSystem === -1 ? MAX_MARKS : MAX_MARKS - 1;
  const translate = <T extends { readonly providerOptions?: SharedV3ProviderOptions }>(
    holder: T,
  ): T => {
    const options = holder.providerOptions;
    if (options?.["acumen"] === undefined) return holder;
    const { acumen, ...others } = options;
    const marked = mark !== undefined && acumen["cache"] === true && left > 0;
    if (marked) left -= 1;
    const { providerOptions: _dropped, ...rest } = holder;
    const kept = marked ? mergeOptions(others, mark) : others;
    return (Object.keys(kept).length === 0 ? rest : { ...rest, providerOptions: kept }) as T;
  };
  const messages = mark === undefined ? withOneSystemMessage(prompt) : prompt;
  // From the end: a later mark covers more.
  return messages
    .map((message, index) => {
      if (index !== lastSystem || mark === undefined) return message;
      const { acumen: _ours, ...others } = message.providerOptions ?? {};
      return { ...message, providerOptions: mergeOptions(others, mark) };
    })
    .toReversed()
    .map((message) => {
      const marked = translate(message);
      if (marked.role === "system") return marked;
      const content = marked.content.toReversed().map(translate).toReversed();
      return { ...marked, content } as typeof marked;
    })
    .toReversed();
}

/** System messages in a row are for marks alone; chat templates of local models often take one only. */
function withOneSystemMessage(prompt: LanguageModelV3Prompt): LanguageModelV3Prompt {
  const joined: LanguageModelV3Prompt = [];
  for (const message of prompt) {
    const last = joined.at(-1);
    if (message.role !== "system" || last?.role !== "system") {
      joined.push(message);
      continue;
    }
    joined[joined.length - 1] = {
      ...last,
      content: `${last.content}\n\n${message.content}`,
      providerOptions: mergeOptions(last.providerOptions, message.providerOptions),
    };
  }
  return joined;
}

/** Per provider; what stands in `over` wins. */
export function mergeOptions(
  under: SharedV3ProviderOptions | undefined,
  over: SharedV3ProviderOptions | undefined,
): SharedV3ProviderOptions {
  const merged: SharedV3ProviderOptions = { ...under };
  for (const [provider, options] of Object.entries(over ?? {})) {
    merged[provider] = { ...merged[provider], ...options };
  }
  return merged;
}
