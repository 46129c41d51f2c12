import type { IncomingHttpHeaders } from "node:http";

/** What a scripted MCP server over HTTP can do wrong; `well` does nothing wrong. */
export const MISBEHAVING_HTTP_MODES = [
  "well",
  /** Answers are event streams instead of JSON. */
  "well-streaming",
  "no-session-id",
  "unauthorized",
  "forbidden",
  /** 401 from the second call on. */
  "unauthorized-later",
  /** 404 for the session after the first call; a new session is good for one more call. */
  "session-lost",
  /** 404 for every session, also new ones. */
  "session-always-lost",
  "server-error",
  /** 500 for calls alone. */
  "server-error-in-call",
  "html",
  "html-in-call",
  "broken-json",
  "empty-answer",
  /** HTTP with server-sent events, the transport before Streamable HTTP: 405 for a POST. */
  "sse-only",
  /** The stream of an answer ends before the answer. */
  "stream-cut",
  /** The socket is gone in the middle of an answer. */
  "socket-cut",
  "hang",
  "hang-in-call",
  /** Headers of an event stream, then nothing. */
  "silent-stream-in-call",
  /** 20 MB. */
  "large-answer",
  /** More than 64 MiB. */
  "huge-answer",
  "endless-answer",
  "redirect-to-other-origin",
  "slow-with-progress",
] as const;
export type MisbehavingHttpMode = (typeof MISBEHAVING_HTTP_MODES)[number];

export interface SeenHttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Parsed when it is JSON. */
  readonly body: unknown;
}

export interface MisbehavingHttpOptions {
  /** Before each tool name. Default none. */
  readonly prefix?: string;
  /** How long `slow-with-progress` takes, ms. Default 1,500. */
  readonly delayMs?: number;
  /** 0: any free one. */
  readonly port?: number;
}
