import type { ProviderRow } from "./provider-row.ts";

type CompatibleRow = Omit<ProviderRow, "driver" | "package" | "peer">;

const HOSTED: readonly CompatibleRow[] = [
  {
    prefix: "cohere",
    title: "Cohere",
    keyVariables: ["COHERE_API_KEY", "CO_API_KEY"],
    baseUrlVariables: ["COHERE_BASE_URL", "COHERE_API_BASE"],
    defaultBaseUrl: "https://api.cohere.ai/compatibility/v1",
    basePath: "/compatibility/v1",
  },
  {
    prefix: "together_ai",
    title: "Together AI",
    keyVariables: ["TOGETHERAI_API_KEY", "TOGETHER_AI_API_KEY", "TOGETHER_API_KEY"],
    baseUrlVariables: [
      "TOGETHERAI_BASE_URL",
      "TOGETHERAI_API_BASE",
      "TOGETHER_AI_BASE_URL",
      "TOGETHER_AI_API_BASE",
    ],
    defaultBaseUrl: "https://api.together.xyz/v1",
    basePath: "/v1",
  },
  {
    prefix: "fireworks_ai",
    title: "Fireworks AI",
    keyVariables: ["FIREWORKS_API_KEY", "FIREWORKS_AI_API_KEY"],
    baseUrlVariables: [
      "FIREWORKS_BASE_URL",
      "FIREWORKS_API_BASE",
      "FIREWORKS_AI_BASE_URL",
      "FIREWORKS_AI_API_BASE",
    ],
    defaultBaseUrl: "https://api.fireworks.ai/inference/v1",
    basePath: "/inference/v1",
    notes: "short names get `accounts/fireworks/models/` in front",
  },
  {
    prefix: "perplexity",
    title: "Perplexity",
    keyVariables: ["PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"],
    baseUrlVariables: ["PERPLEXITY_BASE_URL", "PERPLEXITY_API_BASE", "PERPLEXITYAI_API_BASE"],
    defaultBaseUrl: "https://api.perplexity.ai",
  },
  {
    prefix: "huggingface",
    title: "Hugging Face router",
    keyVariables: ["HF_TOKEN", "HUGGINGFACE_API_KEY", "HUGGING_FACE_HUB_TOKEN"],
    baseUrlVariables: ["HF_BASE_URL", "HUGGINGFACE_BASE_URL", "HUGGINGFACE_API_BASE"],
    defaultBaseUrl: "https://router.huggingface.co/v1",
    basePath: "/v1",
    notes: "`huggingface/ORG/MODEL`, or `huggingface/PROVIDER/ORG/MODEL` to choose who serves it",
  },
  {
    prefix: "azure_ai",
    title: "Azure AI Foundry",
    keyVariables: ["AZURE_AI_API_KEY"],
    baseUrlVariables: ["AZURE_AI_API_BASE", "AZURE_AI_BASE_URL"],
    basePath: "/models",
    notes:
      "the base URL is that of your resource; one that ends with `/models` also gets `AZURE_AI_API_VERSION` (default `2024-05-01-preview`)",
  },
  {
    prefix: "nvidia_nim",
    title: "NVIDIA NIM",
    keyVariables: ["NVIDIA_NIM_API_KEY", "NVIDIA_API_KEY"],
    baseUrlVariables: ["NVIDIA_NIM_BASE_URL", "NVIDIA_NIM_API_BASE"],
    defaultBaseUrl: "https://integrate.api.nvidia.com/v1",
    basePath: "/v1",
  },
  {
    prefix: "cerebras",
    title: "Cerebras",
    keyVariables: ["CEREBRAS_API_KEY"],
    baseUrlVariables: ["CEREBRAS_BASE_URL", "CEREBRAS_API_BASE"],
    defaultBaseUrl: "https://api.cerebras.ai/v1",
    basePath: "/v1",
  },
  {
    prefix: "moonshot",
    title: "Moonshot AI",
    keyVariables: ["MOONSHOT_API_KEY"],
    baseUrlVariables: ["MOONSHOT_BASE_URL", "MOONSHOT_API_BASE"],
    defaultBaseUrl: "https://api.moonshot.ai/v1",
    basePath: "/v1",
    structuredOutput: "object",
    notes: "structured output through JSON mode and the schema in the prompt",
  },
];

/** The address is written with digits: `localhost` may mean ::1 first, where these servers do not listen. */
const LOCAL: readonly CompatibleRow[] = [
  {
    prefix: "ollama",
    title: "Ollama",
    keyVariables: ["OLLAMA_API_KEY"],
    keyOptional: true,
    baseUrlVariables: ["OLLAMA_BASE_URL", "OLLAMA_API_BASE"],
    defaultBaseUrl: "http://127.0.0.1:11434/v1",
    basePath: "/v1",
    startHint: "start it with `ollama serve` and fetch the model with `ollama pull`",
  },
  {
    prefix: "ollama_chat",
    title: "Ollama (LiteLLM's other name)",
    keyVariables: ["OLLAMA_API_KEY"],
    keyOptional: true,
    baseUrlVariables: [
      "OLLAMA_BASE_URL",
      "OLLAMA_API_BASE",
      "OLLAMA_CHAT_BASE_URL",
      "OLLAMA_CHAT_API_BASE",
    ],
    defaultBaseUrl: "http://127.0.0.1:11434/v1",
    basePath: "/v1",
    startHint: "start it with `ollama serve` and fetch the model with `ollama pull`",
  },
  {
    prefix: "lm_studio",
    title: "LM Studio",
    keyVariables: ["LM_STUDIO_API_KEY"],
    keyOptional: true,
    baseUrlVariables: ["LM_STUDIO_BASE_URL", "LM_STUDIO_API_BASE"],
    defaultBaseUrl: "http://127.0.0.1:1234/v1",
    basePath: "/v1",
    startHint: "start its server with `lms server start`, or in the Developer view",
  },
  {
    prefix: "hosted_vllm",
    title: "vLLM",
    keyVariables: ["HOSTED_VLLM_API_KEY"],
    keyOptional: true,
    baseUrlVariables: ["HOSTED_VLLM_BASE_URL", "HOSTED_VLLM_API_BASE"],
    defaultBaseUrl: "http://127.0.0.1:8000/v1",
    basePath: "/v1",
    startHint: "start it with `vllm serve MODEL`",
  },
  {
    prefix: "openai_compatible",
    title: "any server that speaks Chat Completions",
    keyVariables: ["OPENAI_COMPATIBLE_API_KEY"],
    keyOptional: true,
    baseUrlVariables: ["OPENAI_COMPATIBLE_BASE_URL", "OPENAI_COMPATIBLE_API_BASE"],
    basePath: "/v1",
    startHint: "start the server (llama.cpp: `llama-server -m MODEL.gguf --port 8080`)",
    notes: "needs the base URL, such as `http://127.0.0.1:8080/v1` for llama.cpp",
  },
];

/** Services that are nothing but a base URL and a key for the Chat Completions client. */
export const COMPATIBLE_ROWS: readonly ProviderRow[] = [...HOSTED, ...LOCAL].map((row) => ({
  ...row,
  driver: "compatible",
  package: "@ai-sdk/openai-compatible",
}));
