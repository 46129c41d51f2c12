import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";

/** How long a host that has ended its input is still answered. Milliseconds. */
const LAST_ANSWERS_MS = 1_000;
/** Requests are handled later than they come, so what they begin is ended more than once. Milliseconds. */
const ROUND_MS = 50;

/**
 * Lets the connection end when the requests that came before the end of the input were answered: a host may have said all it
 * has to say and still read. One that does not read keeps nobody waiting.
 * @param stop ends what takes long, so that it is answered; called until all is
 */
export function answeredToTheEnd({ readable, writable }: Stream, stop: () => void): Stream {
  const open: unknown[] = [];
  let onAnswer = (): void => undefined;
  const writer = writable.getWriter();
  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    transform: (message, controller) => {
      if ("method" in message && "id" in message) open.push(message.id);
      controller.enqueue(message);
    },
    flush: async () => {
      const endsAt = performance.now() + LAST_ANSWERS_MS;
      while (open.length > 0 && performance.now() < endsAt) {
        stop();
        await new Promise<void>((resolve) => {
          onAnswer = resolve;
          setTimeout(resolve, ROUND_MS);
        });
      }
    },
  });
  return {
    readable: readable.pipeThrough(incoming),
    writable: new WritableStream<AnyMessage>({
      write: async (message) => {
        await writer.write(message);
        const answered = "method" in message ? -1 : open.indexOf(message.id);
        if (answered === -1) return;
        open.splice(answered, 1);
        onAnswer();
      },
      close: () => writer.close(),
      abort: (reason) => writer.abort(reason),
    }),
  };
}
