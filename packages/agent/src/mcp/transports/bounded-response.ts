import { GrowingBytes } from "./growing-bytes.ts";
import { type Mend, mendedBody, mendedEvent } from "./mended-answer.ts";
import { mendedEvents } from "./mended-events.ts";

const LF = 0x0a;
const CR = 0x0d;
const NO_BODY = new Set([204, 205, 304]);

export interface ResponseBounds {
  /** Of one message: of an event, or of a whole answer that is no stream of events. */
  readonly maxMessageBytes: number;
  /** Of what a refusal says; the rest is left out. */
  readonly maxRefusalBytes: number;
  /** The request that is answered; absent: none, or nobody knows. */
  readonly asked?: number;
  /** The event that the stream was asked to go on behind. */
  readonly resumedFrom?: string;
  /** Called once, when the answer has ended, however that came about. */
  readonly onEnd?: () => void;
}

/**
 * The same answer, read no further than allowed: a longer one fails in the middle. Events are passed on whole, because readers of such
 * streams look through everything that they hold for each chunk. Messages that the SDK would throw away are made such that it does not.
 */
export function boundedResponse(
  response: Response,
  { maxMessageBytes, maxRefusalBytes, asked, resumedFrom, onEnd }: ResponseBounds,
): Response {
  if (response.body === null || NO_BODY.has(response.status)) {
    onEnd?.();
    return response;
  }
  const type = response.headers.get("content-type") ?? "";
  const isStream = /^text\/event-stream\b/i.test(type);
  const part = (): Part => {
    if (!response.ok) return cutAt(maxRefusalBytes);
    if (isStream) return wholeEvents(maxMessageBytes, mendedEvent(asked));
    const isJson = /^application\/json\b/i.test(type);
    return isJson ? whole(maxMessageBytes, mendedBody(asked)) : upTo(maxMessageBytes);
  };
  const { status, statusText, headers } = response;
  // The SDK forgets it when a stream that was resumed breaks before its first event, and would then ask for no particular place.
  const first =
    response.ok && isStream && resumedFrom !== undefined ? `id: ${resumedFrom}\ndata:\n\n` : "";
  return new Response(passing(response.body, part(), first, onEnd), {
    status,
    statusText,
    headers,
  });
}

interface Part {
  /** @returns what may go on; undefined: nothing more is read. @throws when it is too long */
  take(chunk: Uint8Array): readonly Uint8Array[] | undefined;
  rest(): readonly Uint8Array[];
}

function passing(
  body: ReadableStream<Uint8Array>,
  part: Part,
  first: string,
  onEnd: (() => void) | undefined,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let ended = false;
  const end = (): void => {
    if (!ended) onEnd?.();
    ended = true;
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (first !== "") controller.enqueue(Buffer.from(first));
    },
    async pull(controller) {
      try {
        // Until something can be passed on: a stream pulls again only then.
        for (;;) {
          const { value } = await reader.read();
          const passed = value === undefined ? undefined : part.take(value);
          for (const chunk of passed ?? part.rest()) controller.enqueue(chunk);
          if (passed === undefined) {
            controller.close();
            end();
            if (value !== undefined) await reader.cancel();
            return;
          }
          if (passed.length > 0) return;
        }
      } catch (error) {
        controller.error(error);
        end();
        await reader.cancel(error).catch(() => undefined);
      }
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason);
    },
  });
}

function upTo(maxBytes: number): Part {
  let size = 0;
  return {
    take: (chunk) => {
      size += chunk.length;
      if (size > maxBytes) throw tooLong(maxBytes);
      return [chunk];
    },
    rest: () => [],
  };
}

function whole(maxBytes: number, mend: Mend): Part {
  const held = new GrowingBytes();
  return {
    take: (chunk) => {
      if (held.length + chunk.length > maxBytes) throw tooLong(maxBytes);
      held.append(chunk);
      return [];
    },
    rest: () => {
      const bytes = held.take();
      const mended = mend(bytes.toString("utf8"));
      return mended === undefined ? [bytes] : mended.map((text) => Buffer.from(text));
    },
  };
}

function cutAt(maxBytes: number): Part {
  let left = maxBytes;
  let last: readonly Uint8Array[] = [];
  return {
    take: (chunk) => {
      left -= chunk.length;
      if (left > 0) return [chunk];
      last = [chunk.subarray(0, chunk.length + left)];
      return undefined;
    },
    rest: () => last,
  };
}

/** An event ends with an empty line; lines end with LF, CR or both. */
function wholeEvents(maxBytes: number, mend: Mend): Part {
  const held = new GrowingBytes();
  let emptyLine = true;
  let afterReturn = false;
  let afterEvent = false;
  /** Behind the last event that ends in the chunk, or 0. */
  const cut = (chunk: Uint8Array): number => {
    let end = 0;
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index];
      const isRestOfEnd = byte === LF && afterReturn;
      if (!isRestOfEnd) {
        const isLineEnd = byte === LF || byte === CR;
        afterEvent = isLineEnd && emptyLine;
        emptyLine = isLineEnd;
      }
      afterReturn = byte === CR;
      if (afterEvent) end = index + 1;
    }
    return end;
  };
  const mended = (events: Buffer): Uint8Array => {
    const text = events.toString("utf8");
    const result = mendedEvents(text, mend);
    return result === text ? events : Buffer.from(result);
  };
  return {
    take: (chunk) => {
      const end = cut(chunk);
      const size = held.length + (end === 0 ? chunk.length : end);
      if (size > maxBytes || chunk.length - end > maxBytes) throw tooLong(maxBytes);
      held.append(chunk.subarray(0, end === 0 ? chunk.length : end));
      if (end === 0) return [];
      const events = held.take();
      if (end < chunk.length) held.append(chunk.subarray(end));
      return [mended(events)];
    },
    rest: () => (held.length === 0 ? [] : [held.take()]),
  };
}

function tooLong(maxBytes: number): Error {
  return new Error(`The server sent a message of more than ${maxBytes / 1024 / 1024} MiB.`);
}
