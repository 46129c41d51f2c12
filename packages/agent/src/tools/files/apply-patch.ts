import { z } from "zod";
import { parsePatch } from "../../patch/parse-patch.ts";
import type { Patch } from "../../patch/patch.ts";
import type { FileChange } from "../../workspace/commit-changes.ts";
import { isFileRefused } from "../../workspace/file-refused.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { defineTool } from "../define-tool.ts";
import type { Tool } from "../tool.ts";
import { changeCall } from "./change-call.ts";
import type { FileToolDeps } from "./file-tool-deps.ts";
import { type PatchEffect, PatchPlanner } from "./patch-planner.ts";

const schema = z.strictObject({
  patch: z.string().describe('The whole patch, from "*** Begin Patch" to "*** End Patch".'),
});

const DESCRIPTION = `Changes several files at once: all of the patch is applied or nothing. Form:
*** Begin Patch
*** Add File: new.txt
+each line of the new file
*** Update File: src/a.ts
@@ optional line above the place, such as a function's head
 line that stays
-line that goes
+line that comes
*** Update File: old-name.ts
*** Move to: new-name.ts
*** Delete File: gone.txt
*** End Patch
The lines that stay or go must be exactly those of the file and stand there only once; give about three lines around each change. Hunks follow the order of the file. "*** End of File" behind a hunk says that it reaches to the end.`;

const MAX_FAULTS = 10;

export function createApplyPatchTool(workspace: Workspace, deps: FileToolDeps): Tool {
  return defineTool({
    name: "apply_patch",
    description: DESCRIPTION,
    schema,
    kind: "edit",
    risk: "write",
    prepare: async ({ patch: text }, { signal }) => {
      const parsed = parsePatch(text);
      if (!parsed.ok) return { ok: false, title: "Apply a patch", message: parsed.message };
      const title = titleOf(parsed.patch);
      const planner = new PatchPlanner(workspace, deps, signal);
      const effects: PatchEffect[] = [];
      const faults: string[] = [];
      for (const file of parsed.patch) {
        try {
          effects.push(await planner.effectOf(file));
        } catch (error) {
          if (!isFileRefused(error)) throw error;
          faults.push(error.message);
        }
      }
      const changes = effects.flatMap((effect) => effect.changes);
      const twice = nameUsedTwice(changes);
      if (twice !== undefined)
        faults.push(`${twice} is named twice; put all hunks of a file under one header.`);
      if (faults.length > 0) {
        const more = faults.length > MAX_FAULTS ? [`(${faults.length - MAX_FAULTS} more)`] : [];
        const message = [...faults.slice(0, MAX_FAULTS), ...more, "Nothing was changed."].join(
          "\n",
        );
        return { ok: false, title, message };
      }
      return changeCall(workspace, deps, {
        title,
        changes,
        diff: effects.flatMap((effect) => effect.diff),
        locations: effects.map((effect) => effect.location),
        done: effects.map((effect) => effect.done).join("\n"),
      });
    },
  });
}

function nameUsedTwice(changes: readonly FileChange[]): string | undefined {
  const seen = new Set<string>();
  for (const { place } of changes) {
    if (seen.has(place.path)) return place.shown;
    seen.add(place.path);
  }
  return undefined;
}

function titleOf(patch: Patch): string {
  const [first, ...rest] = patch.map(({ path }) => path);
  return `Patch ${first ?? ""}${rest.length === 0 ? "" : ` and ${rest.length} more`}`;
}
