import { AcumenError, errorFactory, type ErrorRow } from "@acumen/core";

export const MODELS_ERRORS = {
  MODEL_FAILED: {
    meaning:
      "A model could not be built or reached, or its answer was unusable; `details.kind` says which.",
    remedy:
      "Follow the message: set a key, start the local server, install a provider, or choose another model.",
  },
  MODEL_SCRIPT_INVALID: {
    meaning: "The file of a scripted or recorded model cannot be read or is not in its format.",
    remedy: "Mend what the message names; the format is in docs/models.md.",
  },
  MODEL_SCRIPT_MISMATCH: {
    meaning:
      "A call to a scripted or recorded model was not the one that its file expects, or came after the last step.",
    remedy: "Compare `details.expected` with `details.actual`; mend the script or the caller.",
  },
} as const satisfies Record<string, ErrorRow>;

export type ModelsErrorCode = keyof typeof MODELS_ERRORS;

export const modelsError = errorFactory(MODELS_ERRORS);

/** What kind of model failure an error is (its `details.kind`). */
export const MODEL_FAILURE_KINDS = [
  "auth",
  "rate_limit",
  "quota",
  "timeout",
  "unavailable",
  "bad_request",
  "context_length",
  "content_filter",
  "not_installed",
  "unknown_model",
  "invalid_output",
] as const;
export type ModelFailureKind = (typeof MODEL_FAILURE_KINDS)[number];

export interface ModelFailure {
  /** Prefix of the model id, such as `openai` or `gemini`. */
  readonly provider: string;
  readonly model: string;
  readonly kind: ModelFailureKind;
  /** Default false. */
  readonly retryable?: boolean;
  /** How long the provider asked to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** HTTP status, when there was an answer. */
  readonly status?: number;
  readonly cause?: unknown;
}

/**
 * The coded error MODEL_FAILED with `details` `{provider, model, kind, retryable, retry_after_ms?, status?}`.
 * Message and cause must hold no key, URL credential, header or prompt.
 */
export function modelError(message: string, failure: ModelFailure): AcumenError {
  const { provider, model, kind, retryable = false, retryAfterMs, status, cause } = failure;
  return modelsError("MODEL_FAILED", message, {
    details: {
      provider,
      model,
      kind,
      retryable,
      ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
      ...(status !== undefined && { status }),
    },
    retryable,
    ...(cause !== undefined && { cause }),
  });
}

/** True for every error of this package, whichever copy of it made the error. */
export function isModelError(value: unknown): value is AcumenError {
  return AcumenError.isInstance(value) && Object.hasOwn(MODELS_ERRORS, value.code);
}

/** The kind of an error of this package; undefined for any other value. */
export function modelFailureKind(error: unknown): ModelFailureKind | undefined {
  if (!isModelError(error)) return undefined;
  return MODEL_FAILURE_KINDS.find((kind) => kind === error.details["kind"]);
}
