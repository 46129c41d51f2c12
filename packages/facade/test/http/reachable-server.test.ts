import { request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";
import { hostname } from "node:os";
import { selfSignedCertificate } from "@acumen/testkit";
import { expect, it } from "vitest";
import { acpResponseSchema } from "../../src/envelope/acp-response.ts";
import { HttpBench, type HttpBenchOptions } from "../support/http-bench.ts";

/** An address of this machine alone that does not look like it: what listens there counts as reachable. */
const ODD_LOOPBACK = "127.1";

interface Got {
  readonly status: number;
  readonly text: string;
}

function get(
  bench: HttpBench,
  path: string,
  { ca, headers = {} }: { readonly ca?: string; readonly headers?: Record<string, string> } = {},
): Promise<Got> {
  const options = {
    host: "127.0.0.1",
    port: bench.server.port,
    path,
    agent: false,
    headers: { authorization: `Bearer ${bench.token}`, ...headers },
  };
  return new Promise((resolve, reject) => {
    const sent =
      ca === undefined
        ? plainRequest(options)
        : tlsRequest({ ...options, ca, minVersion: "TLSv1.2" });
    sent.on("error", reject).on("response", (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        // A stream never ends by itself.
        if (text.includes("event: snapshot")) response.destroy();
      });
      response.on("close", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.end();
  });
}

async function statusFor(bench: HttpBench, host: string): Promise<number> {
  const { status, text } = await get(bench, "/acp/v1/describe", { headers: { host } });
  const { error } = acpResponseSchema.parse(JSON.parse(text));
  expect(error?.code).toBe(status === 200 ? undefined : "FORBIDDEN");
  return status;
}

it("with a certificate it answers over TLS, streams too, and gives nothing to plain HTTP", async () => {
  const tls = selfSignedCertificate();
  await using bench = await HttpBench.start({ tls });
  expect(bench.server.url).toBe(`https://127.0.0.1:${bench.server.port}`);
  const described = await get(bench, "/acp/v1/describe", { ca: tls.cert });
  expect(acpResponseSchema.parse(JSON.parse(described.text)).status).toBe("ok");
  const events = await get(bench, "/acp/v1/events", { ca: tls.cert });
  expect([events.status, events.text]).toEqual([200, expect.stringContaining("event: snapshot")]);
  await expect(get(bench, "/livez")).rejects.toThrow();
  await expect(get(bench, "/livez", { ca: selfSignedCertificate().cert })).rejects.toThrow(/self/i);
  expect((await get(bench, "/livez", { ca: tls.cert })).status).toBe(200);
});

it("with a certificate it may listen beyond this machine, and wants a token there too", async () => {
  const tls = selfSignedCertificate();
  await using bench = await HttpBench.start({ tls, host: ODD_LOOPBACK });
  const nobody = { ca: tls.cert, headers: { authorization: "" } };
  expect((await get(bench, "/acp/v1/describe", nobody)).status).toBe(401);
  expect((await get(bench, "/acp/v1/describe", { ca: tls.cert })).status).toBe(200);
});

it.each([
  ["no PEM", () => ({ cert: "x", key: "y" })],
  ["the key of another", () => ({ ...selfSignedCertificate(), key: selfSignedCertificate().key })],
])("a certificate that is %s is a coded error without the key", async (_case, tls) => {
  const starting = HttpBench.start({ tls: tls() });
  await expect(starting).rejects.toMatchObject({
    code: "FACADE_CONFIGURATION_ERROR",
    message: expect.not.stringContaining("PRIVATE"),
  });
});

it("where other machines reach it any address and its own name count, and no foreign name", async () => {
  await expect(HttpBench.start({ host: ODD_LOOPBACK })).rejects.toThrow(/--insecure-bind/);
  await using bench = await HttpBench.start({ host: ODD_LOOPBACK, insecureBind: true });
  for (const host of ["10.1.2.3", "10.1.2.3:4747", "[fd00::1]:4747", hostname(), "localhost"]) {
    expect([host, await statusFor(bench, host)]).toEqual([host, 200]);
  }
  expect(await statusFor(bench, "evil.example")).toBe(403);
});

it("a proxy may pass on the names that were allowed, and no others", async () => {
  const hosts = ["Acumen.Example.org", "fd00::1", "10.1.2.3"];
  await using bench = await HttpBench.start({ hosts });
  for (const host of ["acumen.example.org", "ACUMEN.example.ORG:8443", "[fd00::1]:1", "10.1.2.3"]) {
    expect([host, await statusFor(bench, host)]).toEqual([host, 200]);
  }
  for (const host of ["example.org", "x.acumen.example.org", "10.1.2.4", "[fd00::2]"]) {
    expect([host, await statusFor(bench, host)]).toEqual([host, 403]);
  }
});

it.each<HttpBenchOptions>([
  { hosts: ["https://acumen.example.org"] },
  { hosts: ["acumen.example.org:443"] },
  { hosts: ["*"] },
  { hosts: [""] },
  { origins: ["*"] },
  { origins: ["null"] },
  { origins: ["ui.example"] },
  { origins: ["https://ui.example/path"] },
  { origins: ["file:///x"] },
])("%j would match nothing, or everything, and is refused", async (options) => {
  await expect(HttpBench.start(options)).rejects.toMatchObject({
    code: "FACADE_CONFIGURATION_ERROR",
  });
});

it("an origin may be written as addresses are typed", async () => {
  await using bench = await HttpBench.start({ origins: ["HTTPS://UI.example/"] });
  const asked = (origin: string) => bench.send({ operation: "session.list" }, { origin });
  expect((await asked("https://ui.example")).status).toBe(200);
  expect((await asked("http://ui.example")).status).toBe(403);
});
