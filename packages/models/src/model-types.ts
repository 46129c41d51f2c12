import type {
  LanguageModelV3,
  LanguageModelV3FunctionTool,
  LanguageModelV3Prompt,
  LanguageModelV3StreamPart,
  LanguageModelV3ToolChoice,
  SharedV3ProviderOptions,
} from "@ai-sdk/provider";
import type { AcumenError } from "@acumen/core";
import type { ModelCapabilities } from "./capabilities.ts";
import type { JsonSchema } from "./json/json-schema.ts";
import type { ThoughtLevel } from "./reasoning/thought-level.ts";
import type { Usage } from "./usage.ts";

/** The AI SDK's prompt: system, user, assistant and tool messages. */
export type ModelMessages = LanguageModelV3Prompt;
export type ModelStreamPart = LanguageModelV3StreamPart;

export interface ResponseFormat {
  readonly type: "json";
  /** Letters, digits, `_` and `-`. */
  readonly name: string;
  readonly schema: JsonSchema;
}

/** What a retry is about to do; `attempt` counts from 1, the attempt that failed. */
export interface RetryNotice {
  readonly attempt: number;
  readonly delayMs: number;
  readonly error: AcumenError;
}

/** For the scripted and recorded models alone; no provider sees it. */
export interface CallNote {
  /** Steps are counted per session. */
  readonly session?: string;
  /** Which part of a script with phases. */
  readonly phase?: string;
  /** Counts the runs of a phase in a session; each one begins at the phase's first step. */
  readonly run?: number;
  /** A compaction summary consumes no step. */
  readonly purpose?: "compaction";
}

export interface ModelRequest {
  readonly messages: ModelMessages;
  readonly temperature?: number;
  /** Tokens. Default: see `defaultMaxOutputTokens`; it is never left to the provider. */
  readonly maxOutputTokens?: number;
  /** One of the levels in `capabilities.thoughtLevels`. Default: the service's own, and nothing about it is sent. */
  readonly thoughtLevel?: ThoughtLevel;
  readonly responseFormat?: ResponseFormat;
  readonly tools?: readonly LanguageModelV3FunctionTool[];
  readonly toolChoice?: LanguageModelV3ToolChoice;
  readonly providerOptions?: SharedV3ProviderOptions;
  readonly note?: CallNote;
  readonly signal?: AbortSignal;
  /** Called before each wait. Must not throw. */
  readonly onRetry?: (notice: RetryNotice) => void;
}

export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote it: JSON text, possibly broken. */
  readonly input: string;
}

/** Why the model stopped. A truncated answer never gets here: it is an error of kind `unavailable`. */
export type FinishReason = "stop" | "length" | "tool-calls" | "content-filter" | "other";

export interface ModelReply {
  readonly text: string;
  readonly reasoning?: string;
  readonly toolCalls: readonly ModelToolCall[];
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  /** The text parsed as JSON; only with `responseFormat`, and absent when it is no JSON. */
  readonly json?: unknown;
}

/** One model behind one provider, with classified errors, retries, prompt-cache marks and complete streams. */
export interface Model {
  /** The id it was resolved from. */
  readonly id: string;
  /** Prefix of the provider, such as `openai`; bare names get theirs too. */
  readonly provider: string;
  /** Name without the prefix. */
  readonly model: string;
  readonly capabilities: ModelCapabilities;
  /**
   * One whole answer.
   * @throws MODEL_FAILED; the abort's error (CORE_ABORTED or the coded reason) within a second of the abort
   */
  generate(request: ModelRequest): Promise<ModelReply>;
  /**
   * The AI SDK's stream parts. Failures are thrown, error parts never come out: a retry happens only while nothing was
   * said yet, and a stream that ends without a finish is an error of kind `unavailable`.
   */
  stream(request: ModelRequest): AsyncIterable<ModelStreamPart>;
  /** The same with the AI SDK's own calls; errors, retries and marks as above. */
  readonly languageModel: LanguageModelV3;
}
