import {
  type AcpRequest,
  acpRequestSchema,
  type ParsedAcpRequest,
  plainRequest,
} from "../envelope/acp-request.ts";
import { jsonCopy } from "../envelope/json-copy.ts";
import type { ValidationError } from "../errors/domain-error.ts";
import { invalid, invalidAt } from "../operations/parse-params.ts";

const WHAT = "The request is not valid";

/** The request with every default, as JSON of its own; or why it is none. Never throws. */
export function readEnvelope(request: AcpRequest): ParsedAcpRequest | ValidationError {
  const copy = jsonCopy(request);
  if ("fault" in copy) return invalidAt(WHAT, [copy.fault]);
  const plain = plainRequest(copy.value);
  if (plain !== undefined) return plain;
  const parsed = acpRequestSchema.safeParse(copy.value);
  return parsed.success ? parsed.data : invalid(WHAT, parsed.error);
}
