import type { ServerResponse } from "node:http";
import type { HttpReply, StreamEvent } from "./wire.ts";

/** How an answer goes out; made without looking at the socket. */
export type Delivery =
  | { readonly kind: "json"; readonly reply: HttpReply; readonly waitMs?: number }
  | {
      readonly kind: "stream";
      readonly events: readonly StreamEvent[];
      readonly end: "finish" | "cut" | "hang";
      /** Before each delta. */
      readonly delayMs?: number;
      /** Before the headers. */
      readonly waitMs?: number;
    }
  /** Half of the body, then the socket is destroyed or left open. */
  | { readonly kind: "half-body"; readonly text: string; readonly end: "cut" | "hang" }
  | { readonly kind: "silence"; readonly end: "cut" | "hang" };

/** Sends it. Ends early, without an error, when the client goes away; `hang` deliveries leave the response open. */
export async function deliver(
  res: ServerResponse,
  delivery: Delivery,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  if (delivery.kind === "silence") return end(res, delivery.end);
  if (delivery.kind === "half-body") return sendHalf(res, delivery.text, delivery.end, headers);
  await pause(res, delivery.waitMs);
  if (gone(res)) return;
  if (delivery.kind === "json") return sendWhole(res, delivery.reply, headers);
  res.writeHead(200, {
    ...headers,
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  });
  res.flushHeaders();
  for (const event of delivery.events) {
    if (event.phase === "delta") await pause(res, delivery.delayMs);
    if (gone(res)) return;
    await write(res, eventText(event));
  }
  end(res, delivery.end);
}

function sendWhole(
  res: ServerResponse,
  reply: HttpReply,
  headers: Readonly<Record<string, string>>,
): void {
  const text = typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body);
  res.writeHead(reply.status, {
    "content-type": "application/json; charset=utf-8",
    ...headers,
    ...reply.headers,
    "content-length": String(Buffer.byteLength(text)),
  });
  res.end(text);
}

function sendHalf(
  res: ServerResponse,
  text: string,
  ending: "cut" | "hang",
  headers: Readonly<Record<string, string>>,
): void {
  res.writeHead(200, {
    ...headers,
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(text)),
  });
  res.write(text.slice(0, Math.floor(text.length / 2)), () => end(res, ending));
}

function end(res: ServerResponse, ending: "finish" | "cut" | "hang"): void {
  if (ending === "finish") res.end();
  // Only after what was written has left: a reset would otherwise overtake it and the client would see nothing at all.
  else if (ending === "cut") setImmediate(() => res.destroy());
}

function eventText(event: StreamEvent): string {
  const data = typeof event.data === "string" ? event.data : JSON.stringify(event.data);
  return `${event.event === undefined ? "" : `event: ${event.event}\n`}data: ${data}\n\n`;
}

function gone(res: ServerResponse): boolean {
  return res.destroyed || res.writableEnded;
}

function write(res: ServerResponse, text: string): Promise<void> {
  return new Promise((resolve) => res.write(text, () => resolve()));
}

/** Resolves after the time, or at once when the client goes away. */
function pause(res: ServerResponse, milliseconds = 0): Promise<void> {
  if (milliseconds <= 0 || gone(res)) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      res.off("close", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    res.once("close", done);
  });
}
