import {
  APICallError,
  EmptyResponseBodyError,
  InvalidResponseDataError,
  JSONParseError,
  NoContentGeneratedError,
  TypeValidationError,
  UnsupportedFunctionalityError,
  InvalidPromptError,
  InvalidArgumentError,
  NoSuchModelError,
  LoadAPIKeyError,
  LoadSettingError,
} from "@ai-sdk/provider";
import { abortError, AcumenError } from "@acumen/core";
import { modelError, type ModelFailureKind } from "../errors.ts";
import { kindOfServiceError } from "./failure-kind.ts";
import { networkFailureOf } from "./network-failure.ts";
import { redact } from "./redact.ts";
import { retryAfterMs } from "./retry-after.ts";
import { type ServiceError, serviceErrorOf } from "./service-error.ts";

/** What a message needs to know about the model it is about. */
export interface FailureContext {
  readonly provider: string;
  readonly model: string;
  readonly title: string;
  /** Variable that the key came from. */
  readonly keyVariable?: string;
  readonly baseUrlVariable?: string;
  /** Origin and path, without credentials. */
  readonly baseUrl?: string;
  readonly startHint?: string;
  readonly secrets: readonly string[];
}

/**
 * Any failure of a call as a coded error. The signal comes first: an abort while an answer streams in looks like a
 * failed answer with status 200. Provider errors are copied field by field and never kept: they hold the prompt,
 * headers and the URL.
 */
export function classify(
  error: unknown,
  context: FailureContext,
  signal?: AbortSignal,
): AcumenError {
  if (signal?.aborted) return abortError(signal);
  if (AcumenError.isInstance(error)) return error;
  const service = serviceErrorOf(error);
  if (service !== undefined && isServiceAnswer(error, service)) {
    return serviceFailure(error, service, context);
  }
  const network = networkFailureOf(error);
  if (network !== undefined) {
    const { kind, retryable, code, unreachable } = network;
    const where = context.baseUrl === undefined ? "" : ` at ${context.baseUrl}`;
    const text = unreachable
      ? `Nothing answers${where} (${code}): ${reachHint(context)}.`
      : kind === "timeout"
        ? `${context.title}${where} did not answer in time (${code}).`
        : `The connection to ${context.title}${where} failed (${code}).`;
    return failed(text, error, context, { kind, retryable });
  }
  const { kind, retryable, text } = sortOther(error, context);
  return failed(text, error, context, { kind, retryable });
}

/** Status 200 and no status mean that the request or the reading failed, not that the service refused. */
function isServiceAnswer(error: unknown, { status }: ServiceError): boolean {
  if (!APICallError.isInstance(error)) return true;
  return status !== undefined && status >= 300;
}

function serviceFailure(
  error: unknown,
  service: ServiceError,
  context: FailureContext,
): AcumenError {
  const { status, headers, body, message } = service;
  if (status !== undefined && status >= 300 && status < 400) {
    return failed(
      `${context.title} answered with a redirect (HTTP ${status}), which is not followed because it would carry the key along. ${baseUrlHint(context)}`,
      error,
      context,
      { kind: "bad_request", status },
    );
  }
  const { kind, retryable } = kindOfServiceError(service);
  const wait = retryable ? retryAfterMs(headers, body, message) : undefined;
  return failed(sentence(kind, service, context), error, context, {
    kind,
    retryable: retryable && headers?.["x-should-retry"] !== "false",
    ...(wait !== undefined && { retryAfterMs: wait }),
    ...(status !== undefined && { status }),
  });
}

const REASONS: Readonly<Record<ModelFailureKind, string>> = {
  auth: "refused the key",
  rate_limit: "has had too many requests",
  quota: "says that the quota or the credit is used up",
  timeout: "did not answer in time",
  unavailable: "cannot answer just now",
  bad_request: "refused the request",
  context_length: "says that the conversation is too long for the model",
  content_filter: "blocked the conversation by its content policy",
  not_installed: "is not installed",
  unknown_model: "does not have the model",
  invalid_output: "gave an answer that cannot be used",
};

const SIGNED =
  /request signature|canonical (?:string|request)|string[- ]to[- ]sign|signed ?headers/i;

function sentence(kind: ModelFailureKind, service: ServiceError, context: FailureContext): string {
  const status = service.status === undefined ? "" : ` (HTTP ${service.status})`;
  const head = `${context.title} ${REASONS[kind]}${status}, model "${context.model}".`;
  // The texts of a refused key repeat parts of it, those of a wrong signature all that was signed.
  const hidden = (kind === "auth" && service.status !== 403) || SIGNED.test(service.message);
  const said = hidden ? "" : redact(service.message, context.secrets);
  return [head, said === "" ? "" : `It says: "${said}"`, remedy(kind, service, context)]
    .filter((part) => part !== "")
    .join(" ");
}

