import type { ModelScript } from "./script.ts";
import type { WireName } from "./wire.ts";

export interface ModelServerOptions {
  readonly wire: WireName;
  readonly script: ModelScript;
  /** The only key that is accepted. Default: any key; the compatible wire then needs none at all. */
  readonly apiKey?: string;
  /** The models of the service. Default: every name of the service's own families (`gpt-…`, `claude-…`, `gemini-…`; compatible: all). */
  readonly models?: readonly string[];
}
