import { modelError } from "../errors.ts";
import { apiKeyOf, firstSet } from "./credentials.ts";
import type { Driver, DriverContext, OpenedModel } from "./opened-model.ts";

/** Nothing is stored at the service: the conversation is sent whole each time, reasoning comes back encrypted. */
const NOT_STORED = { openai: { store: false } };

export const openOpenAi: Driver = async (context) => {
  const { id, row, env, fetch } = context;
  const apiKey = apiKeyOf(row, id, env) ?? "";
  const { createOpenAI } = await import("@ai-sdk/openai");
  const organization = firstSet(env, ["OPENAI_ORG_ID", "OPENAI_ORGANIZATION"])?.value;
  const project = firstSet(env, ["OPENAI_PROJECT_ID"])?.value;
  const provider = createOpenAI({
    apiKey,
    baseURL: requiredBaseUrl(context),
    fetch,
    ...(organization !== undefined && { organization }),
    ...(project !== undefined && { project }),
  });
  const { api, name } = openAiApi(context);
  return {
    languageModel: api === "responses" ? provider.responses(name) : provider.chat(name),
    traits: {
      structuredOutput: "strict",
      looseSchema: { openai: { strictJsonSchema: false } },
      thoughts: "openai",
      toolSchemas: api === "responses" ? "openai-responses" : "openai",
      ...(api === "responses" && { providerOptions: NOT_STORED }),
    },
    secrets: secretsOf(context, apiKey, organization, project),
  };
};

/** Other hosts imitate Chat Completions, rarely the Responses API; the id may say which one (as LiteLLM's do). */
export function openAiApi({ id, baseUrl }: Pick<DriverContext, "id" | "baseUrl">): {
  readonly api: "responses" | "chat";
  readonly name: string;
} {
  const [, named, rest] = /^(responses|chat)\/(.+)$/s.exec(id.model) ?? [];
  if (named !== undefined && rest !== undefined) {
    return { api: named === "chat" ? "chat" : "responses", name: rest };
  }
  const host = new URL(baseUrl?.url ?? "https://api.openai.com").hostname;
  const own = host === "api.openai.com" || host.endsWith(".api.openai.com");
  return { api: own ? "responses" : "chat", name: id.model };
}

export const openAnthropic: Driver = async (context) => {
  const { id, row, env, fetch } = context;
  const key = apiKeyOf(row, id, env) ?? "";
  const { createAnthropic } = await import("@ai-sdk/anthropic");
  const isToken = firstSet(env, row.keyVariables)?.variable === "ANTHROPIC_AUTH_TOKEN";
  const provider = createAnthropic({
    ...(isToken ? { authToken: key } : { apiKey: key }),
    baseURL: requiredBaseUrl(context),
    fetch,
  });
  return {
    languageModel: provider(id.model),
    traits: {
      structuredOutput: "schema",
      cacheMarks: "anthropic",
      toolSchemas: "anthropic",
      thoughts: "anthropic",
    },
    secrets: secretsOf(context, key),
  };
};

export const openGoogle: Driver = async (context) => {
  const { id, row, env, fetch } = context;
  const apiKey = apiKeyOf(row, id, env) ?? "";
  const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
  const provider = createGoogleGenerativeAI({ apiKey, baseURL: requiredBaseUrl(context), fetch });
  return {
    languageModel: provider(id.model),
    traits: { structuredOutput: "schema", toolSchemas: "google", thoughts: "google" },
    secrets: secretsOf(context, apiKey),
  };
};

export const openCompatible: Driver = async (context) => {
  const { id, row, env, fetch, baseUrl } = context;
  const apiKey = apiKeyOf(row, id, env);
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const baseURL = requiredBaseUrl(context);
  const provider = createOpenAICompatible({
    name: row.prefix,
    baseURL,
    fetch,
    includeUsage: true,
    supportsStructuredOutputs: row.structuredOutput !== "object",
    ...(apiKey !== undefined && row.prefix !== "azure_ai" && { apiKey }),
    headers: {
      ...baseUrl?.headers,
      // Foundry takes its keys in a header of its own.
      ...(apiKey !== undefined && row.prefix === "azure_ai" && { "api-key": apiKey }),
    },
    ...(row.prefix === "azure_ai" &&
      baseURL.endsWith("/models") && {
        queryParams: { "api-version": env["AZURE_AI_API_VERSION"] ?? "2024-05-01-preview" },
      }),
  });
  return {
    languageModel: provider(compatibleName(row.prefix, id.model)),
    traits: {
      structuredOutput: row.structuredOutput ?? "strict",
      looseSchema: { openaiCompatible: { strictJsonSchema: false } },
      thoughts: "compatible",
      toolSchemas: "openai",
    },
    secrets: secretsOf(context, apiKey),
  };
};

/** LiteLLM's spelling of a name -> the service's. */
function compatibleName(prefix: string, model: string): string {
  if (prefix === "fireworks_ai") {
    return /[/#]/.test(model) ? model : `accounts/fireworks/models/${model}`;
  }
  if (prefix === "huggingface") {
    const [server, organisation, name, ...more] = model.split("/");
    return name !== undefined && more.length === 0 ? `${organisation}/${name}:${server}` : model;
  }
  return model;
}

/** @throws MODEL_FAILED of kind `bad_request` that names the variable */
export function requiredBaseUrl({ baseUrl, row, id }: DriverContext): string {
  if (baseUrl !== undefined) return baseUrl.url;
  throw modelError(
    `${row.title} has no address: set ${row.baseUrlVariables[0]}${row.prefix === "openai_compatible" ? ', for example to "http://127.0.0.1:8080/v1"' : ""}.`,
    { ...id, kind: "bad_request" },
  );
}

export function secretsOf(
  { baseUrl }: DriverContext,
  ...keys: readonly (string | undefined)[]
): OpenedModel["secrets"] {
  const all = [...keys, ...(baseUrl?.secrets ?? [])];
  return all.filter((text): text is string => text !== undefined && text !== "");
}
