/** How a provider is reached; `openai-chat` and `openai-responses` are chosen by the base URL. */
export type ProviderDriver =
  | "openai"
  | "anthropic"
  | "google"
  | "compatible"
  | "bedrock"
  | "azure"
  | "vertex"
  | "groq"
  | "mistral"
  | "deepseek"
  | "xai"
  | "openrouter";

/** One provider as data. Variables are listed in the order in which they are looked up; errors name the first. */
export interface ProviderRow {
  /** LiteLLM's prefix of the model id. */
  readonly prefix: string;
  readonly title: string;
  readonly driver: ProviderDriver;
  /** npm package that speaks to it. */
  readonly package: string;
  /** Version range of an optional peer; absent for what comes built in. */
  readonly peer?: string;
  readonly keyVariables: readonly string[];
  /** The provider works without a key, or has another way to sign in. */
  readonly keyOptional?: true;
  readonly baseUrlVariables: readonly string[];
  readonly defaultBaseUrl?: string;
  /** Appended to a base URL that has no path of its own, such as `http://127.0.0.1:11434`. */
  readonly basePath?: string;
  /** Chat Completions only: the service knows JSON mode but no schema. */
  readonly structuredOutput?: "object";
  /** How to start it, for a server on this machine. */
  readonly startHint?: string;
  /** For the table in docs/models.md. */
  readonly notes?: string;
  /** For the error of a missing key: where keys are made. */
  readonly keyPage?: string;
}
