import { isJsonObject } from "@acumen/core";
import { isTooLarge, requestFailure, server } from "./connection-failures.ts";
import { errorFacts, excerpt, isUnsent } from "./error-facts.ts";
import type { CallAnswer } from "./mcp-connection.ts";
import type { RawAnswer } from "./raw-requests.ts";
import type { ServerLink } from "./server-link.ts";

export type Unanswered = Exclude<RawAnswer, { kind: "result" }>;
export type FailedCall = Extract<CallAnswer, { ok: false }>;

export type Asked = "the call" | "the list of tools";

/** Nothing was sent. */
export const NOBODY_THERE: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

/** What became of a request that got no result. */
export function describeAnswer(answer: Unanswered, what: Asked, link: ServerLink): FailedCall {
  const who = server(link.facts);
  switch (answer.kind) {
    case "error":
      return refused(
        `${who} refused ${what}: ${excerpt(answer.message, link.facts.redact, 2_000)} (${answer.code}).`,
      );
    case "unreadable":
      return unusable(answer.message, what, link);
    case "timeout": {
      const within = `within ${answer.ms} ms`;
      const how = answer.total
        ? `sent progress but did not finish ${what} ${within}`
        : `did not answer ${what} ${within}`;
      return { ok: false, kind: "timeout", mayHaveRun: true, message: `${who} ${how}.` };
    }
    case "cut":
      return {
        ok: false,
        kind: link.takeTooLarge() ? "too_large" : "closed",
        mayHaveRun: true,
        message: `${who} ended its answer to ${what} before it was complete.`,
      };
    case "ended":
      return ended(what, link, answer.sent);
    case "failed":
      return failed(answer.error, what, link);
  }
}

function ended(what: Asked, link: ServerLink, sent: boolean): FailedCall {
  const { failure } = link;
  if (!sent) return notSent(failure?.message ?? "The connection was closed.");
  const base = { ok: false, mayHaveRun: true } as const;
  if (failure === undefined) {
    const message = `The connection was closed while ${what} waited.`;
    return { ...base, kind: "closed", message };
  }
  const kind =
    failure.kind === "session_lost" || failure.kind === "too_large" ? failure.kind : "closed";
  return { ...base, kind, message: `There is no answer to ${what}. ${failure.message}` };
}

function failed(error: unknown, what: Asked, link: ServerLink): FailedCall {
  const facts = errorFacts(error);
  const { status } = facts;
  if (status === undefined) {
    if (isUnsent(error)) return unsent(error, link);
    if (link.failure) return ended(what, link, true);
  }
  const who = server(link.facts);
  if (isTooLarge(facts.message))
    return {
      ok: false,
      kind: "too_large",
      mayHaveRun: true,
      message: `${who} answered ${what} with too much: ${excerpt(facts.message, link.facts.redact)}`,
    };
  if (status === undefined) return withoutStatus(error, what, link);
  if (isSessionLost(error, link)) {
    const message = `${who} knows its session no more (HTTP ${status}), so that ${what} did not run. It is connected anew.`;
    return { ok: false, kind: "session_lost", mayHaveRun: false, message };
  }
  const rpc = rpcError(facts.body);
  if (rpc)
    return refused(
      `${who} refused ${what}: ${excerpt(rpc.message, link.facts.redact, 2_000)} (${rpc.code}).`,
    );
  return { ...refused(requestFailure(error, link.facts).message), mayHaveRun: isOpen(status) };
}

/** Something between here and the server may have given up on it, and a success that cannot be read is one. */
function isOpen(status: number): boolean {
  return status < 300 || status >= 500 || status === 408;
}

/** What transports say themselves names the reason; what the system says is a code. */
function unsent(error: unknown, link: ServerLink): FailedCall {
  const { codes, message } = errorFacts(error);
  if (link.failure) return notSent(link.failure.message);
  return notSent(
    codes.includes("NOT_SENT")
      ? excerpt(message, link.facts.redact)
      : requestFailure(error, link.facts).message,
  );
}

/** The answer was none, or nobody answered. */
function withoutStatus(error: unknown, what: Asked, link: ServerLink): FailedCall {
  const facts = errorFacts(error);
  if (requestFailure(error, link.facts).kind === "protocol")
    return unusable(facts.message, what, link);
  const why = facts.codes.at(-1) ?? excerpt(facts.message, link.facts.redact);
  const message = `The connection broke while ${what} waited (${why}).`;
  return { ok: false, kind: "closed", mayHaveRun: true, message };
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

/** The server says itself what came of it. */
function refused(message: string): FailedCall {
  return { ok: false, kind: "refused", mayHaveRun: false, message };
}

/** It was answered, whatever the answer says. */
function unusable(why: string, what: Asked, link: ServerLink): FailedCall {
  const text = excerpt(why, link.facts.redact);
  const end = /[.!?…]$/u.test(text) ? "" : ".";
  const message = `${server(link.facts)} answered ${what} with something that is no answer: ${text}${end}`;
  return { ok: false, kind: "refused", mayHaveRun: true, message };
}

export function notSent(message: string): FailedCall {
  return { ok: false, kind: "not_sent", mayHaveRun: false, message };
}
