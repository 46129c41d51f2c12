import type { WireName } from "@acumen/testkit";

/** One model id for each wire of the loopback servers, and the variable of its key; the last one needs none. */
export const WIRE_MODELS: readonly (readonly [wire: WireName, model: string, variable: string])[] =
  [
    ["openai-responses", "openai/responses/gpt-5-mini", "OPENAI_API_KEY"],
    ["openai-chat", "openai/gpt-4o-mini", "OPENAI_API_KEY"],
    ["anthropic", "anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY"],
    ["google", "gemini/gemini-2.5-flash", "GEMINI_API_KEY"],
    ["openai-compatible", "ollama/qwen3", "OLLAMA_API_KEY"],
  ];
