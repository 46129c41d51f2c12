import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { ensureFolder, withFileLock, writeFileAtomic } from "@acumen/core";
import { applyEdits, modify } from "jsonc-parser";
import { readStoredKeys, writeStoredKeys } from "../settings/credentials.ts";
import type { Home } from "../settings/home.ts";
import { providerOf } from "../settings/model-name.ts";
import { parseSettings } from "../settings/parse-settings.ts";
import { readSettingsFile } from "../settings/settings-file.ts";
import { keysWith, type SetupChoice } from "./setup-choice.ts";

/** What was written, without a key. */
export interface Written {
  readonly settings: {
    readonly path: string;
    readonly model: string;
    readonly endpoints?: Readonly<Record<string, string>>;
  };
  readonly credentials?: { readonly path: string; readonly variables: readonly string[] };
}

const FORMAT = { insertSpaces: true, tabSize: 2, eol: "\n" };

/**
 * Writes the choice into both files, each replaced in one step; comments and other settings stay. Runs that come
 * together take turns. Keys go first: when the second file fails, the model chosen before still has its key.
 * @throws CLI_SETTINGS_FILE_INVALID, CLI_CREDENTIALS_* (both files are then as they were), CORE_*
 */
export async function writeSetup(home: Home, choice: SetupChoice): Promise<Written> {
  await ensureFolder(home.folder, { mode: 0o700 });
  return withFileLock(join(home.folder, "setup"), async () => {
    const { text = "{}\n" } = await readSettingsFile(home.settingsPath);
    const next = edited(home.settingsPath, text, choice);
    const { keys } = choice;
    if (keys !== undefined) {
      const stored = await readStoredKeys(home.credentialsPath);
      await writeStoredKeys(home.credentialsPath, keysWith(stored, choice));
    }
    await writeFileAtomic(await realPath(home.settingsPath), next, { mode: 0o600 });
    return writtenOf(home, choice);
  });
}

function edited(path: string, text: string, { model, baseUrl }: SetupChoice): string {
  let next = changed(text, ["model"], model);
  const prefix = providerOf(model)?.prefix;
  if (baseUrl !== undefined && prefix !== undefined) {
    next = changed(next, ["endpoints", prefix], baseUrl);
  }
  // Whatever an edit made of a file that somebody wrote by hand: nothing is written that is not read again.
  parseSettings(path, next);
  return next.endsWith("\n") ? next : `${next}\n`;
}

function changed(text: string, path: readonly string[], value: string): string {
  return applyEdits(text, modify(text, [...path], value, { formattingOptions: FORMAT }));
}

/** A settings file may be a link into a folder of dotfiles: the file behind it is what is meant. */
async function realPath(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

function writtenOf(home: Home, { model, baseUrl, keys }: SetupChoice): Written {
  const prefix = providerOf(model)?.prefix;
  return {
    settings: {
      path: home.settingsPath,
      model,
      ...(baseUrl !== undefined && prefix !== undefined && { endpoints: { [prefix]: baseUrl } }),
    },
    ...(keys !== undefined && {
      credentials: { path: home.credentialsPath, variables: Object.keys(keys) },
    }),
  };
}
