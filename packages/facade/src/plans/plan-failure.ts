import { AcumenError, createId, isJsonObject, type Logger } from "@acumen/core";
import type { Redactor } from "@acumen/agent";
import type { JsonObject } from "../envelope/json-value.ts";
import type { Plan, PlanFailure } from "./plan.ts";

const MAX_MESSAGE_CHARS = 4000;
const MAX_DETAILS_CHARS = 16_000;

/** What went wrong, as it is kept with the plan: coded, bounded, without secrets. Of a fault of the program only an id is said. */
export function planFailure(
  error: unknown,
  plan: Pick<Plan, "plan_id" | "phase" | "attempt">,
  { redact, logger }: { readonly redact: Redactor; readonly logger: Logger },
): PlanFailure {
  const { phase, attempt } = plan;
  if (AcumenError.isInstance(error)) {
    return {
      code: error.code,
      message: redact(error.message).slice(0, MAX_MESSAGE_CHARS),
      details: boundedDetails(error.details, redact),
      phase,
      attempt,
      retryable: error.retryable,
    };
  }
  const correlationId = createId();
  logger.error("a plan failed unexpectedly", {
    correlation_id: correlationId,
    plan_id: plan.plan_id,
    cause: redact(error instanceof Error ? (error.stack ?? error.message) : String(error)),
  });
  return {
    code: "FACADE_INTERNAL_ERROR",
    message: `The ${phase} phase ended with a fault of the program; its log has the cause under ${correlationId}.`,
    details: { correlation_id: correlationId },
    phase,
    attempt,
    retryable: false,
  };
}

function boundedDetails(details: unknown, redact: Redactor): JsonObject {
  try {
    const text = redact(JSON.stringify(details));
    if (text.length > MAX_DETAILS_CHARS) return {};
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? (value as JsonObject) : {};
  } catch {
    return {};
  }
}
