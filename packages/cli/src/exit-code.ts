import { constants } from "node:os";
import type { AcumenError } from "@acumen/core";

/** 0 done, 1 failed, 2 usage or configuration, 128 + number of the signal that ended the command. */
export const EXIT_CODES = { done: 0, failed: 1, usage: 2 } as const;

const USAGE_CODES: ReadonlySet<string> = new Set(["CLI_USAGE", "CLI_SETTING_INVALID"]);

/** The only place where an error becomes an exit code. */
export function exitCodeOf(error: AcumenError): number {
  if (error.code === "CLI_INTERRUPTED") return 128 + signalNumber(error.details["signal"]);
  return USAGE_CODES.has(error.code) ? EXIT_CODES.usage : EXIT_CODES.failed;
}

function signalNumber(name: unknown): number {
  const found = Object.entries(constants.signals).find(([signal]) => signal === name);
  return found?.[1] ?? constants.signals.SIGINT;
}
