import type { ModelId } from "../model-id.ts";
import { baseUrlOf } from "./base-url.ts";
import { openAnthropic, openCompatible, openGoogle, openOpenAi } from "./builtin-drivers.ts";
import type { Environment } from "./credentials.ts";
import { importPackage, type PackageLoader } from "./load-package.ts";
import type { Driver, OpenedModel } from "./opened-model.ts";
import {
  openAzure,
  openBedrock,
  openDeepSeek,
  openGroq,
  openMistral,
  openOpenRouter,
  openVertex,
  openXai,
} from "./peer-drivers.ts";
import type { ProviderDriver, ProviderRow } from "./provider-row.ts";
import { strictFetch } from "./strict-fetch.ts";

const DRIVERS: Readonly<Record<ProviderDriver, Driver>> = {
  openai: openOpenAi,
  anthropic: openAnthropic,
  google: openGoogle,
  compatible: openCompatible,
  bedrock: openBedrock,
  azure: openAzure,
  vertex: openVertex,
  groq: openGroq,
  mistral: openMistral,
  deepseek: openDeepSeek,
  xai: openXai,
  openrouter: openOpenRouter,
};

export interface OpenOptions {
  readonly env: Environment;
  readonly fetch?: typeof fetch;
  readonly load?: PackageLoader;
}

/** Loads the provider's package and makes its model. No request is made. */
export async function openProvider(
  row: ProviderRow,
  id: ModelId,
  options: OpenOptions,
): Promise<OpenedModel> {
  const baseUrl = baseUrlOf(row, id, options.env);
  return DRIVERS[row.driver]({
    row,
    id,
    env: options.env,
    ...(baseUrl !== undefined && { baseUrl }),
    fetch: strictFetch(options.fetch ?? globalThis.fetch),
    load: options.load ?? importPackage,
  });
}
