import { expect, it } from "vitest";
import { AcpHttpTransport } from "../../src/client/acp-http-transport.ts";
import { AcpNotAvailableError } from "../../src/errors/acp-error.ts";
import { collect, DESCRIBED, listening, scripted } from "./support/scripted-server.ts";

const CREATE = { operation: "plan.create", params: { action_name: "builtin/task" } };

async function connectedTo(url: string, options: { readonly timeoutMs?: number } = {}) {
  const transport = new AcpHttpTransport({ token: "t", attempts: 2, ...options });
  await transport.connect(url);
  return transport;
}

async function errorOf(work: Promise<unknown>): Promise<AcpNotAvailableError> {
  const error: unknown = await work.catch((reason: unknown) => reason);
  if (error instanceof AcpNotAvailableError) return error;
  throw new Error(`expected an AcpNotAvailableError, got ${String(error)}`);
}

it.each([
  ["is cut off", { status: 0, body: "" }],
  ["comes from a proxy that lost the server", { status: 502, body: "bad gateway" }],
  ["is no envelope", { status: 200, body: "<html>" }],
])(
  "a change without a key whose answer %s is sent once, and its outcome is unknown",
  async (_how, answer) => {
    const { seen, listener } = scripted(() => answer);
    await using server = await listening(listener);
    const transport = await connectedTo(server.url);
    const error = await errorOf(transport.send(CREATE));
    expect(seen).toHaveLength(1);
    expect(error.details).toMatchObject({ outcome: "unknown", operation: "plan.create" });
    expect(error.message).toMatch(/unknown whether plan\.create was carried out\. Read the state/);
    // Whoever repeats what is called retryable must not repeat this.
    expect(error.retryable).toBe(false);
  },
);

it("a change without a key that gets no answer in time is not sent again, and its outcome is unknown", async () => {
  let count = 0;
  await using server = await listening((request, response) => {
    if (request.url === "/acp/v1/describe") response.end(JSON.stringify(DESCRIBED));
    else count += 1;
  });
  const transport = await connectedTo(server.url, { timeoutMs: 50 });
  const late = await errorOf(transport.send(CREATE));
  expect(late.details["outcome"]).toBe("unknown");
  expect(late.message).toContain("does not answer in time");
  expect(count).toBe(1);
});

it("a change whose connection is closed meanwhile has an unknown outcome, a read has none", async () => {
  await using server = await listening((request, response) => {
    if (request.url === "/acp/v1/describe") response.end(JSON.stringify(DESCRIBED));
  });
  const transport = await connectedTo(server.url);
  const change = errorOf(transport.send(CREATE));
  const read = errorOf(transport.send({ operation: "plan.list" }));
  await transport.disconnect();
  expect((await change).details["outcome"]).toBe("unknown");
  expect((await read).details).not.toHaveProperty("outcome");
});

it("a change with a key can be repeated, also when the server was gone at the last attempt", async () => {
  const { seen, listener } = scripted(() => {
    void server[Symbol.asyncDispose]();
    return { status: 0, body: "" };
  });
  await using server = await listening(listener);
  const transport = await connectedTo(server.url);
  const error = await errorOf(transport.send({ ...CREATE, idempotency_key: "k" }));
  expect(seen).toHaveLength(1);
  expect(error.details).toMatchObject({ outcome: "unknown", errno: "ECONNREFUSED" });
  expect(error.retryable).toBe(true);
  expect(error.message).toContain("same idempotency_key");
});

it("what never went out has no outcome", async () => {
  const server = await listening(scripted(() => ({ status: 0, body: "" })).listener);
  const transport = await connectedTo(server.url);
  await server[Symbol.asyncDispose]();
  const error = await errorOf(transport.send(CREATE));
  expect(error.details).toEqual({ url: server.url, errno: "ECONNREFUSED" });
});

it("what stands before a server and refuses is asked once", async () => {
  const { seen, listener } = scripted(() => ({ status: 403, body: "<html>" }));
  await using server = await listening(listener);
  const transport = await connectedTo(server.url);
  const error = await errorOf(transport.send({ operation: "plan.list" }));
  expect(error.message).toContain("status 403 without an envelope");
  expect((await errorOf(transport.send(CREATE))).details).not.toHaveProperty("outcome");
  expect(seen).toHaveLength(2);
  expect(await collect(transport.events()).ended).toMatchObject({ retryable: false });
});

it("what is no JSON is answered like in process, and auth stays at home", async () => {
  const { seen, listener } = scripted(() => ({ status: 200, body: DESCRIBED }));
  await using server = await listening(listener);
  const transport = await connectedTo(server.url);
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  for (const params of [circle, { n: 1n }]) {
    const answer = await transport.send({ operation: "plan.list", params: params as never });
    expect(answer).toMatchObject({ status: "error", error: { code: "VALIDATION_ERROR" } });
  }
  expect(seen).toEqual([]);
  await transport.send({ operation: "plan.list", auth: { password: "s3cret" } });
  expect(seen).toHaveLength(1);
  expect(seen[0]).not.toContain("s3cret");
});
