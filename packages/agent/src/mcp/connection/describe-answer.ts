import { isJsonObject } from "@acumen/core";
import { isTooLarge, requestFailure, server } from "./connection-failures.ts";
import { errorFacts, excerpt } from "./error-facts.ts";
import type { CallAnswer, ConnectionFailure } from "./mcp-connection.ts";
import type { RawAnswer } from "./raw-requests.ts";
import type { ServerLink } from "./server-link.ts";

export type Unanswered = Exclude<RawAnswer, { kind: "result" }>;
export type FailedCall = Extract<CallAnswer, { ok: false }>;

/** What was asked for: a call may have had its effect, whatever was heard of it. */
export type Asked = "the call" | "the list of tools";

function mayHaveRun(what: Asked): string {
  return what === "the call" ? " It may have run all the same: look before you repeat it." : "";
}

/** Nothing was sent. */
export const NOBODY_THERE: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

/** What is said about a request that got no result. */
export function describeAnswer(answer: Unanswered, what: Asked, link: ServerLink): FailedCall {
  const who = server(link.facts);
  switch (answer.kind) {
    case "error":
      return refused(`${who} refused ${what}: ${excerpt(answer.message, 2_000)} (${answer.code}).`);
    case "unreadable":
      return refused(
        `${who} answered ${what} with something that is no answer: ${excerpt(answer.message)}${mayHaveRun(what)}`,
      );
    case "timeout": {
      const within = `within ${answer.ms} ms`;
      const how = answer.total
        ? `sent progress but did not finish ${what} ${within}`
        : `did not answer ${what} ${within}`;
      return { ok: false, kind: "timeout", message: `${who} ${how}.${mayHaveRun(what)}` };
    }
    case "cut":
      return {
        ok: false,
        kind: link.takeTooLarge() ? "too_large" : "closed",
        message: `${who} ended its answer to ${what} before it was complete.${mayHaveRun(what)}`,
      };
    case "ended":
      return ended(link.failure, what, link);
    case "failed":
      return failed(answer.error, what, link);
  }
}

function ended(failure: ConnectionFailure | undefined, what: Asked, link: ServerLink): FailedCall {
  if (failure === undefined) {
    const message = `The connection to ${server(link.facts)} was closed while ${what} waited.${mayHaveRun(what)}`;
    return { ok: false, kind: "closed", message };
  }
  const kind =
    failure.kind === "session_lost"
      ? "session_lost"
      : failure.kind === "too_large"
        ? "too_large"
        : "closed";
  // Last, since it may end with many lines of output.
  const message = `There is no answer to ${what}.${mayHaveRun(what)} ${failure.message}`;
  return { ok: false, kind, message };
}

function failed(error: unknown, what: Asked, link: ServerLink): FailedCall {
  if (link.failure) return ended(link.failure, what, link);
  const facts = errorFacts(error);
  const who = server(link.facts);
  if (isTooLarge(facts.message))
    return {
      ok: false,
      kind: "too_large",
      message: `${who} answered ${what} with too much: ${excerpt(facts.message)}${mayHaveRun(what)}`,
    };
  const { status } = facts;
  if (status === undefined) return withoutStatus(error, what, link);
  if (isSessionLost(error, link)) {
    const message = `${who} knows its session no more (HTTP ${status}), so that ${what} did not run. It is connected anew.`;
    return { ok: false, kind: "session_lost", message };
  }
  const rpc = rpcError(facts.body);
  if (rpc) return refused(`${who} refused ${what}: ${excerpt(rpc.message, 2_000)} (${rpc.code}).`);
  return refused(requestFailure(error, link.facts).message);
}

/** The answer was none, or nobody answered. */
function withoutStatus(error: unknown, what: Asked, link: ServerLink): FailedCall {
  const who = server(link.facts);
  const { kind, message } = requestFailure(error, link.facts);
  const facts = errorFacts(error);
  if (kind === "protocol") {
    const how = `${who} answered ${what} with something that is no answer`;
    return refused(`${how}: ${excerpt(facts.message)}.${mayHaveRun(what)}`);
  }
  if (facts.codes.some((code) => NOBODY_THERE.has(code)))
    return { ok: false, kind: "closed", message: `${message} It did not get ${what}.` };
  const how = `The connection to ${who} broke while ${what} waited`;
  const why = facts.codes.at(-1) ?? excerpt(facts.message);
  return { ok: false, kind: "closed", message: `${how} (${why}).${mayHaveRun(what)}` };
}

/** Servers say 404 for a session that they do not know; many say 400 and name it. */
export function isSessionLost(error: unknown, link: ServerLink): boolean {
  if (link.sessionId === undefined) return false;
  const { status, body } = errorFacts(error);
  return status === 404 || (status === 400 && /session/iu.test(body ?? ""));
}

/** The body of an HTTP error may be the answer. */
export function rpcError(body: string | undefined): { code: number; message: string } | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body ?? "");
  } catch {
    return undefined;
  }
  const error = isJsonObject(parsed) ? parsed["error"] : undefined;
  if (!isJsonObject(error)) return undefined;
  const { code, message } = error;
  return typeof code === "number" && typeof message === "string" ? { code, message } : undefined;
}

function refused(message: string): FailedCall {
  return { ok: false, kind: "refused", message };
}
