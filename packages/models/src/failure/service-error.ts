import { APICallError } from "@ai-sdk/provider";
import { isJsonObject } from "@acumen/core";

/** What a service said about a failure, whatever the shape in which it said so. */
export interface ServiceError {
  readonly status?: number;
  readonly message: string;
  /** `code`, `type`, `status` and `reason` fields, lower case. */
  readonly codes: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Fields of an HTTP failure are copied: the error itself carries the whole prompt, headers and the URL. */
export function serviceErrorOf(error: unknown): ServiceError | undefined {
  if (APICallError.isInstance(error)) {
    const body = parsed(error.responseBody) ?? error.data;
    return {
      ...(error.statusCode !== undefined && { status: error.statusCode }),
      message: messageIn(body) ?? error.message,
      codes: codesIn(body),
      ...(error.responseHeaders !== undefined && { headers: error.responseHeaders }),
      body,
    };
  }
  return streamError(error);
}

/** Error parts of streams: plain objects, sometimes JSON text, sometimes the object in `data`. */
function streamError(error: unknown): ServiceError | undefined {
  const value = typeof error === "string" ? (parsed(error) ?? { message: error }) : error;
  if (!isJsonObject(value) || value instanceof Error) return undefined;
  const body = isJsonObject(value["data"]) ? value["data"] : value;
  const message = messageIn(value) ?? messageIn(body);
  if (message === undefined) return undefined;
  const codes = [...new Set([...codesIn(value), ...codesIn(body)])];
  const status = statusIn(value) ?? statusIn(body);
  return { ...(status !== undefined && { status }), message, codes, body };
}

function parsed(text: string | undefined): unknown {
  if (text === undefined || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The object that holds message and codes: `{error: {…}}`, `[{error: {…}}]`, `{response: {error: {…}}}` or the value itself. */
function errorObject(body: unknown): Record<string, unknown> | undefined {
  const value: unknown = Array.isArray(body) ? body[0] : body;
  if (!isJsonObject(value)) return undefined;
  if (isJsonObject(value["error"])) return value["error"];
  const response = value["response"];
  if (isJsonObject(response) && isJsonObject(response["error"])) return response["error"];
  return value;
}

function messageIn(body: unknown): string | undefined {
  const error = errorObject(body);
  if (error === undefined) return undefined;
  const candidates = [error["message"], error["Message"], error["error"], error["detail"]];
  const text = candidates.find((value) => typeof value === "string" && value !== "");
  if (typeof text === "string") return text;
  // FastAPI: a list of what is wrong with the request.
  const [detail] = Array.isArray(error["detail"]) ? (error["detail"] as unknown[]) : [];
  return isJsonObject(detail) && typeof detail["msg"] === "string" ? detail["msg"] : undefined;
}

function codesIn(body: unknown): string[] {
  const error = errorObject(body);
  if (error === undefined) return [];
  const inner = error["innererror"];
  const details = Array.isArray(error["details"]) ? (error["details"] as unknown[]) : [];
  const values = [
    error["code"],
    error["type"],
    error["status"],
    error["reason"],
    error["__type"],
    isJsonObject(inner) ? inner["code"] : undefined,
    ...details.flatMap(codesOfDetail),
  ];
  return values.filter((value) => typeof value === "string").map((text) => text.toLowerCase());
}

/** Google: `reason` of ErrorInfo, `quotaId` of QuotaFailure. */
function codesOfDetail(detail: unknown): unknown[] {
  if (!isJsonObject(detail)) return [];
  const violations = Array.isArray(detail["violations"]) ? (detail["violations"] as unknown[]) : [];
  const quotas = violations.map((item) => (isJsonObject(item) ? item["quotaId"] : undefined));
  return [detail["reason"], ...quotas];
}

function statusIn(body: unknown): number | undefined {
  const error = errorObject(body);
  if (error === undefined) return undefined;
  const values = [error["statusCode"], error["status"], error["code"]];
  const numbers = values.map((value) => (typeof value === "string" ? Number(value) : value));
  const status = numbers.find(
    (value) => typeof value === "number" && Number.isInteger(value) && value >= 400 && value < 600,
  );
  return typeof status === "number" ? status : undefined;
}
