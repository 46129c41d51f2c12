import { createId } from "@acumen/core";
import type { AcpErrorDetail } from "../envelope/acp-error-detail.ts";
import { ACP_VERSION } from "../envelope/acp-request.ts";
import type { AcpResponse } from "../envelope/acp-response.ts";
import { HTTP_STATUS } from "./http-status.ts";

export interface AnswerParts {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Every body of ours is one of these: an answer over HTTP is an envelope, whatever went wrong. */
export function answerParts(
  response: AcpResponse,
  headers: Readonly<Record<string, string>> = {},
): AnswerParts {
  const { error } = response;
  return {
    status: error === null ? 200 : HTTP_STATUS[error.code],
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
    body: JSON.stringify(response),
  };
}

function envelopeAnswer(response: AcpResponse): Response {
  const { body, ...init } = answerParts(response);
  return new Response(body, init);
}

/** For whoever asks only whether somebody is there. */
export function probed(): Response {
  return envelopeAnswer({
    acp_version: ACP_VERSION,
    request_id: createId(),
    status: "ok",
    data: {},
    error: null,
    timing_ms: 0,
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
