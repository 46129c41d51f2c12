import type { ModelFailureKind } from "../errors.ts";
import type { ServiceError } from "./service-error.ts";

export interface KindOfFailure {
  readonly kind: ModelFailureKind;
  readonly retryable: boolean;
}

interface Rule {
  readonly kind: ModelFailureKind;
  readonly retryable: boolean;
  /** Statuses it holds for, `server` = 5xx and none at all; default all. */
  readonly statuses?: readonly number[] | "server";
  readonly code?: RegExp;
  readonly text?: RegExp;
}

/**
 * Read from the top; codes come before words, and special kinds before general ones: an exhausted quota is a 429 (OpenAI),
 * a 400 (Anthropic) or a 402 (OpenRouter), a wrong key is a 400 (Google).
 */
const RULES: readonly Rule[] = [
  {
    kind: "quota",
    retryable: false,
    code: /insufficient_quota|billing|insufficient_(?:balance|credits|funds)|exceeded_current_quota|perday/,
  },
  { kind: "quota", retryable: false, statuses: [402] },
  {
    kind: "quota",
    retryable: false,
    statuses: [400, 403, 429],
    text: /credit balance is too low|insufficient (?:account )?(?:balance|credits?|funds|quota)|payment required|account .*suspended/i,
  },
  {
    kind: "context_length",
    retryable: false,
    code: /context_length_exceeded|context_window|context_size|request_too_large/,
  },
  {
    kind: "context_length",
    retryable: false,
    statuses: [400, 413, 422, 500],
    text: /context (?:length|window|size|limit)|prompt is too long|(?:input|prompt|request) (?:is )?too (?:long|large)|input token count|token count .* exceeds|too many (?:input |total )?tokens|exceeds? the (?:maximum|max|model'?s)[^.]*tokens|maximum (?:context|prompt|input) length|reduce the length|input is too long/i,
  },
  {
    kind: "content_filter",
    retryable: false,
    code: /content_filter|content_policy|responsibleaipolicyviolation|data_inspection_failed|prohibited_content|^safety$/,
  },
  {
    kind: "content_filter",
    retryable: false,
    statuses: [400, 403, 422],
    text: /content (?:filter|management policy|policy)|prompt was (?:flagged|blocked)|flagged as potentially|usage policy|content_?filter/i,
  },
  {
    kind: "auth",
    retryable: false,
    code: /invalid_api_key|api_key_invalid|authentication_error|permission_(?:error|denied)|unauthenticated|accessdenied|unrecognizedclient|expiredtoken|invalidsignature|signaturedoesnotmatch/,
  },
  { kind: "auth", retryable: false, statuses: [401] },
  {
    kind: "auth",
    retryable: false,
    statuses: [400, 403],
    text: /api.?key (?:not valid|is invalid|expired)|incorrect api key|invalid (?:api|x-api)[- ]?key/i,
  },
  {
    kind: "unknown_model",
    retryable: false,
    code: /model_not_found|model_not_exist|deploymentnotfound/,
  },
  {
    kind: "unknown_model",
    retryable: false,
    statuses: [400, 403, 404, 422],
    text: /\bmodels?\b.{0,120}(?:not found|does not exist|not exist|not available|no longer available|not supported for|is not a valid)|(?:unknown|invalid|no such|not a valid|unsupported) model\b(?! (?:parameter|setting))|not a valid model|model identifier is invalid|^model: /i,
  },
  { kind: "auth", retryable: false, statuses: [403] },
  { kind: "timeout", retryable: true, statuses: [408, 504] },
  { kind: "rate_limit", retryable: true, statuses: [429] },
  {
    kind: "rate_limit",
    retryable: true,
    code: /rate_limit|throttl|too_?many_?requests|resource_exhausted/,
  },
  {
    kind: "unavailable",
    retryable: true,
    statuses: "server",
    code: /overloaded|service_?unavailable|internal_?(?:server_?)?(?:error|exception)|server_error|api_error|modelnotready|^unavailable$|^internal$/,
  },
  { kind: "unavailable", retryable: true, statuses: [409, 425] },
  { kind: "bad_request", retryable: false, statuses: [501, 505] },
];

/** Kind of a failure that a service reported. */
export function kindOfServiceError({ status, message, codes }: ServiceError): KindOfFailure {
  const rule = RULES.find((candidate) => applies(candidate, status, message, codes));
  if (rule !== undefined) return { kind: rule.kind, retryable: rule.retryable };
  if (status === undefined || status >= 500) return { kind: "unavailable", retryable: true };
  return { kind: "bad_request", retryable: false };
}

function applies(
  { statuses, code, text }: Rule,
  status: number | undefined,
  message: string,
  codes: readonly string[],
): boolean {
  if (statuses !== undefined && !holds(statuses, status, text !== undefined)) return false;
  if (code !== undefined && !codes.some((candidate) => code.test(candidate))) return false;
  return text === undefined || text.test(message);
}

/** Errors inside a stream mostly bring no status: there the words must do. */
function holds(
  statuses: readonly number[] | "server",
  status: number | undefined,
  hasText: boolean,
): boolean {
  if (statuses === "server") return status === undefined || status >= 500;
  return status === undefined ? hasText : statuses.includes(status);
}
