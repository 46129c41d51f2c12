import { type Logger, silentLogger } from "@acumen/core";
import { DEFAULT_TIMEOUTS, ModelCalls, type Timeouts } from "./call/model-calls.ts";
import { DEFAULT_RETRY, type RetryPolicy } from "./call/retry.ts";
import type { ModelCapabilities } from "./capabilities.ts";
import type { FailureContext } from "./failure/classify.ts";
import type { ModelId } from "./model-id.ts";
import type { Model } from "./model-types.ts";
import { ProviderModel } from "./provider-model.ts";
import type { OpenedModel } from "./providers/opened-model.ts";

export interface CallSettings {
  readonly retry?: Partial<RetryPolicy>;
  readonly timeouts?: Partial<Timeouts>;
  readonly logger?: Logger;
}

interface Parts {
  readonly parsed: ModelId;
  readonly opened: OpenedModel;
  readonly capabilities: ModelCapabilities;
  readonly failure: FailureContext;
  readonly settings: CallSettings;
}

/** Everything around a provider's model that makes it ours. */
export function assembleModel(
  id: string,
  { parsed, opened, capabilities, failure, settings }: Parts,
): Model {
  const calls = new ModelCalls({
    id: parsed,
    opened,
    capabilities,
    failure,
    retry: { ...DEFAULT_RETRY, ...settings.retry },
    timeouts: { ...DEFAULT_TIMEOUTS, ...settings.timeouts },
    logger: settings.logger ?? silentLogger,
  });
  return new ProviderModel(id, parsed, capabilities, calls, opened.languageModel.supportedUrls);
}
