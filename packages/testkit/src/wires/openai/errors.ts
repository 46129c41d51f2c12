import type { ErrorContext, ErrorFault, HttpReply, Issue, StreamEvent } from "../wire.ts";

export interface OpenAiError {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}

const INVALID = "invalid_request_error";

export function openAiError(
  status: number,
  message: string,
  rest: Partial<Omit<OpenAiError, "message">> = {},
  headers: Readonly<Record<string, string>> = {},
): HttpReply {
  const error: OpenAiError = { message, type: INVALID, param: null, code: null, ...rest };
  return { status, headers, body: { error } };
}

/** The service repeats the first and last characters of a wrong key: an error text is not free of secrets. */
function maskedKey(key: string): string {
  if (key.length <= 12) return key;
  return `${key.slice(0, 8)}${"*".repeat(key.length - 12)}${key.slice(-4)}`;
}

export function missingKey(): HttpReply {
  return openAiError(
    401,
    "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
  );
}

export function wrongKey(key: string): HttpReply {
  return openAiError(
    401,
    `Incorrect API key provided: ${maskedKey(key)}. You can find your API key at https://platform.openai.com/account/api-keys.`,
    { code: "invalid_api_key" },
  );
}

export function unknownModel(model: string): HttpReply {
  return openAiError(
    404,
    `The model \`${model}\` does not exist or you do not have access to it.`,
    { code: "model_not_found" },
  );
}

export function notFound(method: string, path: string): HttpReply {
  return openAiError(404, `Invalid URL (${method} ${path})`);
}

export function invalidJson(): HttpReply {
  return openAiError(400, "We could not parse the JSON body of your request.");
}

export function rejected(issues: readonly Issue[]): HttpReply {
  const [issue] = issues;
  return openAiError(issue?.status ?? 400, issue?.message ?? "Bad request.", {
    param: issue?.param ?? null,
    code: issue?.code ?? null,
  });
}

/** Overload is a 503 here: this service has no 529. */
export function faultReply(
  fault: Exclude<ErrorFault, "context-length">,
  { key, model, retryAfter }: ErrorContext,
): HttpReply {
  const wait = retryHeaders(retryAfter);
  switch (fault) {
    case "401":
      return wrongKey(key);
    case "403":
      return openAiError(
        403,
        "You have insufficient permissions for this operation. Missing scopes: model.request.",
      );
    case "429":
      return openAiError(
        429,
        `Rate limit reached for ${model} on requests per min (RPM): Limit 3, Used 3, Requested 1.${retryAfter === undefined ? "" : ` Please try again in ${retryAfter}s.`}`,
        { type: "requests", code: "rate_limit_exceeded" },
        { ...wait, "x-ratelimit-limit-requests": "3", "x-ratelimit-remaining-requests": "0" },
      );
    case "quota":
      return openAiError(
        429,
        "You exceeded your current quota, please check your plan and billing details.",
        { type: "insufficient_quota", code: "insufficient_quota" },
      );
    case "500":
      return openAiError(
        500,
        "The server had an error while processing your request. Sorry about that!",
        { type: "server_error" },
      );
    case "503":
    case "529":
      return openAiError(
        503,
        "The engine is currently overloaded, please try again later.",
        { type: "server_error", code: "service_unavailable" },
        wait,
      );
    case "content-filter":
      return openAiError(
        400,
        "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
        { code: "invalid_prompt" },
      );
  }
}

/** Both headers are sent by the service; `retry-after-ms` is the more exact one. */
function retryHeaders(seconds: number | undefined): Record<string, string> {
  if (seconds === undefined) return {};
  return {
    "retry-after": String(Math.ceil(seconds)),
    "retry-after-ms": String(Math.round(seconds * 1000)),
  };
}

export function chatStreamError(): StreamEvent {
  const error: OpenAiError = {
    message: "The server had an error while processing your request. Sorry about that!",
    type: "server_error",
    param: null,
    code: null,
  };
  return { data: { error }, phase: "close" };
}
