import type { LanguageModelV3, SharedV3ProviderOptions } from "@ai-sdk/provider";
import type { ModelId } from "../model-id.ts";
import type { ThoughtWire } from "../reasoning/thought-options.ts";
import type { BaseUrl } from "./base-url.ts";
import type { Environment } from "./credentials.ts";
import type { PackageLoader } from "./load-package.ts";
import type { ProviderRow } from "./provider-row.ts";

/** How a wire takes a JSON answer; see `structured-output.ts`. */
export type StructuredOutput =
  /** OpenAI's strict mode and its imitations: every property required, no open objects. */
  | "strict"
  /** A JSON Schema that the provider package prepares for its service. */
  | "schema"
  /** JSON mode, the schema stands in the prompt. */
  | "object"
  /** Nothing but the prompt. */
  | "prompt";

/** What the common code has to know about a wire. */
export interface WireTraits {
  readonly structuredOutput: StructuredOutput;
  /** What switches strict mode off, for a schema that it cannot say. */
  readonly looseSchema?: SharedV3ProviderOptions;
  /** Whose rules the input schemas of tools must keep; absent where every schema will do. */
  readonly toolSchemas?: "anthropic" | "openai" | "openai-responses" | "google";
  /** Whose marks the wire's prompt cache needs; absent when it caches by itself or not at all. */
  readonly cacheMarks?: "anthropic" | "bedrock" | "openrouter";
  /** How the wire is told how much to think; absent where it cannot be told. */
  readonly thoughts?: ThoughtWire;
  /** Sent with every call, below what the request says. */
  readonly providerOptions?: SharedV3ProviderOptions;
  /** Scripted and recorded models get the request's `note`. */
  readonly takesNote?: true;
}

export interface OpenedModel {
  readonly languageModel: LanguageModelV3;
  readonly traits: WireTraits;
  /** Texts that must never show up in a message: keys, tokens, passwords. */
  readonly secrets: readonly string[];
}

export interface DriverContext {
  readonly row: ProviderRow;
  readonly id: ModelId;
  readonly env: Environment;
  readonly baseUrl?: BaseUrl;
  readonly fetch: typeof fetch;
  readonly load: PackageLoader;
}

export type Driver = (context: DriverContext) => Promise<OpenedModel>;
