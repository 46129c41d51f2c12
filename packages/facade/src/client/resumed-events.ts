import { type AcpEvent, acpEventSchema } from "../envelope/acp-event.ts";
import { ACP_VERSION } from "../envelope/acp-request.ts";
import { AcpError, AcpNotAvailableError } from "../errors/acp-error.ts";
import { AuthenticationError } from "../errors/domain-error.ts";
import { backoffMs, pause, retryAfterMs } from "./backoff.ts";
import type { HttpConnection } from "./http-connection.ts";
import { SseParser } from "./sse-parser.ts";
import { errorOf } from "./wire-error.ts";

export interface EventsQuery {
  readonly plan_id?: string;
  readonly session_id?: string;
  readonly types?: readonly string[];
  /** Seq of the last event that the caller has; absent: a snapshot first. */
  readonly after?: number;
  readonly signal?: AbortSignal;
}

/** Statuses whose answer stays the same however often one asks. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 404, 410]);
/** Three heartbeats without a byte: the connection is dead. */
const SILENCE_MS = 45_000;
const FRAMES: ReadonlySet<string> = new Set(["subscription.lagged", "subscription.closed", "end"]);

/** What one reader has, over all its connections. */
interface Progress {
  /** Seq of the last event that was handed on, or after which it begins. */
  last: number | undefined;
  failures: number;
  /** Of the monotonic clock; undefined while a server answers. */
  failingSince: number | undefined;
}

/** @throws as `AcpHttpTransport.events` */
export async function* resumedEvents(
  connection: HttpConnection,
  query: EventsQuery,
  giveUpMs: number,
): AsyncGenerator<AcpEvent, void, undefined> {
  const signals = [connection.signal, query.signal].filter((signal) => signal !== undefined);
  const signal = AbortSignal.any(signals);
  const progress: Progress = { last: query.after, failures: 0, failingSince: undefined };
  while (!signal.aborted) {
    let wait: number | undefined;
    try {
      const opened = await open(connection, query, progress.last, signal);
      if ("stream" in opened) {
        const isOver = yield* oneConnection(opened.stream, progress, signal);
        if (isOver) return;
      } else wait = opened.retryAfter;
    } catch (error) {
      if (signal.aborted) return;
      if (!isLost(error)) throw error;
      progress.failingSince ??= performance.now();
      if (performance.now() - progress.failingSince > giveUpMs) throw error;
    }
    const waiting = pause(wait ?? backoffMs(progress.failures), signal);
    progress.failures += 1;
    await waiting.catch(() => undefined);
  }
}

/** @returns true when nothing more can come */
async function* oneConnection(
  stream: ReadableStream<Uint8Array>,
  progress: Progress,
  signal: AbortSignal,
): AsyncGenerator<AcpEvent, boolean, undefined> {
  for await (const event of framesOf(stream, signal)) {
    progress.failures = 0;
    progress.failingSince = undefined;
    if (FRAMES.has(event.event_type)) {
      if (isFinal(event)) return true;
      continue;
    }
    // A new connection may begin before what the last one brought.
    const isSnapshot = event.event_type === "snapshot";
    if (progress.last !== undefined && (isSnapshot || event.seq <= progress.last)) continue;
    progress.last = event.seq;
    yield event;
  }
  return false;
}

/** @throws AuthenticationError when the server ended the stream because of the token */
function isFinal({ event_type: type, data }: AcpEvent): boolean {
  if (type !== "end") return false;
  if (data["reason"] === "revoked") {
    throw new AuthenticationError(
      "The token was revoked, expired or lost the scope events:read while events were read; use another one.",
    );
  }
  return data["reason"] === "final";
}

async function open(
  connection: HttpConnection,
  { plan_id, session_id, types }: EventsQuery,
  last: number | undefined,
  signal: AbortSignal,
): Promise<
  { readonly stream: ReadableStream<Uint8Array> } | { readonly retryAfter: number | undefined }
> {
  const parameters = new URLSearchParams({
    ...(plan_id !== undefined && { plan_id }),
    ...(session_id !== undefined && { session_id }),
    ...(types !== undefined && { types: types.join(",") }),
  });
  const response = await connection.fetch(
    `/acp/v1/events?${parameters.toString()}`,
    {
      headers: {
        accept: "text/event-stream",
        ...(last !== undefined && { "last-event-id": String(last) }),
      },
    },
    signal,
  );
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  if (response.ok && isStream && response.body !== null) return { stream: response.body };
  if (response.ok) {
    await response.body?.cancel();
    throw connection.unreachable("the answer is no stream of events");
  }
  const { error } = await connection.envelope(response);
  if (error !== null && FINAL_STATUSES.has(response.status)) {
    throw errorOf(error, { operation: "GET /acp/v1/events", version: ACP_VERSION });
  }
  if (response.status !== 429) throw connection.unreachable(`status ${response.status}`);
  return { retryAfter: retryAfterMs(response.headers.get("retry-after"), Date.now()) };
}

/** Ends when the connection does, however that comes about. */
async function* framesOf(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<AcpEvent, void, undefined> {
  const parser = new SseParser();
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  try {
    while (!signal.aborted) {
      const chunk = await nextChunk(reader);
      if (chunk === undefined) return;
      for (const { data } of parser.push(decoder.decode(chunk, { stream: true }))) {
        yield eventOf(data);
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Undefined when the connection is over, was cut or is silent for too long. */
async function nextChunk(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<Uint8Array | undefined> {
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), SILENCE_MS);
  try {
    const { done, value } = await reader.read();
    return done ? undefined : value;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** Newer servers may add to events. */
const sentEventSchema = acpEventSchema.loose();

/** @throws AcpError for what is no event, and would be none the next time */
function eventOf(data: string): AcpEvent {
  try {
    return sentEventSchema.parse(JSON.parse(data)) as AcpEvent;
  } catch (cause) {
    throw new AcpError("FACADE_NOT_AVAILABLE", "The server sent an event that is none.", { cause });
  }
}

function isLost(error: unknown): boolean {
  return error instanceof AcpNotAvailableError;
}