function remedy(kind: ModelFailureKind, service: ServiceError, context: FailureContext): string {
  switch (kind) {
    case "auth":
      return context.keyVariable === undefined
        ? "Check how you sign in."
        : `Check ${context.keyVariable} and what it may be used for.`;
    case "quota":
      return "Check plan and billing of the account, or choose another model.";
    case "context_length":
      return "Send less, or choose a model with a larger context window.";
    case "unknown_model":
      return "Check the name, and whether your account may use it.";
    case "bad_request":
      return service.status === 404 ? baseUrlHint(context) : "";
    case "rate_limit":
    case "timeout":
    case "unavailable":
    case "content_filter":
    case "not_installed":
    case "invalid_output":
      return "";
  }
}

function baseUrlHint({ baseUrlVariable, baseUrl }: FailureContext): string {
  return `Check the address${baseUrl === undefined ? "" : ` ${baseUrl}`}${baseUrlVariable === undefined ? "" : ` (${baseUrlVariable})`}.`;
}

function reachHint({ startHint, baseUrlVariable }: FailureContext): string {
  const variable = baseUrlVariable === undefined ? "" : ` or set ${baseUrlVariable}`;
  return startHint === undefined
    ? `check the network${baseUrlVariable === undefined ? "" : ` and ${baseUrlVariable}`}`
    : `${startHint}${variable}`;
}

interface Sorted {
  readonly kind: ModelFailureKind;
  readonly retryable: boolean;
  readonly text: string;
}

/** Neither an answer of the service nor a broken connection: an answer that is none, or a request that the package refuses. */
function sortOther(error: unknown, { title, secrets }: FailureContext): Sorted {
  const cause = innermost(error);
  if (isUnreadable(cause) || APICallError.isInstance(error)) {
    return {
      kind: "unavailable",
      retryable: true,
      text: `${title} sent something that is not an answer of its protocol, or only a part of one.`,
    };
  }
  const message = redact(error instanceof Error ? error.message : String(error), secrets);
  if (isRefusedRequest(error)) {
    return {
      kind: "bad_request",
      retryable: false,
      text: `${title} cannot be asked this way: ${message}`,
    };
  }
  if (NoSuchModelError.isInstance(error)) {
    return {
      kind: "unknown_model",
      retryable: false,
      text: `${title} has no such model: ${message}`,
    };
  }
  if (LoadAPIKeyError.isInstance(error) || LoadSettingError.isInstance(error)) {
    return { kind: "auth", retryable: false, text: `${title} needs a setting: ${message}` };
  }
  if (/credentials|sign[- ]?in|authenticat/i.test(message)) {
    return { kind: "auth", retryable: false, text: `${title} needs a sign-in: ${message}` };
  }
  return { kind: "unavailable", retryable: false, text: `The call to ${title} failed: ${message}` };
}

function isUnreadable(error: unknown): boolean {
  return [
    JSONParseError,
    TypeValidationError,
    InvalidResponseDataError,
    EmptyResponseBodyError,
    NoContentGeneratedError,
  ].some((type) => type.isInstance(error));
}

function isRefusedRequest(error: unknown): boolean {
  return [UnsupportedFunctionalityError, InvalidPromptError, InvalidArgumentError].some((type) =>
    type.isInstance(error),
  );
}

function innermost(error: unknown): unknown {
  let link = error;
  for (let depth = 0; depth < 8; depth += 1) {
    if (isUnreadable(link) || !(link instanceof Error) || link.cause === undefined) return link;
    link = link.cause;
  }
  return link;
}

function failed(
  message: string,
  error: unknown,
  { provider, model, secrets }: FailureContext,
  rest: {
    readonly kind: ModelFailureKind;
    readonly retryable?: boolean;
    readonly retryAfterMs?: number;
    readonly status?: number;
  },
): AcumenError {
  return modelError(message, { provider, model, ...rest, cause: sanitisedCause(error, secrets) });
}

/** Name, code and redacted message of the original; nothing else of it survives. */
function sanitisedCause(error: unknown, secrets: readonly string[]): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  const cause = new Error(causeText(error, secrets));
  cause.name = error.name;
  const code = (networkFailureOf(error) ?? (error as NodeJS.ErrnoException)).code;
  // The stack of the original repeats its message.
  delete cause.stack;
  return typeof code === "string" ? Object.assign(cause, { code }) : cause;
}

/** Parse errors quote the answer, validation errors the value: what a model or a service said is not for logs. */
function causeText(error: Error, secrets: readonly string[]): string {
  if (isUnreadable(error)) return "unreadable answer";
  // What the service said stands in the message already, where it may.
  if (APICallError.isInstance(error) && error.statusCode !== undefined)
    return `HTTP ${error.statusCode}`;
  return redact(error.message, secrets);
}
