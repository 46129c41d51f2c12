import { assembleModel, type CallSettings } from "./assemble.ts";
import { capabilitiesOf, loadCapabilities } from "./capabilities.ts";
import { modelError } from "./errors.ts";
import type { FailureContext } from "./failure/classify.ts";
import { FILE_PREFIXES, type ModelId, parseModelId } from "./model-id.ts";
import type { Model } from "./model-types.ts";
import { baseUrlOf } from "./providers/base-url.ts";
import { providerRow } from "./providers/catalogue.ts";
import { type Environment, firstSet } from "./providers/credentials.ts";
import type { PackageLoader } from "./providers/load-package.ts";
import { openProvider } from "./providers/open-provider.ts";
import type { OpenedModel } from "./providers/opened-model.ts";
import type { ProviderRow } from "./providers/provider-row.ts";

export interface ResolveOptions extends CallSettings {
  /** Where keys and addresses are looked up; nothing else is read. */
  readonly env: Environment;
  /** Accept `scripted/…` and `recorded/…`: only for ids from flags and environment of the starting process. */
  readonly allowScripted?: boolean;
  readonly fetch?: typeof fetch;
  /** Loads the package of an optional provider; default `import()`. */
  readonly loadPackage?: PackageLoader;
  /** File to which answers are appended, for `recorded/…` to replay. Prompts are not written, answers are. */
  readonly recordTo?: string;
}

/**
 * The model of an id. Loads the provider's package and looks up its key; makes no request.
 * @throws MODEL_FAILED of kind `unknown_model`, `auth`, `not_installed` or `bad_request` (an unusable address);
 * MODEL_SCRIPT_INVALID for a script that cannot be read
 */
export async function resolveModel(id: string, options: ResolveOptions): Promise<Model> {
  const parsed = parseModelId(id);
  const row = providerRow(parsed.provider);
  return row === undefined
    ? resolveFileModel(id, parsed, options)
    : resolveProviderModel(id, parsed, row, options);
}

async function resolveProviderModel(
  id: string,
  parsed: ModelId,
  row: ProviderRow,
  options: ResolveOptions,
): Promise<Model> {
  const { env, fetch, loadPackage, recordTo } = options;
  const provided = await openProvider(row, parsed, {
    env,
    ...(fetch !== undefined && { fetch }),
    ...(loadPackage !== undefined && { load: loadPackage }),
  });
  const opened = recordTo === undefined ? provided : await recorded(provided, parsed, recordTo);
  return assembleModel(id, {
    parsed,
    opened,
    capabilities: capabilitiesOf(parsed, await loadCapabilities()),
    failure: failureContext(row, parsed, opened, env),
    settings: options,
  });
}

async function recorded(opened: OpenedModel, id: ModelId, path: string): Promise<OpenedModel> {
  const { recordAnswers } = await import("./testing/recorded-model.ts");
  return recordAnswers(opened, id, path);
}

async function resolveFileModel(
  id: string,
  parsed: ModelId,
  options: ResolveOptions,
): Promise<Model> {
  if (options.allowScripted !== true) {
    throw modelError(
      `Models of the prefixes ${FILE_PREFIXES.join(" and ")} replay a file; they are accepted only from the flags and the environment of the process that starts.`,
      { ...parsed, kind: "unknown_model" },
    );
  }
  const { openFileModel } = await import("./testing/open-file-model.ts");
  const { opened, capabilities } = await openFileModel(parsed);
  const { snapshotDate } = await loadCapabilities();
  return assembleModel(id, {
    parsed,
    opened,
    capabilities: { snapshotDate, ...capabilities },
    failure: { ...parsed, title: `The ${parsed.provider} model`, secrets: [] },
    settings: options,
  });
}

function failureContext(
  row: ProviderRow,
  id: ModelId,
  opened: OpenedModel,
  env: Environment,
): FailureContext {
  const baseUrl = baseUrlOf(row, id, env);
  const keyVariable = keyVariableOf(row, env);
  return {
    ...id,
    title: row.title,
    ...(keyVariable !== undefined && { keyVariable }),
    ...(baseUrl !== undefined && { baseUrl: baseUrl.url, baseUrlVariable: baseUrl.variable }),
    ...(row.startHint !== undefined && { startHint: row.startHint }),
    secrets: opened.secrets,
  };
}

/** The variable that the key came from, else the first that could hold it. */
function keyVariableOf(row: ProviderRow, env: Environment): string | undefined {
  const found = firstSet(env, row.keyVariables)?.variable;
  // Without a key Vertex AI was signed in to in another way.
  return found ?? (row.driver === "vertex" ? undefined : row.keyVariables[0]);
}
