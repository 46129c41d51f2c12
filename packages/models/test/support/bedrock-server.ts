import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { crc32 } from "node:zlib";

export interface BedrockRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Record<string, unknown>;
}

export interface BedrockServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly BedrockRequest[];
}

/** One answer: a Converse body, events of ConverseStream by name, or an error with its status. */
export interface BedrockAnswer {
  readonly body?: object;
  readonly events?: readonly (readonly [name: string, payload: object])[];
  readonly error?: readonly [status: number, type: string, message: string];
}

/** Amazon Bedrock's runtime on 127.0.0.1: `POST /model/{id}/converse` and `…/converse-stream`. */
export async function startBedrockServer(
  answers: readonly BedrockAnswer[],
): Promise<BedrockServer> {
  const requests: BedrockRequest[] = [];
  const http = createServer((req, res) => {
    void readBody(req).then((body) => {
      requests.push({ path: req.url ?? "", headers: req.headers, body });
      send(
        res,
        answers[requests.length - 1] ?? { error: [400, "ValidationException", "no answer left"] },
      );
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}

async function readBody(req: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString("utf8")) as Record<string, unknown>;
}

function send(res: ServerResponse, { body, events, error }: BedrockAnswer): void {
  if (error !== undefined) {
    const [status, type, message] = error;
    res.writeHead(status, { "content-type": "application/json", "x-amzn-errortype": type });
    res.end(JSON.stringify({ message }));
  } else if (events === undefined) {
    res.writeHead(200, { "content-type": "application/json" });
    res.end(JSON.stringify(body));
  } else {
    res.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" });
    for (const [name, payload] of events) res.write(eventMessage(name, payload));
    res.end();
  }
}

/** Amazon's event stream encoding: lengths, header block, payload, two checksums. */
function eventMessage(name: string, payload: object): Buffer {
  const headers = Buffer.concat([
    textHeader(":event-type", name),
    textHeader(":content-type", "application/json"),
    textHeader(":message-type", "event"),
  ]);
  const data = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(headers.length + data.length + 16, 0);
  prelude.writeUInt32BE(headers.length, 4);
  const head = Buffer.concat([prelude, checksum(prelude), headers, data]);
  return Buffer.concat([head, checksum(head)]);
}

function textHeader(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([7]),
    length,
    Buffer.from(value),
  ]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
