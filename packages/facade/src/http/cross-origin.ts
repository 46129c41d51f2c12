const ALLOWED_HEADERS =
  "authorization, content-type, acp-version, idempotency-key, last-event-id, cache-control";
const EXPOSED_HEADERS = "acp-version, idempotency-replayed, retry-after, www-authenticate";
const PREFLIGHT_SECONDS = "600";

/** What a browser asks before it lets a page of an allowed origin send a request; it carries no token. */
export function preflightAnswer(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": "GET, POST",
      "access-control-allow-headers": ALLOWED_HEADERS,
      "access-control-max-age": PREFLIGHT_SECONDS,
    },
  });
}

/** Lets the page read the answer. The origin has been checked. */
export function shareWith(origin: string, headers: Headers): void {
  headers.set("access-control-allow-origin", origin);
  headers.set("access-control-expose-headers", EXPOSED_HEADERS);
  headers.append("vary", "origin");
}
