import { expect, it } from "vitest";
import { AcpHttpTransport } from "../../src/client/acp-http-transport.ts";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import { AcpVersionMismatchError } from "../../src/errors/acp-error.ts";
import { HttpBench } from "../support/http-bench.ts";

it("every way in checks the version: in process, over HTTP, by the client", async () => {
  const request = { operation: "system.describe", acp_version: "2.0" };
  await expect(new AcpLocalFacade().dispatch(request)).rejects.toThrow(AcpVersionMismatchError);
  await using bench = await HttpBench.start();
  const { status, body } = await bench.send({ ...request, request_id: "r1" });
  expect(status).toBe(400);
  expect(body).toMatchObject({
    request_id: "r1",
    error: { code: "VERSION_MISMATCH", details: { supported: ["1.0"] } },
  });
  const transport = new AcpHttpTransport({ token: bench.token });
  await transport.connect(bench.server.url);
  await expect(transport.send(request)).rejects.toThrow(AcpVersionMismatchError);
  const stream = await bench.fetch("/acp/v1/events", { headers: { "acp-version": "2.0" } });
  expect(stream.status).toBe(400);
});

it("a patch part is ignored", async () => {
  await using bench = await HttpBench.start();
  const { body } = await bench.send({ operation: "system.describe", acp_version: "1.0.7" });
  expect(body).toMatchObject({ status: "ok", acp_version: "1.0" });
});
