import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, it, vi } from "vitest";
import { AcpHttpTransport } from "../../src/client/acp-http-transport.ts";
import type { EventsQuery } from "../../src/client/resumed-events.ts";
import type { AcpEvent } from "../../src/envelope/acp-event.ts";
import { shortly } from "../events/support.ts";
import { collect, DESCRIBED, failure, listening } from "./support/scripted-server.ts";

function frame(seq: number, type = "x.a", data: AcpEvent["data"] = {}): string {
  const event: AcpEvent = {
    event_id: `e${seq}`,
    event_type: type,
    plan_id: null,
    session_id: null,
    data,
    timestamp: "2026-01-01T00:00:00.000Z",
    seq,
  };
  return `id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
}

const END = frame(99, "end", { reason: "final", resume_after: 99 });

type Step = (response: ServerResponse, request: IncomingMessage) => void;

const PATIENT = { giveUpMs: 30_000, silenceMs: 10_000 };
const IMPATIENT = { giveUpMs: 400, silenceMs: 100 };

/** A step for each connection to the stream, in turn; the last one stays. */
async function streams(...steps: readonly Step[]) {
  return streamsWith(PATIENT, ...steps);
}

async function streamsWith(patience: typeof PATIENT, ...steps: readonly Step[]) {
  const cursors: unknown[] = [];
  const server = await listening((request, response) => {
    if (request.url === "/acp/v1/describe") {
      response.end(JSON.stringify(DESCRIBED));
      return;
    }
    cursors.push(request.headers["last-event-id"]);
    steps[Math.min(cursors.length, steps.length) - 1]?.(response, request);
  });
  const transport = new AcpHttpTransport({ token: "t", ...patience });
  await transport.connect(server.url);
  const read = (query: EventsQuery = { after: 0 }) => collect(transport.events(query));
  return {
    cursors,
    read,
    async [Symbol.asyncDispose]() {
      await transport.disconnect();
      await server[Symbol.asyncDispose]();
    },
  };
}

function begin(response: ServerResponse): ServerResponse {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  response.write("retry: 1000\n\n");
  return response;
}

/** Sends a text and cuts the connection. */
function cutAfter(text: string): Step {
  return (response) => void begin(response).write(text, () => response.socket?.destroy());
}

const endWith =
  (text: string): Step =>
  (response) =>
    void begin(response).end(text);

const answer =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Step =>
  (response) =>
    void response.writeHead(status, headers).end(JSON.stringify(body));

it("what was cut within a frame comes again, once", async () => {
  const half = frame(3).slice(0, -9);
  const cutUtf8 = Buffer.from(frame(4, "x.a", { text: "😀" }));
  const middle = cutUtf8.indexOf(Buffer.from("😀")) + 2;
  await using server = await streams(
    cutAfter(frame(1) + frame(2) + half),
    (response) => void begin(response).write(half.slice(0, 5), () => response.socket?.destroy()),
    (response, request) => {
      // What was in flight when the connection was cut may or may not have arrived.
      const last = Number(request.headers["last-event-id"]);
      begin(response).write(
        [1, 2, 3]
          .filter((seq) => seq >= last)
          .map((seq) => frame(seq))
          .join(""),
      );
      response.write(cutUtf8.subarray(0, middle), () => {
        setTimeout(
          () => response.end(Buffer.concat([cutUtf8.subarray(middle), Buffer.from(END)])),
          5,
        );
      });
    },
  );
  const reader = server.read();
  expect(await reader.ended).toBe("ended");
  expect(shortly(reader.seen)).toBe("x.a 1, x.a 2, x.a 3, x.a 4");
  expect(reader.seen[3]?.data).toEqual({ text: "😀" });
  expect(server.cursors).toHaveLength(3);
});

it("a heartbeat moves the cursor where nothing passes the filter; half of one does not", async () => {
  await using server = await streams(
    endWith(`${frame(1)}: heartbeat\nid: 500\n\n: heartbeat\nid: 900\n`),
    endWith(": heartbeat\nid: 400\n\n"),
    endWith(frame(501) + END),
  );
  const cursors: number[] = [];
  const reader = server.read({ after: 0, onCursor: (seq) => void cursors.push(seq) });
  expect(await reader.ended).toBe("ended");
  expect(server.cursors).toEqual(["0", "500", "500"]);
  expect(cursors).toEqual([1, 500, 501]);
  expect(shortly(reader.seen)).toBe("x.a 1, x.a 501");
});

it("a stream that never began asks for its snapshot again, whatever its heartbeats say", async () => {
  await using server = await streams(
    endWith(": heartbeat\nid: 7\n\n"),
    endWith(frame(7, "snapshot", { subscription_id: "s", cursor: 7 }) + END),
  );
  const reader = server.read({});
  expect(await reader.ended).toBe("ended");
  // The first connection named a place without showing the state there.
  expect(shortly(reader.seen)).toBe("snapshot 7");
  expect(server.cursors).toEqual([undefined, undefined]);
});

it.each([
  [401, "AUTH_ERROR"],
  [403, "FORBIDDEN"],
  [404, "NOT_FOUND"],
  [410, "CURSOR_EXPIRED"],
])("%i ends it at once, also in the middle", async (status, code) => {
  await using server = await streams(endWith(frame(1)), answer(status, failure(code)));
  const reader = server.read();
  expect(await reader.ended).toMatchObject({ code: `FACADE_${code}` });
  expect(shortly(reader.seen)).toBe("x.a 1");
  expect(server.cursors).toHaveLength(2);
});

it.each([
  ["429 of the server", answer(429, failure("RATE_LIMITED", { retry_after_ms: 120 }))],
  ["503 of the server", answer(503, failure("NOT_AVAILABLE", { retry_after_ms: 120 }))],
  ["503 of a proxy", answer(503, "<html>", { "retry-after": "0" })],
])("after a %s it waits and goes on", async (what, refusal) => {
  await using server = await streams(endWith(frame(1)), refusal, endWith(frame(2) + END));
  const started = performance.now();
  const reader = server.read();
  expect(await reader.ended).toBe("ended");
  expect(shortly(reader.seen)).toBe("x.a 1, x.a 2");
  if (what.endsWith("server")) expect(performance.now() - started).toBeGreaterThanOrEqual(119);
});

it("a proxy that holds everything back is given up, and named", async () => {
  await using body = await streamsWith(IMPATIENT, (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  });
  await using head = await streamsWith(IMPATIENT, () => undefined);
  const [held, silent] = await Promise.all([body.read().ended, head.read().ended]);
  expect(held).toMatchObject({ code: "FACADE_NOT_AVAILABLE" });
  expect(String(held)).toContain("a proxy in between may hold it back");
  expect(String(silent)).toContain("does not answer in time");
  expect(body.cursors.length).toBeGreaterThan(1);
});

it("a connection that falls silent is made anew", async () => {
  await using server = await streamsWith(
    { ...PATIENT, silenceMs: 300 },
    (response) => void begin(response).write(frame(1)),
    endWith(frame(2) + END),
  );
  const reader = server.read();
  expect(await reader.ended).toBe("ended");
  expect(shortly(reader.seen)).toBe("x.a 1, x.a 2");
});

it("a server that ends each stream at once is asked ever more rarely", async () => {
  const failed = frame(0, "end", { reason: "failed", resume_after: 0 });
  await using server = await streams(endWith(failed));
  server.read();
  await vi.waitFor(() => expect(server.cursors.length).toBeGreaterThanOrEqual(3));
  const before = server.cursors.length;
  await new Promise((resolve) => setTimeout(resolve, 600));
  // 50 to 100 ms each time would be six and more.
  expect(server.cursors.length - before).toBeLessThan(5);
});

it.each([
  ["without an end", `data: ${"a".repeat(5 * 1024 * 1024)}`],
  ["that is no event", "data: {}\n\n"],
  ["that is no JSON", "data: <html>\n\n"],
])("a frame %s ends it with a coded error", async (_what, text) => {
  await using server = await streams(endWith(text));
  expect(await server.read().ended).toMatchObject({ code: "FACADE_NOT_AVAILABLE" });
  expect(server.cursors).toHaveLength(1);
});

it("a frame of a megabyte is read", async () => {
  const text = "ä".repeat(1_000_000);
  await using server = await streams(endWith(frame(1, "x.a", { text }) + END));
  const reader = server.read();
  expect(await reader.ended).toBe("ended");
  expect(reader.seen[0]?.data).toEqual({ text });
});
