import { type AdmittedWorkspace, parsePermissionRules, type WorkspaceTrust } from "@acumen/agent";
import { AcumenError } from "@acumen/core";
import type { Home } from "./home.ts";
import { workspaceSettings } from "./workspace-folder.ts";

/** Why the settings of a trusted workspace could not be used; undefined when they could. */
export async function workspaceFault(
  workspace: AdmittedWorkspace,
  sources: { readonly home: Pick<Home, "folder">; readonly trust: WorkspaceTrust },
): Promise<AcumenError | undefined> {
  try {
    const { permissions = {} } = await workspaceSettings(workspace, sources);
    parsePermissionRules({ allow: [], ask: permissions.ask ?? [], deny: permissions.deny ?? [] });
    return undefined;
  } catch (error) {
    if (AcumenError.isInstance(error)) return error;
    throw error;
  }
}
