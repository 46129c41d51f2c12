import { expect, test } from "vitest";
import { httpBench, json, resultFor, stream } from "./http-bench.ts";
import { bench, PING, remote, started } from "./support.ts";

test("an event that is too long ends its call, and the next one is answered", async () => {
  const part = Buffer.alloc(1024 * 1024, "x");
  await using server = await httpBench(({ message, method }, response) => {
    if (method === "GET") response.writeHead(405).end();
    else if (message?.method === "ping") json(response, resultFor(message));
    else {
      stream(response);
      const write = (): void => {
        while (!response.closed && response.write(part));
        if (!response.closed) response.once("drain", write);
      };
      response.on("error", () => undefined);
      write();
    }
  });
  await using b = await bench();
  const opened = await b.open(remote("http", server.url));
  const heard = await started(opened);
  let ended = 0;
  await opened.transport.send(
    { jsonrpc: "2.0", id: 2, method: "events" },
    { onRequestStreamEnd: () => void (ended += 1) },
  );
  await expect.poll(() => ended).toBe(1);
  expect(heard.errors.map(({ message }) => message).join("\n")).toMatch(
    /disconnected: .*more than 64 MiB/,
  );
  await opened.transport.send({ ...PING, id: 3 });
  expect(heard.messages).toEqual([{ jsonrpc: "2.0", id: 3, result: {} }]);
});
