const LF = 0x0a;
const CR = 0x0d;
const NO_BODY = new Set([204, 205, 304]);

export interface ResponseBounds {
  /** Of one message: of an event, or of a whole answer that is no stream of events. */
  readonly maxMessageBytes: number;
  /** Of what a refusal says; the rest is left out. */
  readonly maxRefusalBytes: number;
  /** Called once, when the answer has ended, however that came about. */
  readonly onEnd?: () => void;
}

/**
 * The same answer, read no further than allowed: a longer one fails in the middle. Events are passed on whole, because readers of such
 * streams look through everything that they hold for each chunk.
 */
export function boundedResponse(
  response: Response,
  { maxMessageBytes, maxRefusalBytes, onEnd }: ResponseBounds,
): Response {
  if (response.body === null || NO_BODY.has(response.status)) {
    onEnd?.();
    return response;
  }
  const isStream = /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
  const part = response.ok
    ? isStream
      ? wholeEvents(maxMessageBytes)
      : upTo(maxMessageBytes)
    : cutAt(maxRefusalBytes);
  const { status, statusText, headers } = response;
  return new Response(passing(response.body, part, onEnd), { status, statusText, headers });
}

interface Part {
  /** @returns what may go on; undefined: nothing more is read. @throws when it is too long */
  take(chunk: Uint8Array): readonly Uint8Array[] | undefined;
  rest(): readonly Uint8Array[];
}

function passing(
  body: ReadableStream<Uint8Array>,
  part: Part,
  onEnd: (() => void) | undefined,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let ended = false;
  const end = (): void => {
    if (!ended) onEnd?.();
    ended = true;
  };
  return new ReadableStream<Uint8Array>({
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
function wholeEvents(maxBytes: number): Part {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let emptyLine = true;
  let afterReturn = false;
  /** Behind the last empty line, or 0. */
  const cut = (chunk: Uint8Array): number => {
    let end = 0;
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index];
      if (byte === LF && afterReturn) {
        afterReturn = false;
        // It belongs to the line end before it.
        if (end === index) end = index + 1;
        continue;
      }
      afterReturn = byte === CR;
      if (byte === LF || byte === CR) {
        if (emptyLine) end = index + 1;
        emptyLine = true;
      } else emptyLine = false;
    }
    return end;
  };
  return {
    take: (chunk) => {
      const end = cut(chunk);
      const before = [...held, chunk.subarray(0, end)];
      const size = heldBytes + (end === 0 ? chunk.length : end);
      if (size > maxBytes || chunk.length - end > maxBytes) throw tooLong(maxBytes);
      if (end === 0) {
        held.push(chunk);
        heldBytes = size;
        return [];
      }
      held = end === chunk.length ? [] : [chunk.subarray(end)];
      heldBytes = chunk.length - end;
      return [Buffer.concat(before)];
    },
    rest: () => held,
  };
}

function tooLong(maxBytes: number): Error {
  return new Error(`The server sent a message of more than ${maxBytes / 1024 / 1024} MiB.`);
}
