import type { WorkspaceTrust } from "@acumen/agent";
import { AcumenError } from "@acumen/core";
import { modeOf } from "../settings/credentials.ts";
import type { LoadedSettings } from "../settings/load-settings.ts";
import { workspaceFolder } from "../settings/workspace-folder.ts";
import { type Check, check } from "./check.ts";

export async function checkSettings({
  home,
  settings,
  settingsFault,
}: LoadedSettings): Promise<Check> {
  const { settingsPath: path } = home;
  if (settingsFault !== undefined) {
    return failed("settings", settingsFault, "Mend it; `acumen setup` overwrites no broken file.");
  }
  const mode = await modeOf(path);
  if (mode === undefined) return check("settings", "ok", `no ${path}: defaults are used`);
  if (isWritableByOthers(mode)) {
    return check(
      "settings",
      "wrong",
      `${path} can be changed by others (mode ${mode})`,
      chmod(path),
    );
  }
  const fault = await rulesFault(settings);
  return fault === undefined
    ? check("settings", "ok", `${path} is valid`)
    : failed("settings", fault, `Mend it in ${path}.`);
}

/** Rules are text to the settings file; only the agent reads what they say. */
async function rulesFault({
  permissions,
}: LoadedSettings["settings"]): Promise<AcumenError | undefined> {
  if (permissions === undefined) return undefined;
  const { parsePermissionRules } = await import("@acumen/agent");
  try {
    parsePermissionRules({ allow: [], ask: [], deny: [], ...permissions });
    return undefined;
  } catch (error) {
    if (AcumenError.isInstance(error)) return error;
    throw error;
  }
}

export async function checkCredentials(loaded: LoadedSettings): Promise<Check> {
  const { home, stored, credentialsFault } = loaded;
  const { credentialsPath: path } = home;
  if (credentialsFault !== undefined) {
    const exposed = credentialsFault.code === "CLI_CREDENTIALS_EXPOSED";
    const remedy = exposed ? chmod(path) : "Mend or remove it, then run `acumen setup`.";
    return failed("credentials", credentialsFault, remedy);
  }
  const mode = await modeOf(path);
  if (mode === undefined) return check("credentials", "ok", `no ${path}`);
  const names = Object.keys(stored);
  const held = names.length === 0 ? "no key" : names.join(", ");
  return check("credentials", "ok", `${path} (mode ${mode}) holds ${held}`);
}

/**
 * A repository's settings count only after the user said that it is trusted. Undefined: it brings none.
 * @param options.trustOnce it counts as trusted in the process that is asked about
 */
export async function checkWorkspace(
  folder: string,
  { home, variables }: Pick<LoadedSettings, "home" | "variables">,
  { trustOnce = false }: { readonly trustOnce?: boolean } = {},
): Promise<Check | undefined> {
  const brought = await workspaceFolder(folder, home);
  const path = brought?.settingsPath;
  if (path === undefined || (await modeOf(path)) === undefined) return undefined;
  const { WorkspaceTrust: Trust } = await import("@acumen/agent");
  const options = { home: home.folder, environment: variables, once: trustOnce };
  const trust = new Trust(options);
  const admission = await admitted(trust, folder);
  if (AcumenError.isInstance(admission)) {
    return failed("workspace", admission, "Start without --trust-once, or mend it.");
  }
  const { path: cwd, trusted, digest, changed } = admission;
  if (!trusted) {
    const why = changed ? "changed since it was trusted" : "is not trusted";
    const remedy = "Look at it, then run `acumen trust`.";
    return check("workspace", "note", `${path} is not read: this workspace ${why}`, remedy);
  }
  const { workspaceFault } = await import("../settings/workspace-fault.ts");
  const fault = await workspaceFault({ cwd, trusted, digest }, { home, trust });
  return fault === undefined
    ? check(
        "workspace",
        "ok",
        `${path} is valid, and this workspace is trusted${trustOnce ? " for this process" : ""}`,
      )
    : failed("workspace", fault, "Mend it, then run `acumen trust` again.");
}

/** The error: it can't be trusted, and is to be. */
async function admitted(
  trust: WorkspaceTrust,
  folder: string,
): Promise<AcumenError | Awaited<ReturnType<WorkspaceTrust["admit"]>>> {
  try {
    return await trust.admit(folder);
  } catch (error) {
    if (AcumenError.isInstance(error)) return error;
    throw error;
  }
}

function isWritableByOthers(mode: string): boolean {
  return process.platform !== "win32" && (Number.parseInt(mode, 8) & 0o022) !== 0;
}

function chmod(path: string): string {
  return `Run: chmod 600 ${path}`;
}

function failed(name: string, error: AcumenError, remedy: string): Check {
  return check(name, "wrong", `${error.code}: ${error.message}`, remedy);
}
