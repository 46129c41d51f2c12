import { AcpNotAvailableError } from "../errors/acp-error.ts";

/** With these no connection came about, so no request went out. */
const NEVER_SENT: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** The server may have got the request, and perhaps has carried it out. */
export function mayHaveArrived(error: unknown): boolean {
  if (!(error instanceof AcpNotAvailableError)) return false;
  return error.retryable && !NEVER_SENT.has(error.details["errno"]);
}

/** A change whose answer never came. With a key it may be repeated; without one it must not be. */
export function unknownOutcome(
  cause: AcpNotAvailableError,
  { operation, isKeyed }: { readonly operation: string; readonly isKeyed: boolean },
): AcpNotAvailableError {
  const remedy = isKeyed
    ? "Send it again with the same idempotency_key"
    : "Read the state before you send it again; with an idempotency_key a change can be repeated without harm";
  return new AcpNotAvailableError(
    `${cause.message} It is unknown whether ${operation} was carried out. ${remedy}.`,
    { cause, details: { ...cause.details, operation, outcome: "unknown" }, retryable: isKeyed },
  );
}
