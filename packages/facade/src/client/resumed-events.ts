import { type AcpEvent, acpEventSchema } from "../envelope/acp-event.ts";
import { ACP_VERSION } from "../envelope/acp-request.ts";
import { AcpError, AcpNotAvailableError } from "../errors/acp-error.ts";
import { AuthenticationError } from "../errors/domain-error.ts";
import type { EventInclude } from "../services/event-queue-service.ts";
import { backoffMs, pause, retryAfterMs } from "./backoff.ts";
import type { HttpConnection } from "./http-connection.ts";
import { type ServerSentEvent, SseParser } from "./sse-parser.ts";
import { errorOf } from "./wire-error.ts";

export interface EventsQuery {
  readonly plan_id?: string;
  readonly session_id?: string;
  readonly types?: readonly string[];
  readonly include?: readonly EventInclude[];
  /** Seq of the last event that the caller has; absent: a snapshot first. */
  readonly after?: number;
  readonly signal?: AbortSignal;
  /** Told where to resume with `after`. That moves also while nothing passes the filter, so that it does not expire. */
  readonly onCursor?: (seq: number) => void;
}

export interface Patience {
  /** Without a sign of life for so long, it gives up. */
  readonly giveUpMs: number;
  /** A connection without a byte for so long is dead. */
  readonly silenceMs: number;
}

/** Statuses whose answer stays the same however often one asks. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 404, 410]);
/** A connection that still brings something after so long was a good one: the next failure is a first one. */
const STEADY_MS = 5_000;
const FRAMES: ReadonlySet<string> = new Set(["subscription.lagged", "subscription.closed", "end"]);

/** What one reader has, over all its connections. */
interface Progress {
  /** Seq of the last event that was handed on, or after which it begins. */
  last: number | undefined;
  failures: number;
  /** Of the monotonic clock; undefined while a server gives signs of life. */
  failingSince: number | undefined;
}

type Opened = { readonly stream: ReadableStream<Uint8Array> } | Refused;

interface Refused {
  readonly retryAfter: number | undefined;
  /** Absent when the server only asks for patience. */
  readonly failure?: AcpNotAvailableError;
}

/** @throws as `AcpHttpTransport.events` */
export async function* resumedEvents(
  connection: HttpConnection,
  query: EventsQuery,
  patience: Patience,
): AsyncGenerator<AcpEvent, void, undefined> {
  const signals = [connection.signal, query.signal].filter((signal) => signal !== undefined);
  const signal = AbortSignal.any(signals);
  const progress: Progress = { last: query.after, failures: 0, failingSince: undefined };
  const reader: Reader = { connection, query, patience, signal, progress };
  const { giveUpMs } = patience;
  while (!signal.aborted) {
    let wait: number | undefined;
    try {
      const opened = await open(reader);
      if ("stream" in opened) {
        if (yield* oneConnection(opened.stream, reader)) return;
      } else {
        wait = opened.retryAfter;
        if (opened.failure !== undefined) throw opened.failure;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!isLost(error)) throw error;
      progress.failingSince ??= performance.now();
      if (performance.now() - progress.failingSince > giveUpMs) throw error;
    }
    const pausing = pause(Math.min(wait ?? backoffMs(progress.failures), giveUpMs), signal);
    progress.failures += 1;
    await pausing.catch(() => undefined);
  }
}

