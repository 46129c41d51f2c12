import { loadSettings, type SettingFlags } from "../settings/load-settings.ts";
import type { Check } from "./check.ts";
import { checkGit, checkMcpPeer, checkNode, checkWritable } from "./machine-checks.ts";
import { checkConnection, checkKeys, checkModel } from "./model-checks.ts";
import { checkServers } from "./server-checks.ts";
import { checkCredentials, checkSettings, checkWorkspace } from "./settings-checks.ts";

export interface ExamineOptions {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly flags: SettingFlags;
  /** Working directory. */
  readonly cwd: string;
  readonly nodeVersion: string;
  /** Ask the chosen model one tiny question. */
  readonly connect: boolean;
  readonly signal: AbortSignal;
  /** Called before a check that may take long. */
  readonly onSlow: (text: string) => void;
}

/**
 * Looks at everything that Acumen needs, cheap things first, and changes nothing.
 * @throws for a command line or variables that cannot be used; a finding is a value
 */
export async function* examine(options: ExamineOptions): AsyncGenerator<Check, void, undefined> {
  const { variables, flags, cwd, nodeVersion, connect, signal, onSlow } = options;
  const loaded = await loadSettings(variables, flags, { tolerant: true });
  yield checkNode(nodeVersion);
  yield checkGit(variables["PATH"], signal);
  yield checkWritable("home", loaded.home.folder);
  yield checkWritable("folder", cwd);
  yield checkMcpPeer();
  yield checkSettings(loaded);
  const workspace = await checkWorkspace(cwd, loaded);
  if (workspace !== undefined) yield workspace;
  yield* await checkServers(cwd, loaded);
  yield checkCredentials(loaded);
  yield checkKeys(loaded);
  const findings = await checkModel(loaded);
  yield findings.check;
  if (!connect) return;
  if (findings.model !== undefined) onSlow(`Asking ${findings.model.id} …`);
  yield checkConnection(loaded, findings, signal);
}
