// What is known about models and providers without asking one, for those who load nothing else.
// Adding a name here makes it public.
export {
  capabilitiesOf,
  type CapabilitySnapshot,
  loadCapabilities,
  type ModelCapabilities,
} from "./capabilities.ts";
export { type ModelId, parseModelId } from "./model-id.ts";
export { THOUGHT_LEVELS, type ThoughtLevel } from "./reasoning/thought-level.ts";
export { MODEL_PREFIXES, PROVIDERS } from "./providers/catalogue.ts";
export type { ProviderRow } from "./providers/provider-row.ts";
