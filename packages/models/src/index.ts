// Adding a name here makes it public.
export { CACHE_MARK } from "./call/cache-marks.ts";
export type { Timeouts } from "./call/model-calls.ts";
export type { RetryPolicy } from "./call/retry.ts";
export {
  capabilitiesOf,
  type CapabilityRow,
  type CapabilitySnapshot,
  defaultMaxOutputTokens,
  loadCapabilities,
  type ModelCapabilities,
} from "./capabilities.ts";
export {
  isModelError,
  MODEL_FAILURE_KINDS,
  modelError,
  type ModelFailure,
  type ModelFailureKind,
  modelFailureKind,
  MODELS_ERRORS,
  type ModelsErrorCode,
} from "./errors.ts";
export {
  type GeneratedObject,
  generateObject,
  type GenerateObjectOptions,
} from "./generate-object.ts";
export { type ModelId, parseModelId } from "./model-id.ts";
export type {
  CallNote,
  FinishReason,
  Model,
  ModelMessages,
  ModelReply,
  ModelRequest,
  ModelStreamPart,
  ModelToolCall,
  ResponseFormat,
  RetryNotice,
} from "./model-types.ts";
export { checkThoughtLevel } from "./reasoning/chosen-level.ts";
export { isThoughtLevel, THOUGHT_LEVELS, type ThoughtLevel } from "./reasoning/thought-level.ts";
export { MODEL_PREFIXES, PROVIDERS } from "./providers/catalogue.ts";
export type { ProviderRow } from "./providers/provider-row.ts";
export { resolveModel, type ResolveOptions } from "./resolve.ts";
export { addUsage, NO_USAGE, type Usage, usageOf } from "./usage.ts";
