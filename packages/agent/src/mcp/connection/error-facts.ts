import { isJsonObject } from "@acumen/core";
import { redactedHead } from "../../redaction/redacted-head.ts";
import type { Redactor } from "../../redaction/redactor.ts";

/** What an error of the SDK, of fetch or of the system says, wherever in its chain of causes. */
export interface ErrorFacts {
  /** HTTP. */
  readonly status?: number;
  /** Body of an HTTP answer that is an error. */
  readonly body?: string;
  /** Of an answer that should have been JSON. */
  readonly contentType?: string;
  /** Codes as they stand there, outermost first: `ECONNREFUSED`, `REQUEST_TIMEOUT`, … */
  readonly codes: readonly string[];
  /** Of a JSON-RPC error. */
  readonly rpcCode?: number;
  /** The innermost one, which says most. */
  readonly message: string;
  readonly names: readonly string[];
}

const LONGEST_CHAIN = 6;
/** What looks for the server, or reaches for it. */
const BEFORE_SENDING: ReadonlySet<unknown> = new Set(["connect", "getaddrinfo"]);
/** No connection came about; `NOT_SENT` is what transports say themselves. */
const UNSENT_CODE =
  /^(?:NOT_SENT|ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|ERR_TLS_CERT\w+|SELF_SIGNED\w+|DEPTH_ZERO\w+|UNABLE_TO_\w+)$/u;
/** What SSE has for a failed POST is text alone. */
const STATUS_IN_TEXT = /\(HTTP (\d{3})\)|status code \((\d{3})\)/iu;

export function errorFacts(error: unknown): ErrorFacts {
  const links = chainOf(error);
  const data = links.map((link) => (isJsonObject(link["data"]) ? link["data"] : {}));
  const codes = links.map((link) => link["code"]);
  const messages = links.map((link) => link["message"]).filter((it) => typeof it === "string");
  const status = statusOf(links, data, messages);
  const body = firstText(data.map((it) => it["text"]));
  const contentType = firstText(data.map((it) => it["contentType"]));
  const rpcCode = codes.find((code) => typeof code === "number" && code < 0);
  const names = links.map((link) => link["name"]).filter((name) => typeof name === "string");
  const message = messages.findLast((it) => it !== "") ?? String(error);
  return {
    codes: codes.filter((code) => typeof code === "string"),
    names,
    // What the platform says of a text that is no JSON repeats a few characters of it, which may be the half of a secret.
    message: names.includes("SyntaxError") ? "It is no JSON." : message,
    ...(status !== undefined && { status }),
    ...(body !== undefined && { body }),
    ...(contentType !== undefined && { contentType }),
    ...(typeof rpcCode === "number" && { rpcCode }),
  };
}

function chainOf(error: unknown): readonly Readonly<Record<string, unknown>>[] {
  const links: Readonly<Record<string, unknown>>[] = [];
  let link: unknown = error;
  while (isJsonObject(link) && links.length < LONGEST_CHAIN) {
    links.push(link);
    const errors: unknown = link["errors"];
    // fetch tries several addresses.
    link = link["cause"] ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
  return links;
}

/** True: the request that failed like this never reached its server. */
export function isUnsent(error: unknown): boolean {
  return chainOf(error).some(
    ({ syscall, code }) =>
      BEFORE_SENDING.has(syscall) || (typeof code === "string" && UNSENT_CODE.test(code)),
  );
}

function statusOf(
  links: readonly Readonly<Record<string, unknown>>[],
  data: readonly Readonly<Record<string, unknown>>[],
  messages: readonly string[],
): number | undefined {
  const numbers = [...data.map((it) => it["status"]), ...links.map((link) => link["code"])];
  const status = numbers.find((it) => typeof it === "number" && it >= 100 && it < 600);
  if (typeof status === "number") return status;
  for (const message of messages) {
    const match = STATUS_IN_TEXT.exec(message);
    if (match) return Number(match[1] ?? match[2]);
  }
  return undefined;
}

function firstText(values: readonly unknown[]): string | undefined {
  const text = values.find((value) => typeof value === "string" && value !== "");
  return typeof text === "string" ? text : undefined;
}

/** A text of the server's in one of our sentences: one line, without secrets, bounded. */
export function excerpt(text: string, redact: Redactor, chars = 300): string {
  const looked = 4 * chars;
  const head = redactedHead(text.trim(), looked, redact);
  // Gaps may have stood in the middle of one.
  const line = redact(head.replaceAll(/\s+/gu, " ")).trim();
  const isWhole = line.length <= chars && head.length < looked;
  return isWhole ? line : `${line.slice(0, chars)}…`;
}