interface Reader {
  readonly connection: HttpConnection;
  readonly query: EventsQuery;
  readonly patience: Patience;
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/**
 * @returns true when nothing more can come
 * @throws AcpNotAvailableError when it brought nothing at all
 */
async function* oneConnection(
  stream: ReadableStream<Uint8Array>,
  reader: Reader,
): AsyncGenerator<AcpEvent, boolean, undefined> {
  const { progress, connection, signal } = reader;
  const opened = performance.now();
  let isAlive = false;
  for await (const { events, lastId } of chunksOf(stream, reader)) {
    isAlive = true;
    progress.failingSince = undefined;
    if (performance.now() - opened > STEADY_MS) progress.failures = 0;
    for (const event of events) {
      if (FRAMES.has(event.event_type)) {
        if (isFinal(event)) return true;
        continue;
      }
      progress.failures = 0;
      // A new connection may begin before what the last one brought.
      const isSnapshot = event.event_type === "snapshot";
      if (progress.last !== undefined && (isSnapshot || event.seq <= progress.last)) continue;
      yield event;
      moveTo(event.seq, reader);
    }
    // Heartbeats say how far the log was looked at, also where nothing passed the filter.
    const hasBegun = progress.last !== undefined;
    if (hasBegun && /^\d{1,15}$/.test(lastId)) moveTo(Number(lastId), reader);
  }
  if (isAlive || signal.aborted) return false;
  throw connection.unreachable(
    "its stream of events brings nothing; a proxy in between may hold it back",
  );
}

/** Only forwards. */
function moveTo(seq: number, { progress, query }: Reader): void {
  if (progress.last !== undefined && seq <= progress.last) return;
  progress.last = seq;
  query.onCursor?.(seq);
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

/** @throws the error of an answer that stays the same; AcpNotAvailableError when no server answers */
async function open({ connection, query, patience, signal, progress }: Reader): Promise<Opened> {
  const { plan_id, session_id, types, include } = query;
  const { last } = progress;
  const parameters = new URLSearchParams({
    ...(plan_id !== undefined && { plan_id }),
    ...(session_id !== undefined && { session_id }),
    ...(types !== undefined && { types: types.join(",") }),
    ...(include !== undefined && { include: include.join(",") }),
  });
  const accept = "text/event-stream";
  const init = {
    headers: { accept, ...(last !== undefined && { "last-event-id": String(last) }) },
  };
  const silence = new AbortController();
  const late = connection.unreachable("it does not answer in time");
  const timer = setTimeout(() => silence.abort(late), patience.silenceMs);
  const end = AbortSignal.any([signal, silence.signal]);
  try {
    const path = `/acp/v1/events?${parameters.toString()}`;
    const response = await connection.fetch(path, init, end);
    const isStream = response.headers.get("content-type")?.startsWith(accept) ?? false;
    if (response.ok && isStream && response.body !== null) return { stream: response.body };
    if (!response.ok) return await refused(connection, response);
    await response.body?.cancel();
    throw connection.unreachable("the answer is no stream of events");
  } finally {
    clearTimeout(timer);
  }
}

/** @throws as `open` */
async function refused(connection: HttpConnection, response: Response): Promise<Refused> {
  const { status, headers } = response;
  const header = retryAfterMs(headers.get("retry-after"), Date.now());
  try {
    const { error } = await connection.envelope(response);
    if (error !== null && FINAL_STATUSES.has(status)) {
      throw errorOf(error, { operation: "GET /acp/v1/events", version: ACP_VERSION });
    }
    const retryAfter = error?.retry_after_ms ?? header;
    if (status === 429) return { retryAfter };
    return { retryAfter, failure: connection.unreachable(`status ${status}`) };
  } catch (error) {
    if (!isLost(error)) throw error;
    return { retryAfter: header, failure: error };
  }
}

interface Chunk {
  /** What is complete with it. */
  readonly events: readonly AcpEvent[];
  /** Of the last complete frame. */
  readonly lastId: string;
}

/** Ends when the connection does, however that comes about. */
async function* chunksOf(
  stream: ReadableStream<Uint8Array>,
  { signal, patience }: Reader,
): AsyncGenerator<Chunk, void, undefined> {
  const parser = new SseParser();
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  try {
    while (!signal.aborted) {
      const chunk = await nextChunk(reader, patience.silenceMs);
      if (chunk === undefined) return;
      const frames = parsed(parser, decoder.decode(chunk, { stream: true }));
      yield { events: frames.map(({ data }) => eventOf(data)), lastId: parser.lastId };
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Undefined when the connection is over, was cut or is silent for too long. */
async function nextChunk(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  silenceMs: number,
): Promise<Uint8Array | undefined> {
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), silenceMs);
  try {
    const { done, value } = await reader.read();
    return done ? undefined : value;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** @throws AcpError for a frame that does not end */
function parsed(parser: SseParser, text: string): readonly ServerSentEvent[] {
  try {
    return parser.push(text);
  } catch (cause) {
    throw noEvent(cause);
  }
}

/** Newer servers may add to events. */
const sentEventSchema = acpEventSchema.loose();

/** @throws AcpError for what is no event, and would be none the next time */
function eventOf(data: string): AcpEvent {
  try {
    return sentEventSchema.parse(JSON.parse(data)) as AcpEvent;
  } catch (cause) {
    throw noEvent(cause);
  }
}

function noEvent(cause: unknown): AcpError {
  return new AcpError(
    "FACADE_NOT_AVAILABLE",
    "The server sent something that is no event, or one without an end. Check the address and what stands between.",
    { cause },
  );
}

function isLost(error: unknown): error is AcpNotAvailableError {
  return error instanceof AcpNotAvailableError && error.retryable;
}
