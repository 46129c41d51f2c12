import { isJsonObject } from "@acumen/core";
import type { ModelFailureKind } from "../errors.ts";

export interface NetworkFailure {
  readonly kind: ModelFailureKind;
  readonly retryable: boolean;
  /** System or client code, such as `ECONNREFUSED`. */
  readonly code: string;
  /** Nobody is there: nothing was sent. */
  readonly unreachable: boolean;
}

const UNREACHABLE = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EAI_AGAIN",
]);
const TIMEOUT = new Set([
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
]);
/** `terminated` and `other side closed` are undici's words for a connection that broke while an answer came in. */
const BROKEN = /\bterminated\b|other side closed|socket hang up|aborted|premature close/i;
const MAX_CAUSES = 8;

/** Looks down the chain of causes for what happened to the connection; undefined when it was not the connection. */
export function networkFailureOf(error: unknown): NetworkFailure | undefined {
  for (const link of chainOf(error)) {
    const code = typeof link["code"] === "string" ? link["code"] : "";
    const known = byCode(code);
    if (known !== undefined) return known;
    if (link["name"] === "TimeoutError") return failure("timeout", true, "TimeoutError");
    // The provider packages quote what was answered, which may use the same words.
    const quotes = typeof link["name"] === "string" && link["name"].startsWith("AI_");
    const message = typeof link["message"] === "string" && !quotes ? link["message"] : "";
    if (BROKEN.test(message)) return failure("unavailable", true, "connection broken");
  }
  return undefined;
}

function byCode(code: string): NetworkFailure | undefined {
  if (UNREACHABLE.has(code)) {
    // A name that does not exist will not exist a second later; a resolver that is busy may answer.
    return failure("unavailable", code !== "ENOTFOUND", code, true);
  }
  if (TIMEOUT.has(code)) return failure("timeout", true, code);
  if (/^(?:CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_SSL)/.test(code)) {
    return failure("unavailable", false, code);
  }
  if (/^(?:ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_)/.test(code)) {
    return failure("unavailable", true, code);
  }
  return undefined;
}

function failure(
  kind: ModelFailureKind,
  retryable: boolean,
  code: string,
  unreachable = false,
): NetworkFailure {
  return { kind, retryable, code, unreachable };
}

/** Causes, and the errors inside an AggregateError (one per address that was tried). */
function* chainOf(error: unknown): Generator<Record<string, unknown>> {
  let link = error;
  for (let depth = 0; depth < MAX_CAUSES && isJsonObject(link); depth += 1) {
    yield link;
    const [first] = Array.isArray(link["errors"]) ? (link["errors"] as unknown[]) : [];
    link = link["cause"] ?? first;
  }
}
