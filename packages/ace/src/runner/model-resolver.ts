import { modelError } from "../errors.ts";
import type { RoleSet } from "../roles/role-set.ts";
import { checkModelSettings, checkText, type ModelSettings } from "./ace-options.ts";

/** Named here again, because importing the roles for it would load them at every start. */
const RECALL_MODEL = "builtin/recall";

/** Providers by the prefixes that LiteLLM gives them. */
const PROVIDERS: Readonly<Record<string, string>> = {
  openai: "openai",
  anthropic: "anthropic",
  gemini: "google",
  bedrock: "amazon-bedrock",
  azure: "azure",
  azure_ai: "azure_ai",
  vertex_ai: "google-vertex",
  groq: "groq",
  mistral: "mistral",
  deepseek: "deepseek",
  xai: "xai",
  openrouter: "openrouter",
  ollama: "ollama",
  ollama_chat: "ollama",
  lm_studio: "lm_studio",
  hosted_vllm: "hosted_vllm",
  openai_compatible: "openai_compatible",
  cohere: "cohere",
  together_ai: "together_ai",
  fireworks_ai: "fireworks_ai",
  perplexity: "perplexity",
  huggingface: "huggingface",
  nvidia_nim: "nvidia_nim",
  cerebras: "cerebras",
  moonshot: "moonshot",
};

/** How LiteLLM reads names without a prefix. */
const BARE_NAMES = [
  [/^(gpt|chatgpt|o\d)/i, "openai"],
  [/^claude/i, "anthropic"],
  [/^gemini/i, "google"],
] as const;

const OFFLINE_HINT = `Use "${RECALL_MODEL}" to try it offline.`;
const SHOWN_ID_CHARS = 100;

/**
 * The three roles for a model id.
 * @throws ACE_MODEL_FAILED, details.kind `not_installed` (a known provider, which this version does not drive yet) or
 * `unknown_model`; ACE_OPTION_INVALID for settings out of range
 */
export async function resolveRoles(
  modelId: string,
  settings: ModelSettings = {},
): Promise<RoleSet> {
  checkText("model", modelId, "filled");
  checkModelSettings(settings);
  if (modelId === RECALL_MODEL) {
    const { createRecallRoles } = await import("../roles/recall/index.ts");
    return createRecallRoles();
  }
  const model = printable(modelId);
  const provider = providerOf(modelId);
  if (provider !== undefined) {
    throw modelError(
      `Model "${model}" needs language models of ${provider}, which are not installed here. ${OFFLINE_HINT}`,
      { provider, model, kind: "not_installed" },
    );
  }
  throw modelError(
    `No provider is known for model "${model}". Known prefixes: ${Object.keys(PROVIDERS).join(", ")}. ${OFFLINE_HINT}`,
    { provider: "unknown", model, kind: "unknown_model" },
  );
}

function providerOf(modelId: string): string | undefined {
  const slash = modelId.indexOf("/");
  const prefix = modelId.slice(0, Math.max(slash, 0));
  const hasName = slash < modelId.length - 1;
  if (slash > 0) {
    return hasName && Object.hasOwn(PROVIDERS, prefix) ? PROVIDERS[prefix] : undefined;
  }
  return BARE_NAMES.find(([pattern]) => pattern.test(modelId))?.[1];
}

/** Ids may come over a wire: shown on one line and bounded. */
function printable(modelId: string): string {
  return modelId.replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, "").slice(0, SHOWN_ID_CHARS);
}
