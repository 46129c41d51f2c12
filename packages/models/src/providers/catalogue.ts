import { COMPATIBLE_ROWS } from "./compatible-rows.ts";
import type { ProviderRow } from "./provider-row.ts";

const OWN_ROWS: readonly ProviderRow[] = [
  {
    prefix: "openai",
    title: "OpenAI",
    driver: "openai",
    package: "@ai-sdk/openai",
    keyVariables: ["OPENAI_API_KEY"],
    baseUrlVariables: ["OPENAI_BASE_URL", "OPENAI_API_BASE"],
    defaultBaseUrl: "https://api.openai.com/v1",
    basePath: "/v1",
    keyPage: "https://platform.openai.com/api-keys",
    notes:
      "Responses API, nothing stored at the service; another host than `api.openai.com` gets Chat Completions, unless the id says `openai/responses/…` (`openai/chat/…` the other way round)",
  },
  {
    prefix: "anthropic",
    title: "Anthropic",
    driver: "anthropic",
    package: "@ai-sdk/anthropic",
    keyVariables: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
    baseUrlVariables: ["ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE"],
    defaultBaseUrl: "https://api.anthropic.com/v1",
    basePath: "/v1",
    keyPage: "https://console.anthropic.com/settings/keys",
    notes: "prompt-cache marks on the system text and on marked parts",
  },
  {
    prefix: "gemini",
    title: "Google Gemini API",
    driver: "google",
    package: "@ai-sdk/google",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    baseUrlVariables: ["GEMINI_BASE_URL", "GEMINI_API_BASE", "GOOGLE_GEMINI_BASE_URL"],
    defaultBaseUrl: "https://generativelanguage.googleapis.com/v1beta",
    basePath: "/v1beta",
    keyPage: "https://aistudio.google.com/apikey",
  },
  {
    prefix: "bedrock",
    title: "Amazon Bedrock",
    driver: "bedrock",
    package: "@ai-sdk/amazon-bedrock",
    peer: "4",
    keyVariables: ["AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID"],
    baseUrlVariables: [
      "BEDROCK_BASE_URL",
      "BEDROCK_API_BASE",
      "AWS_BEDROCK_RUNTIME_ENDPOINT",
      "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
    ],
    notes:
      "Converse API; `AWS_ACCESS_KEY_ID` needs `AWS_SECRET_ACCESS_KEY` (and `AWS_SESSION_TOKEN` for temporary keys); region from `AWS_REGION_NAME`, `AWS_REGION` or `AWS_DEFAULT_REGION`; profiles are not read",
  },
  {
    prefix: "azure",
    title: "Azure OpenAI",
    driver: "azure",
    package: "@ai-sdk/azure",
    peer: "3",
    keyVariables: ["AZURE_API_KEY", "AZURE_OPENAI_API_KEY"],
    baseUrlVariables: ["AZURE_API_BASE", "AZURE_BASE_URL", "AZURE_OPENAI_ENDPOINT"],
    basePath: "/openai",
    notes:
      "the name is your deployment; Chat Completions, `azure/responses/…` for the Responses API; the base URL is `https://RESOURCE.openai.azure.com`; `AZURE_API_VERSION` is optional",
  },
  {
    prefix: "vertex_ai",
    title: "Google Vertex AI",
    driver: "vertex",
    package: "@ai-sdk/google-vertex",
    peer: "4",
    keyVariables: ["GOOGLE_VERTEX_API_KEY"],
    keyOptional: true,
    baseUrlVariables: [
      "VERTEX_BASE_URL",
      "VERTEXAI_API_BASE",
      "VERTEX_API_BASE",
      "VERTEX_AI_BASE_URL",
      "VERTEX_AI_API_BASE",
    ],
    notes:
      "`VERTEXAI_PROJECT` and `VERTEXAI_LOCATION` with Google's application default credentials, or the express mode's key; `vertex_ai/claude-…` works too",
  },
  {
    prefix: "groq",
    title: "Groq",
    driver: "groq",
    package: "@ai-sdk/groq",
    peer: "3",
    keyVariables: ["GROQ_API_KEY"],
    baseUrlVariables: ["GROQ_BASE_URL", "GROQ_API_BASE"],
    defaultBaseUrl: "https://api.groq.com/openai/v1",
    basePath: "/openai/v1",
  },
  {
    prefix: "mistral",
    title: "Mistral AI",
    driver: "mistral",
    package: "@ai-sdk/mistral",
    peer: "3",
    keyVariables: ["MISTRAL_API_KEY"],
    baseUrlVariables: ["MISTRAL_BASE_URL", "MISTRAL_API_BASE"],
    defaultBaseUrl: "https://api.mistral.ai/v1",
    basePath: "/v1",
  },
  {
    prefix: "deepseek",
    title: "DeepSeek",
    driver: "deepseek",
    package: "@ai-sdk/deepseek",
    peer: "2",
    keyVariables: ["DEEPSEEK_API_KEY"],
    baseUrlVariables: ["DEEPSEEK_BASE_URL", "DEEPSEEK_API_BASE"],
    defaultBaseUrl: "https://api.deepseek.com",
    notes: "structured output through JSON mode and the schema in the prompt",
  },
  {
    prefix: "xai",
    title: "xAI",
    driver: "xai",
    package: "@ai-sdk/xai",
    peer: "3",
    keyVariables: ["XAI_API_KEY"],
    baseUrlVariables: ["XAI_BASE_URL", "XAI_API_BASE"],
    defaultBaseUrl: "https://api.x.ai/v1",
    basePath: "/v1",
    notes: "Chat Completions",
  },
  {
    prefix: "openrouter",
    title: "OpenRouter",
    driver: "openrouter",
    package: "@openrouter/ai-sdk-provider",
    peer: "2",
    keyVariables: ["OPENROUTER_API_KEY"],
    baseUrlVariables: ["OPENROUTER_BASE_URL", "OPENROUTER_API_BASE"],
    defaultBaseUrl: "https://openrouter.ai/api/v1",
    basePath: "/api/v1",
  },
];

/** Every provider, those with a package of their own first. */
export const PROVIDERS: readonly ProviderRow[] = [...OWN_ROWS, ...COMPATIBLE_ROWS];

export function providerRow(prefix: string): ProviderRow | undefined {
  return PROVIDERS.find((row) => row.prefix === prefix);
}

export const MODEL_PREFIXES: readonly string[] = PROVIDERS.map(({ prefix }) => prefix);
