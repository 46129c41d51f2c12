import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { cliError } from "../errors.ts";

/** Where Acumen keeps what belongs to the person who uses it. */
export interface Home {
  readonly folder: string;
  /** Settings; holds no keys. */
  readonly settingsPath: string;
  readonly credentialsPath: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * `$ACUMEN_HOME`, else `~/.acumen`.
 * @param settingsPath another settings file (`--config`); credentials stay where they are
 * @throws CLI_SETTING_INVALID for a relative path: it would mean another home in every folder
 */
export function homeOf(variables: Variables, settingsPath?: string): Home {
  const given = variables["ACUMEN_HOME"]?.trim() ?? "";
  if (given !== "" && !isAbsolute(given)) {
    throw cliError(
      "CLI_SETTING_INVALID",
      `ACUMEN_HOME is "${given}"; it must be an absolute path.`,
      { details: { variable: "ACUMEN_HOME" } },
    );
  }
  const folder = given === "" ? join(homedir(), ".acumen") : given;
  return {
    folder,
    settingsPath: settingsPath ?? join(folder, "config.json"),
    credentialsPath: join(folder, "credentials.json"),
  };
}
