import type { LanguageModelV3 } from "@ai-sdk/provider";
import { modelError } from "../errors.ts";
import { openAiApi, requiredBaseUrl, secretsOf } from "./builtin-drivers.ts";
import { apiKeyOf, type Environment, firstSet } from "./credentials.ts";
import { loadExport } from "./load-package.ts";
import type { Driver, DriverContext, OpenedModel, WireTraits } from "./opened-model.ts";

/** The part of an optional peer's factory that is used; its own types are not there when it is not installed. */
type Factory = (settings: Readonly<Record<string, unknown>>) => Provider;
interface Provider {
  (model: string): LanguageModelV3;
  chat(model: string): LanguageModelV3;
  responses(model: string): LanguageModelV3;
}

/** Packages whose factory takes `{apiKey, baseURL, fetch}` and whose provider is called with the name. */
function keyedDriver(factory: string, traits: WireTraits, api?: "chat"): Driver {
  return async (context) => {
    const { id, row, env, fetch } = context;
    const create = await loadExport<Factory>(context, factory);
    const apiKey = apiKeyOf(row, id, env) ?? "";
    const provider = create({ apiKey, baseURL: requiredBaseUrl(context), fetch });
    return {
      languageModel: api === undefined ? provider(id.model) : provider[api](id.model),
      traits,
      secrets: secretsOf(context, apiKey),
    };
  };
}

export const openGroq = keyedDriver("createGroq", {
  structuredOutput: "strict",
  looseSchema: { groq: { strictJsonSchema: false } },
  toolSchemas: "openai",
  thoughts: "groq",
});
export const openMistral = keyedDriver("createMistral", {
  structuredOutput: "schema",
  toolSchemas: "openai",
  thoughts: "mistral",
});
export const openDeepSeek = keyedDriver("createDeepSeek", {
  structuredOutput: "object",
  toolSchemas: "openai",
  thoughts: "deepseek",
});
export const openXai = keyedDriver(
  "createXai",
  { structuredOutput: "strict", toolSchemas: "openai" },
  "chat",
);
export const openOpenRouter = keyedDriver(
  "createOpenRouter",
  // A schema that OpenAI takes is one that the services behind this one take too.
  { structuredOutput: "strict", cacheMarks: "openrouter", toolSchemas: "openai" },
  "chat",
);

export const openBedrock: Driver = async (context) => {
  const { id, row, env, fetch, baseUrl } = context;
  const create = await loadExport<Factory>(context, "createAmazonBedrock");
  const token = firstSet(env, ["AWS_BEARER_TOKEN_BEDROCK"])?.value;
  const keys = token === undefined ? awsKeys(context) : {};
  const region = firstSet(env, ["AWS_REGION_NAME", "AWS_REGION", "AWS_DEFAULT_REGION"])?.value;
  if (region === undefined && baseUrl === undefined) {
    throw modelError(`${row.title} needs a region: set AWS_REGION, for example to "us-east-1".`, {
      ...id,
      kind: "bad_request",
    });
  }
  const provider = create({
    // Empty and not absent: the package would look into the environment of the process by itself.
    apiKey: token ?? "",
    region: region ?? "us-east-1",
    ...keys,
    ...(baseUrl !== undefined && { baseURL: baseUrl.url }),
    fetch,
  });
  const model = id.model.replace(/^(?:converse|converse_like)\//, "");
  return {
    languageModel: provider(model),
    traits: {
      structuredOutput: "schema",
      toolSchemas: "anthropic",
      thoughts: "bedrock",
      ...(/anthropic|claude|nova/.test(model) && { cacheMarks: "bedrock" }),
    },
    secrets: secretsOf(context, token, ...Object.values(keys)),
  };
};

function awsKeys({ env, id, row }: DriverContext): Record<string, string> {
  const accessKeyId = firstSet(env, ["AWS_ACCESS_KEY_ID"])?.value;
  const secretAccessKey = firstSet(env, ["AWS_SECRET_ACCESS_KEY"])?.value;
  const sessionToken = firstSet(env, ["AWS_SESSION_TOKEN"])?.value;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw modelError(
      `No key for ${row.title}: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (with AWS_SESSION_TOKEN for temporary keys), or AWS_BEARER_TOKEN_BEDROCK. Profiles are not read: \`aws configure export-credentials --format env\` prints them as variables.`,
      { ...id, kind: "auth" },
    );
  }
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
}

