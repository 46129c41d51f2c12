import type { LanguageModelV3CallOptions, SharedV3ProviderOptions } from "@ai-sdk/provider";
import { defaultMaxOutputTokens, type ModelCapabilities } from "../capabilities.ts";
import type { WireTraits } from "../providers/opened-model.ts";
import { chosenLevel } from "../reasoning/chosen-level.ts";
import { thoughtOptions, type ThoughtSetting } from "../reasoning/thought-options.ts";
import type { ToolSchemas } from "../tools/tool-schemas.ts";
import { mergeOptions, withCacheMarks } from "./cache-marks.ts";
import type { Concessions } from "./concessions.ts";
import { jsonRequest } from "./structured-output.ts";

/** Beside a budget that takes all of a small limit. */
const LEAST_ANSWER_TOKENS = 4_096;

export interface CalledModel {
  /** Name without the prefix. */
  readonly model: string;
  readonly traits: WireTraits;
  readonly capabilities: ModelCapabilities;
}

/** The caller's call in the form that the wire takes. */
export function prepareCall(
  options: LanguageModelV3CallOptions,
  called: CalledModel,
  { structuredOutput, noTemperature }: Concessions,
  schemas: ToolSchemas,
): LanguageModelV3CallOptions {
  const { traits } = called;
  const { responseFormat, temperature, tools, abortSignal: _ours, ...rest } = options;
  const json =
    responseFormat?.type === "json"
      ? jsonRequest(responseFormat, options.prompt, structuredOutput, traits.looseSchema)
      : { prompt: options.prompt };
  const thoughts = thoughtsOf(options, called);
  const providerOptions = [
    traits.providerOptions,
    thoughts.providerOptions,
    json.providerOptions,
    withoutNote(options, traits),
  ].reduce<SharedV3ProviderOptions>(mergeOptions, {});
  return {
    ...rest,
    prompt: withCacheMarks(json.prompt, traits.cacheMarks),
    maxOutputTokens: outputLimit(options, called, thoughts),
    ...(tools !== undefined && { tools: schemas.of(tools) }),
    ...(temperature !== undefined && !noTemperature && { temperature }),
    ...(json.responseFormat !== undefined && { responseFormat: json.responseFormat }),
    ...(Object.keys(providerOptions).length > 0 && { providerOptions }),
  };
}

function thoughtsOf(
  options: LanguageModelV3CallOptions,
  { model, traits }: CalledModel,
): Partial<ThoughtSetting> {
  const level = chosenLevel(options);
  if (level === undefined || traits.thoughts === undefined) return {};
  return thoughtOptions(level, traits.thoughts, { model, prompt: options.prompt });
}

/**
 * Of the answer alone, because packages add a budget of thinking to it. A limit of the caller is for the answer; the usual one
 * has room for thoughts already, and whoever looks whether a conversation still fits counts with it.
 */
function outputLimit(
  { maxOutputTokens: wanted }: LanguageModelV3CallOptions,
  { capabilities }: CalledModel,
  { budget = 0 }: Partial<ThoughtSetting>,
): number {
  if (budget === 0) return wanted ?? defaultMaxOutputTokens(capabilities);
  const rest = defaultMaxOutputTokens(capabilities) - budget;
  const most = (capabilities.maxOutputTokens ?? Infinity) - budget;
  return Math.max(1, Math.min(wanted ?? Math.max(rest, LEAST_ANSWER_TOKENS), most));
}

function withoutNote(
  { providerOptions = {} }: LanguageModelV3CallOptions,
  traits: WireTraits,
): SharedV3ProviderOptions {
  if (traits.takesNote === true) return providerOptions;
  const { acumen: _note, ...others } = providerOptions;
  return others;
}
