import { LOG_LEVELS, type LogLevel } from "@acumen/core";
import { cliError } from "./errors.ts";

/** What the command line takes from the environment. */
export interface Environment {
  readonly logLevel: LogLevel;
  /** False under NO_COLOR (any value but the empty one, https://no-color.org) and on a dumb terminal. */
  readonly color: boolean;
  /** All variables, for settings and keys. */
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/** @throws CLI_SETTING_INVALID naming the variable and the accepted values. */
export function readEnvironment(
  variables: Readonly<Record<string, string | undefined>> = process.env,
): Environment {
  const { ACUMEN_LOG: log, NO_COLOR: noColor, TERM: term } = variables;
  const logLevel = log ? LOG_LEVELS.find((level) => level === log) : "warn";
  if (!logLevel) {
    throw cliError(
      "CLI_SETTING_INVALID",
      `ACUMEN_LOG is "${log}"; it must be one of ${LOG_LEVELS.join(", ")}.`,
      { details: { variable: "ACUMEN_LOG", accepted: LOG_LEVELS } },
    );
  }
  return { logLevel, color: !noColor && term !== "dumb", variables };
}
