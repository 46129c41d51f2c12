import type { IncomingHttpHeaders } from "node:http";
import type { JsonObject } from "./json-read.ts";
import type { NeutralRequest } from "./neutral-request.ts";

/** What a server saw of one request. Holds no key: tests may print it. */
export interface RecordedRequest {
  readonly method: string;
  /** Path and query, without a key in the query. */
  readonly path: string;
  /** Lower-case names, without `authorization`, the services' key headers and cookies. */
  readonly headers: Readonly<Record<string, string>>;
  readonly key: "right" | "wrong" | "missing";
  /** Undefined when the body was no JSON object. */
  readonly body: JsonObject | undefined;
  /** Undefined for a refused request. */
  readonly view: NeutralRequest | undefined;
  /** Why it was refused, as the service says it. */
  readonly refusal: string | undefined;
  /** HTTP status that was answered; undefined while nothing was answered yet. */
  readonly status: number | undefined;
  /** The client went away before the answer was complete. */
  readonly aborted: boolean;
}

const SECRET_HEADERS = new Set([
  "authorization",
  "proxy-authorization",
  "x-api-key",
  "api-key",
  "x-goog-api-key",
  "cookie",
]);

export function headersWithoutSecrets(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || SECRET_HEADERS.has(name) ? [] : [[name, String(value)]],
    ),
  );
}

export function pathWithoutKey(url: URL): string {
  const query = new URLSearchParams(url.searchParams);
  query.delete("key");
  const text = query.toString();
  return text === "" ? url.pathname : `${url.pathname}?${text}`;
}
