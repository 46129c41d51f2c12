import type { ErrorContext, ErrorFault, HttpReply, Issue, WireErrors, WireReply } from "../wire.ts";
import { wireId } from "../wire-id.ts";

type Status =
  | "INVALID_ARGUMENT"
  | "UNAUTHENTICATED"
  | "PERMISSION_DENIED"
  | "NOT_FOUND"
  | "RESOURCE_EXHAUSTED"
  | "INTERNAL"
  | "UNAVAILABLE";

const RPC = "type.googleapis.com/google.rpc.";

function googleError(
  code: number,
  status: Status,
  message: string,
  details: readonly unknown[] = [],
): HttpReply {
  const error = { code, message, status, ...(details.length > 0 && { details }) };
  return { status: code, body: { error } };
}

/** A wrong key is a 400 on this service; only `reason` tells it from a bad request. */
function wrongKey(): HttpReply {
  const message = "API key not valid. Please pass a valid API key.";
  return googleError(400, "INVALID_ARGUMENT", message, [
    {
      "@type": `${RPC}ErrorInfo`,
      reason: "API_KEY_INVALID",
      domain: "googleapis.com",
      metadata: { service: "generativelanguage.googleapis.com" },
    },
    { "@type": `${RPC}LocalizedMessage`, locale: "en-US", message },
  ]);
}

/** Fields that the parser does not know are answered all at once; every other rule one at a time. */
function rejected(issues: readonly Issue[]): HttpReply {
  const violations = issues.filter(({ code }) => code === "payload");
  if (violations.length > 0) {
    const message = violations.map((issue) => issue.message).join("\n");
    return googleError(400, "INVALID_ARGUMENT", message, [
      {
        "@type": `${RPC}BadRequest`,
        fieldViolations: violations.map((issue) => ({
          ...(issue.param !== undefined && { field: issue.param }),
          description: issue.message,
        })),
      },
    ]);
  }
  return googleError(
    400,
    "INVALID_ARGUMENT",
    issues[0]?.message ?? "Request contains an invalid argument.",
  );
}

/** The time to wait is in the body; this service sends no `retry-after` header. */
function exhausted(quotaId: string, model: string, retryAfter: number | undefined): HttpReply {
  const wait =
    retryAfter === undefined ? [] : [{ "@type": `${RPC}RetryInfo`, retryDelay: `${retryAfter}s` }];
  const message = `You exceeded your current quota, please check your plan and billing details.${retryAfter === undefined ? "" : `\nPlease retry in ${retryAfter}s.`}`;
  return googleError(429, "RESOURCE_EXHAUSTED", message, [
    {
      "@type": `${RPC}QuotaFailure`,
      violations: [
        {
          quotaMetric: "generativelanguage.googleapis.com/generate_content_free_tier_requests",
          quotaId,
          quotaDimensions: { location: "global", model },
          quotaValue: "10",
        },
      ],
    },
    ...wait,
  ]);
}

function fault(name: ErrorFault, { model, retryAfter }: ErrorContext): HttpReply | WireReply {
  switch (name) {
    case "401":
      return googleError(
        401,
        "UNAUTHENTICATED",
        "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.",
      );
    case "403":
      return googleError(403, "PERMISSION_DENIED", "The caller does not have permission");
    case "429":
      return exhausted("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", model, retryAfter);
    case "quota":
      return exhausted("GenerateRequestsPerDayPerProjectPerModel-FreeTier", model, retryAfter);
    case "500":
      return googleError(500, "INTERNAL", "An internal error has occurred. Please retry.");
    case "503":
    case "529":
      return overloaded();
    case "context-length":
      return googleError(
        400,
        "INVALID_ARGUMENT",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      );
    case "content-filter":
      return blockedPrompt(model);
  }
}

/** A refused prompt is a success without candidates. */
function blockedPrompt(model: string): WireReply {
  const body = {
    promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
    usageMetadata: { promptTokenCount: 12, totalTokenCount: 12 },
    modelVersion: model,
    responseId: wireId("", 8),
  };
  return { body, events: [{ data: body, phase: "close" }] };
}

function overloaded(): HttpReply {
  return googleError(503, "UNAVAILABLE", "The model is overloaded. Please try again later.");
}

export const googleErrors: WireErrors = {
  missingKey: () =>
    googleError(
      403,
      "PERMISSION_DENIED",
      "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
    ),
  wrongKey,
  unknownModel: (model) =>
    googleError(
      404,
      "NOT_FOUND",
      `models/${model} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`,
    ),
  // What lies outside the API is answered by the web server, in HTML.
  notFound: () => ({
    status: 404,
    headers: { "content-type": "text/html; charset=UTF-8" },
    body: "<!DOCTYPE html>\n<title>Error 404 (Not Found)!!1</title>\n",
  }),
  invalidJson: () =>
    googleError(400, "INVALID_ARGUMENT", "Invalid JSON payload received. Unexpected token."),
  rejected,
  fault,
  inStream: () => ({ data: overloaded().body, phase: "close" }),
};
