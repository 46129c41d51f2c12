import { createId } from "@acumen/core";
import type { AcpErrorDetail } from "../envelope/acp-error-detail.ts";
import { ACP_VERSION } from "../envelope/acp-request.ts";
import type { AcpResponse } from "../envelope/acp-response.ts";
import { HTTP_STATUS } from "./http-status.ts";

/** Every body of ours is one of these: an answer over HTTP is an envelope, whatever went wrong. */
export function envelopeAnswer(
  response: AcpResponse,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { error } = response;
  const status = error === null ? 200 : HTTP_STATUS[error.code];
  return new Response(JSON.stringify(response), {
    status,
    headers: {
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      "acp-version": ACP_VERSION,
      ...(error?.code === "AUTH_ERROR" && { "www-authenticate": 'Bearer realm="acumen"' }),
      ...(error?.retry_after_ms !== undefined && {
        "retry-after": String(Math.max(1, Math.ceil(error.retry_after_ms / 1_000))),
      }),
      ...headers,
    },
  });
}

/** For what fails before there is a request. */
export function refusal(
  error: AcpErrorDetail,
  {
    requestId = createId(),
    timingMs = 0,
  }: { readonly requestId?: string; readonly timingMs?: number } = {},
): Response {
  return envelopeAnswer({
    acp_version: ACP_VERSION,
    request_id: requestId,
    status: "error",
    data: {},
    error,
    timing_ms: timingMs,
  });
}
