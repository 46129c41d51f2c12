import type { Redactor } from "../../redaction/redactor.ts";
import type { McpServerDefinition } from "../config/server-definition.ts";
import type { HttpFailure, TransportEnd } from "../transports/opened-transport.ts";
import { type ErrorFacts, errorFacts, excerpt } from "./error-facts.ts";
import type { ConnectionFailure } from "./mcp-connection.ts";
import { slowStartRemedy } from "./slow-start.ts";

/** What there is to say about one server. */
export interface FailureContext {
  readonly name: string;
  readonly definition: McpServerDefinition;
  /** Knows the secrets of the definition: whatever is cut loses them before. */
  readonly redact: Redactor;
  /** The end of what its process wrote to stderr, without secrets; empty: nothing. */
  stderrTail(): string;
  /** The last lines of stdout that were no messages, without secrets; empty: none. */
  skippedTail(): string;
  /** The last HTTP request that failed; what the SDK throws for it may say less. */
  lastFailure(): HttpFailure | undefined;
}

const TAIL_CHARS = 2_000;

/** The transport came to its end, whatever it was doing. */
export function endFailure(end: TransportEnd, context: FailureContext): ConnectionFailure {
  const { kind, error } = end;
  if (kind === "exited") {
    const code = end.exitCode === null ? "" : ` with code ${end.exitCode}`;
    const how = end.signal === null ? `exited${code}` : `was ended by ${end.signal}`;
    return { kind, message: `${server(context)} ${how}.${outputOf(context)}` };
  }
  if (kind === "not_started") return notStarted(error?.message ?? "", context);
  if (kind === "broken" && context.definition.transport === "stdio") return broken(error, context);
  return requestFailure(error ?? new Error("The connection was closed."), context);
}

/** It was ended for what it did once, and may do better when it is started again. */
function broken(error: Error | undefined, context: FailureContext): ConnectionFailure {
  const how = error?.message ?? `${server(context)} broke off.`;
  return {
    kind: isTooLarge(how) ? "too_large" : "exited",
    message: `${how} It was ended for that.${outputOf(context)}`,
  };
}

function notStarted(reason: string, context: FailureContext): ConnectionFailure {
  const { definition } = context;
  if (definition.transport !== "stdio") {
    return {
      kind: "unreachable",
      message: `${server(context)} cannot be reached: ${excerpt(reason, context.redact)}`,
    };
  }
  // A folder that is not there says nothing about the command.
  const remedy = reason.startsWith("The working directory ")
    ? "Does that folder exist? It is `cwd` in the definition, or the workspace."
    : `Is ${JSON.stringify(definition.command)} installed and on PATH?`;
  return {
    kind: "not_started",
    message: `${server(context)} could not be started. ${excerpt(reason, context.redact)} ${remedy}${outputOf(context)}`,
  };
}

/** No answer to the greeting. */
export function startTimeout(context: FailureContext): ConnectionFailure {
  const { definition } = context;
  const said = `${server(context)} did not answer within ${definition.startupTimeoutMs} ms.`;
  return { kind: "timeout", message: `${said} ${slowStartRemedy(context)}${outputOf(context)}` };
}

/** A request that did not get through, or was answered with something that is no answer. */
export function requestFailure(error: unknown, context: FailureContext): ConnectionFailure {
  const facts = withLast(errorFacts(error), context);
  const known =
    httpFailure(facts, context) ??
    protocolFailure(facts, context) ??
    networkFailure(facts, context);
  return (
    known ?? {
      kind: "unreachable",
      message: `${server(context)} could not be reached: ${sentence(facts.message, context)}${outputOf(context)}`,
    }
  );
}

/** An error of the event stream has neither a status nor a code. */
function withLast(facts: ErrorFacts, context: FailureContext): ErrorFacts {
  const last = context.definition.transport === "sse" ? context.lastFailure() : undefined;
  if (facts.status !== undefined || !last) return facts;
  const { status, code } = last;
  return {
    ...facts,
    ...(status !== undefined && { status }),
    codes: code === undefined ? facts.codes : [...facts.codes, code],
  };
}

function httpFailure(facts: ErrorFacts, context: FailureContext): ConnectionFailure | undefined {
  const { status } = facts;
  if (status === undefined || status < 300) return undefined;
  if (status === 401 || status === 403) return needsAuth(status, context);
  const said = `${server(context)} answered with HTTP ${status}${bodyOf(facts, context)}.`;
  if (status < 400)
    return {
      kind: "unreachable",
      message: `${said} Put the address that it redirects to in its definition.`,
    };
  if (status === 404 || status === 405)
    return { kind: "protocol", message: `${said} Is the url the one of its MCP endpoint?` };
  return { kind: "unreachable", message: said };
}

