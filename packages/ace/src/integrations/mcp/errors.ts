import {
  AcumenError,
  createId,
  errorFactory,
  type ErrorRow,
  isJsonObject,
  type Logger,
} from "@acumen/core";
import { redact } from "./redact.ts";

/** The codes that a tool call may answer with (`isError: true`, text = `{code, message, details}`). */
export const MCP_ERRORS = {
  ACE_MCP_VALIDATION_ERROR: {
    meaning:
      "The arguments, a size, a path or a file cannot be accepted, and nothing was done. Only with details.kept_in_memory the call did its work: the session has it (details.skill_count_after), its autosave file could not be written.",
    remedy:
      "Mend what the details name and call again. With details.kept_in_memory, mend the file's place and do not repeat the call.",
  },
  ACE_MCP_SESSION_NOT_FOUND: {
    meaning: "There is no session of this id (never made, expired, or lost at a restart).",
    remedy: "Make one with `ace.ask`, `ace.learn.*` or `ace.skillbook.load`.",
  },
  ACE_MCP_FORBIDDEN_IN_SAFE_MODE: {
    meaning: "The server runs in safe mode, which refuses every tool that changes something.",
    remedy: "Start it without `ACE_MCP_SAFE_MODE=true`.",
  },
  ACE_MCP_SAVE_LOAD_DISABLED: {
    meaning: "Saving and loading are switched off on this server.",
    remedy: "Start it without `ACE_MCP_ALLOW_SAVE_LOAD=false`.",
  },
  ACE_MCP_PROVIDER_ERROR: {
    meaning:
      "The model cannot be built or reached, or its answer was unusable; details.kind says which.",
    remedy:
      "Set the provider's key or choose another model; `ACE_MCP_DEFAULT_MODEL=builtin/recall` works offline. Call again when details.retryable is true.",
  },
  ACE_MCP_TIMEOUT: {
    meaning:
      "The deadline passed, or (details.waiting) the session or its file was busy for too long. What had been learned by then stays; nothing is learned afterwards. With details.kept_in_memory the call did its work, and only its autosave file was busy.",
    remedy: "Send fewer samples at a time, or raise the timeout.",
  },
  ACE_MCP_INTERNAL_ERROR: {
    meaning:
      "An unexpected failure of the server; its log holds the cause under details.correlation_id.",
    remedy: "Report it with the log line.",
  },
} as const satisfies Record<string, ErrorRow>;

/** Failures before the server serves; they end the process with a message on stderr and never reach the wire. */
export const MCP_START_ERRORS = {
  ACE_MCP_CONFIG_INVALID: {
    meaning: "A setting or argument of `ace-mcp` has a value it cannot work with (exit 2).",
    remedy: "The message names every bad variable and what was expected.",
  },
  ACE_MCP_SDK_MISSING: {
    meaning: "The optional package `@modelcontextprotocol/server` is not installed (exit 1).",
    remedy: "Install it: `npm install @modelcontextprotocol/server`.",
  },
} as const satisfies Record<string, ErrorRow>;

export type McpErrorCode = keyof typeof MCP_ERRORS;

export const mcpError = errorFactory(MCP_ERRORS);
export const startError = errorFactory(MCP_START_ERRORS);

/** What goes to the client for a failed call; the contract's error envelope. */
export interface ErrorEnvelope {
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * Maps whatever a handler threw to the envelope. Coded errors of this layer pass as they are, model failures become
 * PROVIDER_ERROR, anything else becomes INTERNAL_ERROR with a correlation id: its text may hold paths or keys, so it goes
 * to the log (redacted) and never to the client.
 */
export function toEnvelope(error: unknown, logger: Logger): ErrorEnvelope {
  if (AcumenError.isInstance(error)) {
    if (Object.hasOwn(MCP_ERRORS, error.code)) return error.toJSON();
    if (isModelFailure(error)) return providerEnvelope(error);
    if (error.code === "ACE_OPTION_INVALID") return optionEnvelope(error);
  }
  const correlationId = createId();
  logger.error("internal error", { correlation_id: correlationId, ...describe(error) });
  return {
    code: "ACE_MCP_INTERNAL_ERROR",
    message: `An unexpected failure. The server's log has its cause under ${correlationId}.`,
    details: { correlation_id: correlationId },
  };
}

/** Errors of `@acumen/models`, known by their codes: importing that package would load it at every start. */
export function isModelFailure({ code }: AcumenError): boolean {
  return /^MODEL_[A-Z_]+$/.test(code);
}

const OFFLINE_HINT =
  "To work offline without a key, start ace-mcp with ACE_MCP_DEFAULT_MODEL=builtin/recall.";
const SETUP_KINDS = new Set<unknown>(["auth", "not_installed", "unknown_model"]);

/** A failure of the model as the client hears of it. */
export function providerEnvelope(error: AcumenError): ErrorEnvelope {
  // A script that is broken or does not fit the call has no kind of its own.
  const { provider = null, model = null, kind = "bad_request" } = error.details;
  const { retryable } = error;
  const hint =
    // A runner of somebody's own may have named the offline model already.
    SETUP_KINDS.has(kind) && !/\bbuiltin\/recall\b.*\boffline\b/.test(error.message)
      ? ` ${OFFLINE_HINT}`
      : "";
  return {
    code: "ACE_MCP_PROVIDER_ERROR",
    message: `${redact(error.message)}${hint}`,
    details: { provider: redactValue(provider), model: redactValue(model), kind, retryable },
  };
}

/** A client may have put a key or a URL with a password into a model id. */
function redactValue(value: unknown): unknown {
  return typeof value === "string" ? redact(value) : value;
}

/** A coded failure of one sample as the client hears of it; what roles throw may repeat keys. */
export function failureEnvelope(error: AcumenError): Pick<ErrorEnvelope, "code" | "message"> {
  if (isModelFailure(error)) return providerEnvelope(error);
  return { code: error.code, message: redact(error.message) };
}

/** The engine is stricter than the schema in places: a question of blanks alone is no question. */
function optionEnvelope(error: AcumenError): ErrorEnvelope {
  const { option } = error.details;
  const path = typeof option === "string" ? option : "";
  return {
    code: "ACE_MCP_VALIDATION_ERROR",
    message: redact(error.message),
    details: { issues: [{ path, message: redact(error.message) }] },
  };
}

/** Name, code, redacted message and stack of an error and its causes, for the log alone. */
function describe(error: unknown, depth = 0): Record<string, unknown> {
  if (!(error instanceof Error)) {
    const name = isJsonObject(error) ? "object" : typeof error;
    return { error: `a thrown ${name}` };
  }
  const code =
    "code" in error && typeof error.code === "string" ? { error_code: redact(error.code) } : {};
  return {
    error: redact(`${error.name}: ${error.message}`).slice(0, 500),
    ...code,
    // The stack repeats the message in its head; only the frames are wanted. A message may hold lines that look like them.
    frames: redact(error.stack ?? "")
      .split("\n    at ")
      .slice(1, 9),
    ...(error.cause !== undefined && depth < 3 && { cause: describe(error.cause, depth + 1) }),
  };
}
