import type { ToolKind } from "../events/event-payloads.ts";
import type { CallPreview, ToolOrigin } from "../tools/tool.ts";

/** A prepared call in front of the gate. */
export interface GatedCall {
  readonly sessionId: string;
  readonly turnId: string;
  readonly callId: string;
  /** Raw name. */
  readonly tool: string;
  /** Name under which the model called it. */
  readonly exposedName: string;
  readonly origin: ToolOrigin;
  readonly kind: ToolKind;
  readonly input: unknown;
  readonly preview: CallPreview;
}

export interface GateWorkspace {
  /** Absolute real path. */
  readonly cwd: string;
  /** Further directories; absolute real paths. */
  readonly directories: readonly string[];
}
