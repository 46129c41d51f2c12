import type { ErrorContext, ErrorFault, HttpReply, Issue, WireErrors } from "../wire.ts";
import { wireId } from "../wire-id.ts";

type AnthropicErrorType =
  | "invalid_request_error"
  | "authentication_error"
  | "permission_error"
  | "not_found_error"
  | "rate_limit_error"
  | "api_error"
  | "overloaded_error";

function anthropicError(
  status: number,
  type: AnthropicErrorType,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): HttpReply {
  const body = { type: "error", error: { type, message }, request_id: wireId("req_") };
  return { status, headers, body };
}

function wrongKey(): HttpReply {
  return anthropicError(401, "authentication_error", "invalid x-api-key");
}

function rejected(issues: readonly Issue[]): HttpReply {
  const [issue] = issues;
  const message = issue?.message ?? "Bad request.";
  return anthropicError(issue?.status ?? 400, "invalid_request_error", message);
}

function fault(name: ErrorFault, { model, retryAfter }: ErrorContext): HttpReply {
  const wait: Record<string, string> =
    retryAfter === undefined ? {} : { "retry-after": String(Math.ceil(retryAfter)) };
  switch (name) {
    case "401":
      return wrongKey();
    case "403":
      return anthropicError(
        403,
        "permission_error",
        "Your API key does not have permission to use the specified resource.",
      );
    case "429":
      return anthropicError(
        429,
        "rate_limit_error",
        `This request would exceed your organization's rate limit of 4 requests per minute (model: ${model}).`,
        {
          ...wait,
          "anthropic-ratelimit-requests-limit": "4",
          "anthropic-ratelimit-requests-remaining": "0",
        },
      );
    case "quota":
      // 400, not 402 or 429: only the text tells it from a bad request.
      return anthropicError(
        400,
        "invalid_request_error",
        "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
      );
    case "500":
      return anthropicError(500, "api_error", "Internal server error");
    case "503":
      return anthropicError(503, "api_error", "Service temporarily unavailable", wait);
    case "529":
      return anthropicError(529, "overloaded_error", "Overloaded", wait);
    case "context-length":
      return anthropicError(
        400,
        "invalid_request_error",
        "prompt is too long: 250000 tokens > 200000 maximum",
      );
    case "content-filter":
      return anthropicError(
        400,
        "invalid_request_error",
        "Output blocked by content filtering policy",
      );
  }
}

export const anthropicErrors: WireErrors = {
  missingKey: () => anthropicError(401, "authentication_error", "x-api-key header is required"),
  wrongKey,
  unknownModel: (model) => anthropicError(404, "not_found_error", `model: ${model}`),
  notFound: () => anthropicError(404, "not_found_error", "Not Found"),
  invalidJson: () =>
    anthropicError(400, "invalid_request_error", "The request body is not valid JSON"),
  rejected,
  fault,
  inStream: () => ({
    event: "error",
    data: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    phase: "close",
  }),
};
