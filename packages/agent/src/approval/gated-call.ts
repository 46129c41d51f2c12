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

/**
 * Whether a command runs in a folder that the user named. In one below it the files decide what a program does, such as the
 * settings of a repository that a model wrote there, so that what is allowed for good does not hold there.
 */
export function isNamedFolder(cwd: string, workspace: GateWorkspace): boolean {
  return cwd === workspace.cwd || workspace.directories.includes(cwd);
}
