import type { LanguageModelV3CallOptions } from "@ai-sdk/provider";
import { defaultMaxOutputTokens, type ModelCapabilities } from "../capabilities.ts";
import type { WireTraits } from "../providers/opened-model.ts";
import { mergeOptions, withCacheMarks } from "./cache-marks.ts";
import type { ToolSchemas } from "../tools/tool-schemas.ts";
import type { Concessions } from "./concessions.ts";
import { jsonRequest } from "./structured-output.ts";

/** The caller's call in the form that the wire takes. */
export function prepareCall(
  options: LanguageModelV3CallOptions,
  traits: WireTraits,
  capabilities: ModelCapabilities,
  { structuredOutput, noTemperature }: Concessions,
  schemas: ToolSchemas,
): LanguageModelV3CallOptions {
  const { responseFormat, temperature, tools, abortSignal: _ours, ...rest } = options;
  const json =
    responseFormat?.type === "json"
      ? jsonRequest(responseFormat, options.prompt, structuredOutput, traits.looseSchema)
      : { prompt: options.prompt };
  const providerOptions = mergeOptions(
    mergeOptions(traits.providerOptions, json.providerOptions),
    withoutNote(options, traits),
  );
  return {
    ...rest,
    prompt: withCacheMarks(json.prompt, traits.cacheMarks),
    maxOutputTokens: options.maxOutputTokens ?? defaultMaxOutputTokens(capabilities),
    ...(tools !== undefined && { tools: schemas.of(tools) }),
    ...(temperature !== undefined && !noTemperature && { temperature }),
    ...(json.responseFormat !== undefined && { responseFormat: json.responseFormat }),
    ...(Object.keys(providerOptions).length > 0 && { providerOptions }),
  };
}

function withoutNote(
  { providerOptions = {} }: LanguageModelV3CallOptions,
  traits: WireTraits,
): NonNullable<LanguageModelV3CallOptions["providerOptions"]> {
  if (traits.takesNote === true) return providerOptions;
  const { acumen: _note, ...others } = providerOptions;
  return others;
}
