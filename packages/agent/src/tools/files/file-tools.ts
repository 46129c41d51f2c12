import type { Workspace } from "../../workspace/workspace.ts";
import type { Tool } from "../tool.ts";
import { createApplyPatchTool } from "./apply-patch.ts";
import { createEditTool } from "./edit.ts";
import type { FileToolDeps } from "./file-tool-deps.ts";
import { createReadFileTool } from "./read-file-tool.ts";
import { createWriteFileTool } from "./write-file.ts";

/** `read_file`, `write_file`, `apply_patch` and `edit`, confined to the workspace. */
export function createFileTools(workspace: Workspace, deps: FileToolDeps): readonly Tool[] {
  return [
    createReadFileTool(workspace, deps),
    createWriteFileTool(workspace, deps),
    createApplyPatchTool(workspace, deps),
    createEditTool(workspace, deps),
  ];
}