export function needsAuth(status: number, context: FailureContext): ConnectionFailure {
  const { definition } = context;
  const given =
    definition.transport !== "stdio" &&
    Object.keys(definition.headers).some((name) => name.toLowerCase() === "authorization");
  const remedy = given
    ? "Check the `Authorization` header in its definition"
    : "Add a header such as `Authorization` to its definition";
  return {
    kind: "needs_auth",
    message: `${server(context)} refused the connection with HTTP ${status}. ${remedy}; interactive sign-in is not supported.`,
  };
}

/** The endpoint offers events only, which is the older way. */
export function sseOnly(context: FailureContext): ConnectionFailure {
  return {
    kind: "protocol",
    message: `${server(context)} takes no messages at its url, but offers events there, the older way to speak MCP. Use "type": "sse" in its definition.`,
  };
}

const OWN_VERSION = /protocol version is not supported: (.+)/su;

function protocolFailure(
  facts: ErrorFacts,
  context: FailureContext,
): ConnectionFailure | undefined {
  const of = (what: string): ConnectionFailure => ({
    kind: "protocol",
    message: `${server(context)} ${what}${outputOf(context)}`,
  });
  const version = OWN_VERSION.exec(facts.message)?.[1];
  if (version !== undefined)
    return of(
      `speaks version ${excerpt(version, context.redact, 40)} of the protocol, which this client does not. Use another release of the server.`,
    );
  if (facts.codes.includes("CLIENT_HTTP_UNEXPECTED_CONTENT"))
    return of(
      `answered with ${excerpt(facts.contentType ?? "no content type", context.redact, 60)} instead of JSON. Is the url the one of its MCP endpoint, and not of a web page?`,
    );
  if (facts.names.includes("SyntaxError"))
    return of("answered with something that is no JSON. Is the url the one of its MCP endpoint?");
  if (facts.rpcCode !== undefined)
    return of(
      `refused the greeting: ${excerpt(facts.message, context.redact)} (${facts.rpcCode}).`,
    );
  if (facts.codes.includes("INVALID_RESULT") || facts.names.some((name) => /Zod/u.test(name)))
    return of("answered the greeting with something that is not MCP. Is it an MCP server?");
  return undefined;
}

function networkFailure(facts: ErrorFacts, context: FailureContext): ConnectionFailure | undefined {
  const code = facts.codes.find((it) =>
    /^(?:E[A-Z]{3,}|UND_|CERT_|DEPTH_|SELF_|UNABLE_)/u.test(it),
  );
  if (code === undefined) return undefined;
  return {
    kind: "unreachable",
    message: `${server(context)} could not be reached (${code}). Does it run, and is the url right?`,
  };
}

function sentence(text: string, { redact }: FailureContext): string {
  const shown = excerpt(text, redact);
  return /[.!?…]$/u.test(shown) ? shown : `${shown}.`;
}

export function server({ name }: Pick<FailureContext, "name">): string {
  return `The MCP server ${JSON.stringify(name)}`;
}

/** An HTML page says nothing in a sentence. */
function bodyOf({ body }: ErrorFacts, { redact }: FailureContext): string {
  const text = body?.trim() ?? "";
  return text === "" || text.startsWith("<") ? "" : ` (${excerpt(text, redact)})`;
}

/** What its process left behind: a reason is mostly there, and in no other place. */
function outputOf(context: FailureContext): string {
  const outputs = [
    ["stderr", context.stderrTail().trim()],
    ["stdout", context.skippedTail().trim()],
  ] as const;
  const written = outputs.filter(([, text]) => text !== "");
  const told = written.map(([stream, text]) => ` It wrote to ${stream}: ${tellingLine(text)}`);
  const rest = written.filter(([, text]) => text !== tellingLine(text));
  return [
    told.join(""),
    ...rest.map(([stream, text]) => `The end of its ${stream}:\n${tail(text)}`),
  ].join("\n");
}

function tail(text: string): string {
  return text.length <= TAIL_CHARS ? text : `…${text.slice(-TAIL_CHARS)}`;
}

const TELLING = /(?:error|exception|panic(?:ked)?|fatal)\b[^:]*:/iu;
const TELLING_CHARS = 300;

/** What somebody reads first: the last line that names an error, or the first one. The text holds no secrets. */
function tellingLine(text: string): string {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const line = lines.findLast((one) => TELLING.test(one)) ?? lines[0] ?? "";
  return line.length <= TELLING_CHARS ? line : `${line.slice(0, TELLING_CHARS)}…`;
}

/** What transports say about a message that they do not read. */
export function isTooLarge(message: string): boolean {
  return /more than \d+ MiB/u.test(message);
}
