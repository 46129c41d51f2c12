import { realpath } from "node:fs/promises";
import { join } from "node:path";
import type { AdmittedWorkspace, WorkspaceTrust } from "@acumen/agent";
import type { Home } from "./home.ts";
import { parseWorkspaceSettings } from "./parse-settings.ts";
import type { WorkspaceSettings } from "./settings-schema.ts";

const FOLDER = ".acumen";
const FILE = "config.json";

/** What a workspace brings. In the home folder `.acumen` is the person's own and none of the workspace's. */
export interface WorkspaceFolder {
  /** `.acumen`, where there is one. */
  readonly path: string;
  /** Of the settings in it; whether or not the file is there. */
  readonly settingsPath: string;
}

/** @param cwd absolute real path */
export async function workspaceFolder(
  cwd: string,
  home: Pick<Home, "folder">,
): Promise<WorkspaceFolder | undefined> {
  const path = join(cwd, FOLDER);
  const [real, own] = await Promise.all([
    realpath(path).catch(() => undefined),
    realpath(home.folder).catch(() => home.folder),
  ]);
  if (real === undefined || real === own) return undefined;
  return { path, settingsPath: join(path, FILE) };
}

/**
 * The settings that count of a workspace: those that were trusted, whatever the file holds by now. Empty without trust.
 * @throws AGENT_WORKSPACE_UNTRUSTABLE when the folder changed since trust was decided; CLI_SETTINGS_FILE_INVALID
 */
export async function workspaceSettings(
  { cwd, trusted, digest }: AdmittedWorkspace,
  { home, trust }: { readonly home: Pick<Home, "folder">; readonly trust: WorkspaceTrust },
): Promise<WorkspaceSettings> {
  const folder = trusted ? await workspaceFolder(cwd, home) : undefined;
  if (folder === undefined) return {};
  const bytes = await trust.read(cwd, FILE, digest);
  return bytes === undefined ? {} : parseWorkspaceSettings(folder.settingsPath, bytes);
}
