import type { ErrorRow } from "@acumen/core";

/** Each code is `FACADE_` and the code that stands on the wire. */
export const FACADE_ERRORS = {
  FACADE_NOT_FOUND: {
    meaning: "What the request names does not exist, or belongs to another owner.",
    remedy: "List what there is, and use one of its ids.",
  },
  FACADE_VALIDATION_ERROR: {
    meaning: "A parameter is missing, unknown or of the wrong kind.",
    remedy: "Mend the place that `details.issues` names.",
  },
  FACADE_PLAN_ERROR: {
    meaning: "A plan could not be carried out.",
    remedy: "Look at its status; retry or revert the plan.",
  },
  FACADE_INVALID_STATE: {
    meaning: "The operation is not allowed in the state of what it names.",
    remedy: "Use one of the operations in `details.allowed_operations`.",
  },
  FACADE_AUTH_ERROR: {
    meaning: "The token is missing, unknown, expired or revoked.",
    remedy: "Make one with `acumen token create` and send it as bearer token.",
  },
  FACADE_FORBIDDEN: {
    meaning: "The token may not do this.",
    remedy: "Use a token with the scope that the message names.",
  },
  FACADE_CONFIGURATION_ERROR: {
    meaning: "The services or settings of this process do not fit together.",
    remedy: "Follow the message.",
  },
  FACADE_INTERNAL_ERROR: {
    meaning: "A fault of the program itself; the log has its cause under the correlation id.",
    remedy: "Report it with the correlation id.",
  },
  FACADE_OPERATION_NOT_FOUND: {
    meaning: "No operation has this name.",
    remedy: "Ask `system.describe` for the names.",
  },
  FACADE_NOT_AVAILABLE: {
    meaning:
      "The operation needs a service that this process does not have, or a server that does not answer.",
    remedy: "Register the service that the message names, or start `acumen serve`.",
  },
  FACADE_VERSION_MISMATCH: {
    meaning: "The version of the protocol is not one that is spoken here.",
    remedy: "Use one of `details.supported`.",
  },
  FACADE_CONFLICT: {
    meaning: "Somebody else changed it meanwhile, or the same request is running.",
    remedy: "Read the state again and decide anew.",
  },
  FACADE_CURSOR_EXPIRED: {
    meaning: "Events after this cursor are no longer all kept.",
    remedy: "Begin again with a snapshot; `details.oldest` says what is kept.",
  },
  FACADE_IDEMPOTENCY_MISMATCH: {
    meaning: "The idempotency key was used for another request.",
    remedy: "Use a new key for each new request.",
  },
  FACADE_TIMEOUT: {
    meaning: "The deadline of the request passed.",
    remedy: "Ask for the state, or send it with a longer deadline.",
  },
  FACADE_RATE_LIMITED: {
    meaning: "More requests than one caller may send at once.",
    remedy: "Send it again after `retry_after_ms`.",
  },
  FACADE_PAYLOAD_TOO_LARGE: {
    meaning: "The request is larger than what is accepted.",
    remedy: "Send less than 1 MiB.",
  },
} as const satisfies Record<string, ErrorRow>;

export type FacadeErrorCode = keyof typeof FACADE_ERRORS;
