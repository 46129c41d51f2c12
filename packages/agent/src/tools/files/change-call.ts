import { textBlock } from "../../content/content-block.ts";
import type { FileDiff, FileLocation } from "../../events/event-payloads.ts";
import { commitChanges, type FileChange } from "../../workspace/commit-changes.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { PreparedCall } from "../tool.ts";
import { failedWhenRefused } from "./file-outcome.ts";
import type { FileToolDeps } from "./file-tool-deps.ts";

/** A call that changes files: what is shown is what it does, or it does nothing. */
export interface ChangeCall {
  readonly title: string;
  readonly changes: readonly FileChange[];
  readonly diff: readonly FileDiff[];
  readonly locations: readonly FileLocation[];
  /** Said when it is done. */
  readonly done: string;
}

export function changeCall(
  workspace: Workspace,
  { operations, beforeWrite, reads, redact }: FileToolDeps,
  { title, changes, diff, locations, done }: ChangeCall,
): PreparedCall {
  const shown = diff.map(({ path, old_text, new_text }) => ({
    path,
    old_text: old_text === null ? null : redact(old_text),
    new_text: redact(new_text),
  }));
  return {
    ok: true,
    preview: {
      title,
      risk: "write",
      subject: { type: "files", access: "write", paths: changes.map(({ place }) => place.path) },
      locations,
      diff: shown,
    },
    run: ({ seq, signal }) =>
      failedWhenRefused(async () => {
        const context = { workspace, operations, beforeWrite, reads, seq, signal };
        const seen = await commitChanges(changes, context);
        return { status: "completed", output: [textBlock(done)], diff: shown, seen };
      }),
  };
}
