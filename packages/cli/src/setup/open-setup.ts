import { readStoredKeys } from "../settings/credentials.ts";
import { type Home, homeOf } from "../settings/home.ts";
import type { ModelSources } from "../settings/model-environment.ts";
import { readSettingsFile } from "../settings/settings-file.ts";

export interface OpenedSetup {
  readonly home: Home;
  readonly sources: ModelSources;
}

/**
 * What is there before a setup. Nothing is tolerated: who cannot read the files must not rewrite them.
 * @throws CLI_SETTINGS_FILE_INVALID, CLI_CREDENTIALS_*, CLI_SETTING_INVALID
 */
export async function openSetup(
  variables: ModelSources["variables"],
  { config }: { readonly config?: string },
): Promise<OpenedSetup> {
  const home = homeOf(variables, config);
  const { settings } = await readSettingsFile(home.settingsPath);
  const stored = await readStoredKeys(home.credentialsPath);
  return { home, sources: { variables, settings, stored } };
}