export const openAzure: Driver = async (context) => {
  const { id, row, env, fetch, baseUrl } = context;
  const create = await loadExport<Factory>(context, "createAzure");
  const apiKey = apiKeyOf(row, id, env) ?? "";
  const resourceName = firstSet(env, ["AZURE_RESOURCE_NAME"])?.value;
  if (resourceName === undefined || baseUrl !== undefined) requiredBaseUrl(context);
  const apiVersion = firstSet(env, ["AZURE_API_VERSION"])?.value;
  const provider = create({
    apiKey,
    fetch,
    ...(baseUrl === undefined ? { resourceName } : { baseURL: baseUrl.url }),
    ...deploymentUrls(apiVersion),
  });
  const { api, name } = openAiApi({
    id: /^(?:responses|chat)\//.test(id.model) ? id : { ...id, model: `chat/${id.model}` },
  });
  return {
    languageModel: provider[api](name),
    traits: {
      structuredOutput: "strict",
      looseSchema: {
        openai: { strictJsonSchema: false },
        azure: { strictJsonSchema: false },
      },
      thoughts: "azure",
      toolSchemas: api === "responses" ? "openai-responses" : "openai",
      ...(api === "responses" && {
        providerOptions: { openai: { store: false }, azure: { store: false } },
      }),
    },
    secrets: secretsOf(context, apiKey),
  };
};

/** Dated versions exist for addresses with the deployment in them only; the newer address has no version, or `preview`. */
function deploymentUrls(apiVersion: string | undefined): Record<string, unknown> {
  if (apiVersion === undefined) return {};
  return /^\d{4}-\d\d-\d\d/.test(apiVersion)
    ? { apiVersion, useDeploymentBasedUrls: true }
    : { apiVersion };
}

export const openVertex: Driver = async (context) => {
  const { id, env, fetch, baseUrl, row } = context;
  const isClaude = id.model.startsWith("claude");
  const create = isClaude
    ? await loadExport<Factory>({ ...context, entry: "/anthropic" }, "createVertexAnthropic")
    : await loadExport<Factory>(context, "createVertex");
  const apiKey = isClaude ? undefined : apiKeyOf(row, id, env);
  const settings = apiKey === undefined ? vertexPlace(context, env) : { apiKey };
  const provider = create({
    ...settings,
    ...(baseUrl !== undefined && { baseURL: baseUrl.url }),
    fetch,
  });
  return {
    languageModel: provider(id.model),
    traits: {
      structuredOutput: "schema",
      toolSchemas: isClaude ? "anthropic" : "google",
      thoughts: isClaude ? "anthropic" : "google",
      ...(isClaude && { cacheMarks: "anthropic" }),
    },
    secrets: secretsOf(context, apiKey),
  } satisfies OpenedModel;
};

function vertexPlace({ id, row }: DriverContext, env: Environment): Record<string, string> {
  const project = firstSet(env, [
    "VERTEXAI_PROJECT",
    "GOOGLE_VERTEX_PROJECT",
    "GOOGLE_CLOUD_PROJECT",
  ]);
  const location = firstSet(env, [
    "VERTEXAI_LOCATION",
    "GOOGLE_VERTEX_LOCATION",
    "GOOGLE_CLOUD_LOCATION",
  ]);
  if (project === undefined) {
    throw modelError(
      `No sign-in for ${row.title}: set VERTEXAI_PROJECT (and VERTEXAI_LOCATION, default "us-central1") and run \`gcloud auth application-default login\`, or set GOOGLE_VERTEX_API_KEY.`,
      { ...id, kind: "auth" },
    );
  }
  return { project: project.value, location: location?.value ?? "us-central1" };
}
