import { untilAborted } from "@acumen/core";
import {
  APPROVAL_ANSWERS,
  type ApprovalAnswer,
  type ApprovalGateway,
  type ApprovalRequest,
} from "./approval-gateway.ts";

/**
 * Waits for an answer, no longer than until the abort; what the gateway does afterwards is ignored. `failed`: it threw, or what it
 * gave is no answer.
 */
export async function askGateway(
  gateway: ApprovalGateway,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<ApprovalAnswer | "failed"> {
  if (signal.aborted) return "cancelled";
  try {
    const asked = Promise.resolve(gateway.request(request, signal));
    // A rejection after the abort concerns nobody any more.
    asked.catch(() => undefined);
    const answer: unknown = await untilAborted(asked, signal);
    if (signal.aborted) return "cancelled";
    return APPROVAL_ANSWERS.find((known) => known === answer) ?? "failed";
  } catch {
    return signal.aborted ? "cancelled" : "failed";
  }
}
