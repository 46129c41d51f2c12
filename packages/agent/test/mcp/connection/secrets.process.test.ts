import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { call, connections, remote, stdio } from "./support/connect.ts";

const SECRET = "s3cr3t-of-the-definition";
const redact = createRedactor([SECRET]);
/** The front or the back of it is enough to give it away. */
const HALVES = /s3cr3|nition/;
/** How much of it is in front of a cut. */
const POSITIONS = [0, 1, 6, 12, 18, SECRET.length - 1, SECRET.length];

function cut(chars: number, at: number): string {
  return `${"x ".repeat(chars).slice(0, chars - at)}${SECRET} ${"y".repeat(20_000)}`;
}

/** A server of JavaScript, with `send` and the messages that come in. */
function server(onMessage: string): ReturnType<typeof stdio> {
  const script = `
    const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
    const greet = ({ id, params }) => send({ id, result: { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: "s", version: "1" } } });
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const message = JSON.parse(line);
      ${onMessage}
    });`;
  return stdio([], { command: process.execPath, args: ["-e", script] });
}

async function failureOf(onMessage: string): Promise<string> {
  await using opened = connections();
  const { message } = await opened.fail(server(onMessage), { redact });
  return message;
}

test("the end of stderr holds no half of a secret, however it was cut", async () => {
  for (const at of POSITIONS) {
    const shown = await failureOf(
      `process.stderr.write(${JSON.stringify(`${SECRET} ${"z".repeat(12_000)} ${SECRET}${"y".repeat(2000 - at)}`)}, () => process.exit(3));`,
    );
    expect(shown).toContain("exited with code 3");
    expect(shown).toContain("yyy");
    expect(shown).not.toMatch(HALVES);
  }
});

test("nor do lines of stdout that are no messages, nor an error that answers the greeting", async () => {
  for (const at of POSITIONS) {
    const noise = await failureOf(
      `process.stdout.write(${JSON.stringify(`${cut(500, at)}\n`)}, () => process.exit(0));`,
    );
    expect(noise).toContain("x x");
    expect(noise).not.toMatch(HALVES);
    const refused = await failureOf(
      `send({ id: message.id, error: { code: -32000, message: ${JSON.stringify(cut(300, at))} } });`,
    );
    expect(refused).toContain("refused the greeting: x x");
    expect(refused).not.toMatch(HALVES);
  }
});

test("nor does an error of a call, whatever its message is", async () => {
  await using opened = connections();
  const definition = server(`
    if (message.method === "initialize") greet(message);
    if (message.method === "tools/call") send({ id: message.id, error: message.params.arguments.error });`);
  const connection = await opened.connect(definition, { redact });
  for (const at of POSITIONS) {
    const errors = [
      { code: -1, message: cut(2000, at) },
      { code: -1, message: { text: cut(2000 - '{"text":"'.length, at) } },
      { code: -1, message: `${" ".repeat(3000)}${cut(2000, at)}` },
    ];
    for (const error of errors) {
      const answer = await call(connection, "any", { error });
      expect(answer.ok ? "" : answer.message).toContain("x x");
      expect(answer.ok ? SECRET : answer.message).not.toMatch(HALVES);
    }
  }
});

test("nor does what a server answers over HTTP: a body that repeats a header, a type, a text that is no JSON", async () => {
  let at = 0;
  let answer: "error" | "type" | "noise" = "error";
  const http = createServer((request, response) => {
    const key = request.headers["x-key"] === SECRET ? SECRET : "no key";
    if (answer === "error") response.writeHead(500).end(cut(300, at).replace(SECRET, key));
    else if (answer === "type") {
      response.writeHead(200, { "content-type": `${"t".repeat(60 - at)}${key}` }).end("x");
    } else response.writeHead(200, { "content-type": "application/json" }).end(key);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  await using opened = connections();
  try {
    for (answer of ["error", "type", "noise"] as const) {
      for (at of POSITIONS) {
        const definition = remote(url, { headers: { "X-Key": SECRET } });
        const { message } = await opened.fail(definition, { redact });
        expect(message).toContain("peer");
        expect(message).not.toMatch(HALVES);
      }
    }
  } finally {
    http.closeAllConnections();
    http.close();
  }
});

test("nor does an answer to a call that is no JSON", async () => {
  const http = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => void chunks.push(chunk));
    request.on("end", () => {
      if (request.method !== "POST") return response.writeHead(405).end();
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as {
        id?: number;
        method: string;
        params: { protocolVersion?: string };
      };
      const type = { "content-type": "application/json" };
      if (id === undefined) return response.writeHead(202).end();
      if (method === "tools/call") return response.writeHead(200, type).end(SECRET);
      if (method !== "initialize") return response.writeHead(400).end();
      const { protocolVersion } = params;
      const result = { protocolVersion, capabilities: {}, serverInfo: { name: "s", version: "1" } };
      return response.writeHead(200, type).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  await using opened = connections();
  try {
    const connection = await opened.connect(remote(url), { redact });
    const answer = await call(connection, "any");
    expect(answer.ok ? "" : answer.message).toContain("something that is no answer");
    expect(answer.ok ? SECRET : answer.message).not.toMatch(/s3c|nit/);
  } finally {
    http.closeAllConnections();
    http.close();
  }
});
