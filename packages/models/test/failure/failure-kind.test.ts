import { expect, test } from "vitest";
import { kindOfServiceError } from "../../src/failure/failure-kind.ts";
import { serviceErrorOf } from "../../src/failure/service-error.ts";
import { APICallError } from "@ai-sdk/provider";
import type { ModelFailureKind } from "../../src/index.ts";

/** Error bodies in the forms in which services answer them; the four wires themselves are tested over HTTP. */
const BODIES: readonly (readonly [
  service: string,
  status: number,
  body: unknown,
  kind: ModelFailureKind,
  retryable: boolean,
])[] = [
  [
    "Ollama",
    404,
    { error: { message: 'model "qwen9" not found, try pulling it first', type: "api_error" } },
    "unknown_model",
    false,
  ],
  [
    "Ollama, 400",
    400,
    { error: { message: "does not support tools", type: "api_error" } },
    "bad_request",
    false,
  ],
  [
    "LM Studio",
    400,
    {
      error:
        "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens",
    },
    "context_length",
    false,
  ],
  [
    "llama.cpp",
    400,
    {
      error: {
        code: 400,
        message: "the request exceeds the available context size, try increasing it",
        type: "exceed_context_size_error",
      },
    },
    "context_length",
    false,
  ],
  [
    "llama.cpp, loading",
    503,
    { error: { code: 503, message: "Loading model", type: "unavailable_error" } },
    "unavailable",
    true,
  ],
  [
    "vLLM",
    400,
    {
      object: "error",
      message:
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
      type: "BadRequestError",
      code: 400,
    },
    "context_length",
    false,
  ],
  [
    "vLLM, model",
    404,
    { error: { message: "The model `x` does not exist.", type: "NotFoundError", code: 404 } },
    "unknown_model",
    false,
  ],
  [
    "FastAPI",
    422,
    { detail: [{ loc: ["body", "messages"], msg: "Field required" }] },
    "bad_request",
    false,
  ],
  ["Mistral", 401, { detail: "Unauthorized" }, "auth", false],
  [
    "Mistral, model",
    400,
    {
      object: "error",
      message: "Invalid model: mistral-huge",
      type: "invalid_model",
      code: "1500",
    },
    "unknown_model",
    false,
  ],
  [
    "Mistral, context",
    400,
    {
      message:
        "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
      type: "invalid_request_prompt",
    },
    "context_length",
    false,
  ],
  [
    "Groq",
    413,
    {
      error: {
        message: "Request too large for model: please reduce the length",
        code: "request_too_large",
      },
    },
    "context_length",
    false,
  ],
  [
    "Groq, rate",
    429,
    {
      error: {
        message: "Rate limit reached … Please try again in 7.66s.",
        type: "tokens",
        code: "rate_limit_exceeded",
      },
    },
    "rate_limit",
    true,
  ],
  ["OpenRouter", 402, { error: { code: 402, message: "Insufficient credits" } }, "quota", false],
  [
    "OpenRouter, model",
    400,
    { error: { code: 400, message: "no/such is not a valid model ID" } },
    "unknown_model",
    false,
  ],
  [
    "OpenRouter, upstream",
    502,
    { error: { code: 502, message: "Provider returned error" } },
    "unavailable",
    true,
  ],
  [
    "DeepSeek",
    402,
    {
      error: {
        message: "Insufficient Balance",
        type: "unknown_error",
        code: "invalid_request_error",
      },
    },
    "quota",
    false,
  ],
  [
    "Azure",
    400,
    {
      error: {
        code: "content_filter",
        message: "The response was filtered",
        innererror: { code: "ResponsibleAIPolicyViolation" },
      },
    },
    "content_filter",
    false,
  ],
  [
    "Azure, deployment",
    404,
    {
      error: {
        code: "DeploymentNotFound",
        message: "The API deployment for this resource does not exist.",
      },
    },
    "unknown_model",
    false,
  ],
  [
    "xAI",
    400,
    { code: "Client specified an invalid argument", error: "Incorrect API key provided: xa***yz." },
    "auth",
    false,
  ],
  [
    "Google, key",
    400,
    {
      error: {
        code: 400,
        status: "INVALID_ARGUMENT",
        message: "API key not valid.",
        details: [{ reason: "API_KEY_INVALID" }],
      },
    },
    "auth",
    false,
  ],
  [
    "Google, list",
    503,
    [{ error: { code: 503, status: "UNAVAILABLE", message: "The model is overloaded." } }],
    "unavailable",
    true,
  ],
  [
    "Anthropic, large",
    413,
    {
      type: "error",
      error: { type: "request_too_large", message: "Request exceeds the maximum size" },
    },
    "context_length",
    false,
  ],
  [
    "Anthropic, input and limit",
    400,
    {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000",
      },
    },
    "context_length",
    false,
  ],
  [
    "OpenAI, tokens a minute",
    429,
    {
      error: {
        message:
          "Request too large for gpt-4.1 on tokens per min (TPM): Limit 30000, Requested 40000.",
        type: "tokens",
        code: "rate_limit_exceeded",
      },
    },
    "rate_limit",
    true,
  ],
  ["a gateway", 504, "<html>Gateway Time-out</html>", "timeout", true],
  ["a gateway, no words", 502, "", "unavailable", true],
  ["a conflict", 409, { error: { message: "try again" } }, "unavailable", true],
  ["a wrong path", 404, "404 page not found", "bad_request", false],
  ["anything else", 418, {}, "bad_request", false],
];

test.each(BODIES)("%s (%i)", (_service, status, body, kind, retryable) => {
  const error = new APICallError({
    message: "failed",
    url: "https://x",
    requestBodyValues: {},
    statusCode: status,
    responseBody: typeof body === "string" ? body : JSON.stringify(body),
  });
  const service = serviceErrorOf(error);
  if (service === undefined) throw new Error("not read");
  expect(kindOfServiceError(service)).toEqual({ kind, retryable });
});

/** Parts of streams bring objects, with a status or without. */
test.each([
  [{ type: "overloaded_error", message: "Overloaded" }, "unavailable", true],
  [{ message: "Rate limit", code: "rate_limit_exceeded", statusCode: 429 }, "rate_limit", true],
  [{ error: { message: "quota", code: "insufficient_quota" } }, "quota", false],
  [{ message: "This model's maximum context length is 8192 tokens." }, "context_length", false],
  ['{"error":{"message":"Internal","type":"server_error"}}', "unavailable", true],
  [{ message: "something else" }, "unavailable", true],
] as const)("error part %j", (part, kind, retryable) => {
  const service = serviceErrorOf(part);
  if (service === undefined) throw new Error("not read");
  expect(kindOfServiceError(service)).toEqual({ kind, retryable });
});
