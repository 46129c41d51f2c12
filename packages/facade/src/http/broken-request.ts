import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { errnoOf } from "@acumen/core";
import type { AcpErrorDetail } from "../envelope/acp-error-detail.ts";
import { refusal } from "./envelope-answer.ts";

/** For what the parser of HTTP refuses: it never becomes a request, and is answered with an envelope all the same. */
export function answerBrokenRequest(error: Error, socket: Duplex): void {
  const code = errnoOf(error);
  if (code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  void write(socket, code);
}

/** For an `Expect` header that asks for anything but `100-continue`. */
export function answerExpectation(request: IncomingMessage, response: ServerResponse): void {
  void refuseExpectation(request, response);
}

async function refuseExpectation(
  { headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const asked = JSON.stringify((headers.expect ?? "").slice(0, 100));
  const message = `The header Expect may only say 100-continue, not ${asked}.`;
  const body = await refusal({ code: "VALIDATION_ERROR", message, details: {} }).text();
  response.writeHead(417, {
    "content-type": "application/json; charset=utf-8",
    connection: "close",
  });
  response.end(body);
}

async function write(socket: Duplex, code: string | undefined): Promise<void> {
  const { status, detail } = refusalFor(code);
  const body = await refusal(detail).text();
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      "content-type: application/json; charset=utf-8",
      `content-length: ${Buffer.byteLength(body)}`,
      "connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}

function refusalFor(code: string | undefined): {
  readonly status: number;
  readonly detail: AcpErrorDetail;
} {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    const message = "The request did not arrive in time; send it again.";
    return { status: 408, detail: { code: "TIMEOUT", message, details: {}, retryable: true } };
  }
  if (code === "HPE_HEADER_OVERFLOW") {
    const message = "The headers of the request are too large.";
    return { status: 431, detail: { code: "PAYLOAD_TOO_LARGE", message, details: {} } };
  }
  const message =
    "This is no request of HTTP/1.1. If it was meant as one, a header is broken: " +
    "look for a line end or another control character in it, such as in the bearer token.";
  return { status: 400, detail: { code: "VALIDATION_ERROR", message, details: {} } };
}
