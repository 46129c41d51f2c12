import { constants } from "node:os";
import type { AcumenError } from "@acumen/core";

/**
 * 0 done, 1 failed, 2 usage, configuration or no credentials, 3 refused or the turn ended blocked, 4 a limit ended the
 * turn, 128 + number of the signal that ended the command.
 */
export const EXIT_CODES = { done: 0, failed: 1, usage: 2, refused: 3, limit: 4 } as const;

const USAGE_CODES: ReadonlySet<string> = new Set([
  "CLI_USAGE",
  "CLI_SETTING_INVALID",
  "CLI_SETTINGS_FILE_INVALID",
  "CLI_CREDENTIALS_INVALID",
  "CLI_CREDENTIALS_EXPOSED",
  "CLI_NO_CREDENTIALS",
  "CLI_NO_MODEL",
  "CLI_REFUSED_TO_AGENT",
  "AGENT_CURSOR_INVALID",
  "AGENT_MCP_CONFIG_INVALID",
  "AGENT_MCP_SERVER_EXISTS",
  "AGENT_MCP_SERVER_NOT_ENABLED",
  "AGENT_MCP_SERVER_UNKNOWN",
  "AGENT_NO_CREDENTIALS",
  "AGENT_PROMPT_INVALID",
  "AGENT_RULE_INVALID",
  "AGENT_TRUST_INVALID",
  "AGENT_WORKSPACE_INVALID",
  "AGENT_WORKSPACE_UNTRUSTABLE",
  "FACADE_AUTH_ERROR",
  "FACADE_CONFIGURATION_ERROR",
  "FACADE_OPERATION_NOT_FOUND",
  "FACADE_VALIDATION_ERROR",
  "FACADE_VERSION_MISMATCH",
  "MODEL_SCRIPT_INVALID",
]);

/** Nothing was done, because it would have harmed. */
const REFUSED_CODES: ReadonlySet<string> = new Set([
  "AGENT_UNDO_REFUSED",
  "FACADE_CONFLICT",
  "FACADE_FORBIDDEN",
  "FACADE_INVALID_STATE",
]);

/** Without an HTTP status these say that no model could be built: a matter of configuration. */
const CONFIGURATION_KINDS: ReadonlySet<unknown> = new Set([
  "auth",
  "bad_request",
  "not_installed",
  "unknown_model",
]);

/** The only place where an error becomes an exit code. */
export function exitCodeOf(error: AcumenError): number {
  if (error.code === "CLI_INTERRUPTED") return 128 + signalNumber(error.details["signal"]);
  if (REFUSED_CODES.has(error.code)) return EXIT_CODES.refused;
  return USAGE_CODES.has(error.code) || isUnbuiltModel(error)
    ? EXIT_CODES.usage
    : EXIT_CODES.failed;
}

function isUnbuiltModel({ code, details }: AcumenError): boolean {
  if (code !== "MODEL_FAILED" || details["status"] !== undefined) return false;
  return CONFIGURATION_KINDS.has(details["kind"]);
}

function signalNumber(name: unknown): number {
  const found = Object.entries(constants.signals).find(([signal]) => signal === name);
  return found?.[1] ?? constants.signals.SIGINT;
}
