import { type Logger, silentLogger } from "@acumen/core";
import { DEFAULT_TIMEOUTS, ModelCalls, type Timeouts } from "./call/model-calls.ts";
import { DEFAULT_RETRY, type RetryPolicy } from "./call/retry.ts";
import { capabilitiesOf, loadCapabilities, type ModelCapabilities } from "./capabilities.ts";
import { modelError } from "./errors.ts";
import type { FailureContext } from "./failure/classify.ts";
import { FILE_PREFIXES, type ModelId, parseModelId } from "./model-id.ts";
import type { Model } from "./model-types.ts";
import { ProviderModel } from "./provider-model.ts";
import { baseUrlOf } from "./providers/base-url.ts";
import { providerRow } from "./providers/catalogue.ts";
import type { Environment } from "./providers/credentials.ts";
import type { PackageLoader } from "./providers/load-package.ts";
import { openProvider } from "./providers/open-provider.ts";
import type { OpenedModel } from "./providers/opened-model.ts";
import type { ProviderRow } from "./providers/provider-row.ts";

export interface ResolveOptions {
  /** Where keys and addresses are looked up; nothing else is read. */
  readonly env: Environment;
  /** Accept `scripted/…` and `recorded/…`: only for ids from flags and environment of the starting process. */
  readonly allowScripted?: boolean;
  readonly fetch?: typeof fetch;
  readonly logger?: Logger;
  readonly retry?: Partial<RetryPolicy>;
  readonly timeouts?: Partial<Timeouts>;
  /** Loads the package of an optional provider; default `import()`. */
  readonly loadPackage?: PackageLoader;
}

/**
 * The model of an id. Loads the provider's package and looks up its key; makes no request.
 * @throws MODEL_FAILED of kind `unknown_model`, `auth`, `not_installed` or `bad_request` (an unusable address);
 * MODEL_SCRIPT_INVALID for a script that cannot be read
 */
export async function resolveModel(id: string, options: ResolveOptions): Promise<Model> {
  const parsed = parseModelId(id);
  if (FILE_PREFIXES.some((prefix) => prefix === parsed.provider)) {
    return resolveFileModel(id, parsed, options);
  }
  const row = providerRow(parsed.provider);
  if (row === undefined) throw new Error(`parseModelId let the prefix ${parsed.provider} pass`);
  const opened = await openProvider(row, parsed, {
    env: options.env,
    ...(options.fetch !== undefined && { fetch: options.fetch }),
    ...(options.loadPackage !== undefined && { load: options.loadPackage }),
  });
  const capabilities = capabilitiesOf(parsed, await loadCapabilities());
  const failure = failureContext(row, parsed, opened, options.env);
  return assemble(id, { parsed, opened, capabilities, failure, options });
}

async function resolveFileModel(
  id: string,
  parsed: ModelId,
  options: ResolveOptions,
): Promise<Model> {
  if (options.allowScripted !== true) {
    throw modelError(
      `Model "${parsed.provider}/…" replays a file and is accepted only from the flags and the environment of the process that starts.`,
      { provider: parsed.provider, model: parsed.model, kind: "unknown_model" },
    );
  }
  const { openFileModel } = await import("./testing/open-file-model.ts");
  const { opened, contextWindow } = await openFileModel(parsed, options.env);
  const { snapshotDate } = await loadCapabilities();
  const capabilities = { snapshotDate, ...(contextWindow !== undefined && { contextWindow }) };
  const failure = { ...parsed, title: `The ${parsed.provider} model`, secrets: [] };
  return assemble(id, { parsed, opened, capabilities, failure, options });
}

interface Parts {
  readonly parsed: ModelId;
  readonly opened: OpenedModel;
  readonly capabilities: ModelCapabilities;
  readonly failure: FailureContext;
  readonly options: Pick<ResolveOptions, "retry" | "timeouts" | "logger">;
}

/** Everything around a provider's model that makes it ours. */
function assemble(id: string, { parsed, opened, capabilities, failure, options }: Parts): Model {
  const calls = new ModelCalls({
    id: parsed,
    opened,
    capabilities,
    failure,
    retry: { ...DEFAULT_RETRY, ...options.retry },
    timeouts: { ...DEFAULT_TIMEOUTS, ...options.timeouts },
    logger: options.logger ?? silentLogger,
  });
  return new ProviderModel(id, parsed, capabilities, calls, opened.languageModel.supportedUrls);
}

function failureContext(
  row: ProviderRow,
  id: ModelId,
  opened: OpenedModel,
  env: Environment,
): FailureContext {
  const baseUrl = baseUrlOf(row, id, env);
  const [keyVariable] = row.keyVariables;
  return {
    ...id,
    title: row.title,
    ...(keyVariable !== undefined && { keyVariable }),
    ...(baseUrl !== undefined && { baseUrl: baseUrl.url, baseUrlVariable: baseUrl.variable }),
    ...(row.startHint !== undefined && { startHint: row.startHint }),
    secrets: opened.secrets,
  };
}
