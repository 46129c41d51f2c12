import { expect, it, vi } from "vitest";
import { AcpHttpTransport } from "../../src/client/acp-http-transport.ts";
import type { AcpEvent } from "../../src/envelope/acp-event.ts";
import {
  AcpNotAvailableError,
  AcpOperationNotFoundError,
  AcpVersionMismatchError,
} from "../../src/errors/acp-error.ts";
import { AcpEventQueue } from "../../src/events/acp-event-queue.ts";
import type { Plan } from "../../src/plans/plan.ts";
import { draft, publishMany, shortly } from "../events/support.ts";
import { HttpBench } from "../support/http-bench.ts";
import { planAt } from "../support/plan-at.ts";
import { collect, DESCRIBED, failure, listening, scripted } from "./support/scripted-server.ts";

async function connected(bench: HttpBench): Promise<AcpHttpTransport> {
  const transport = new AcpHttpTransport({ token: bench.token });
  await transport.connect(bench.server.url);
  return transport;
}

it("connects, answers like local dispatch, and says whether it is connected", async () => {
  await using bench = await HttpBench.start();
  const transport = new AcpHttpTransport({ token: bench.token });
  expect(transport.isConnected()).toBe(false);
  await expect(transport.send({ operation: "session.list" })).rejects.toThrow(AcpNotAvailableError);
  expect(() => transport.events()).toThrow(AcpNotAvailableError);
  await transport.connect(`${bench.server.url}/`);
  expect(transport.isConnected()).toBe(true);
  const made = await transport.send({ operation: "session.create", request_id: "mine" });
  expect(made).toMatchObject({ status: "ok", request_id: "mine", data: { status: "open" } });
  const missing = await transport.send({ operation: "plan.status", params: { plan_id: "x" } });
  expect(missing).toMatchObject({ status: "error", error: { code: "NOT_FOUND" } });
  await transport.disconnect();
  expect(transport.isConnected()).toBe(false);
  await expect(transport.send({ operation: "session.list" })).rejects.toThrow(/connect\(url\)/);
});

it("raises what local dispatch raises", async () => {
  await using bench = await HttpBench.start();
  const transport = await connected(bench);
  const unknown = transport.send({ operation: "plan.aply" });
  await expect(unknown).rejects.toThrow(AcpOperationNotFoundError);
  await expect(unknown).rejects.toMatchObject({ details: { operation: "plan.aply" } });
  const old = transport.send({ operation: "session.list", acp_version: "0.9" });
  await expect(old).rejects.toThrow(AcpVersionMismatchError);
  await expect(old).rejects.toMatchObject({ details: { version: "0.9", supported: ["1.0"] } });
});

it("does not connect where there is no server, another server, another version or no right", async () => {
  const transport = new AcpHttpTransport({ token: "acm_x" });
  await using other = await listening((_request, response) => void response.end("<html>"));
  const gone = await listening(() => undefined);
  await gone[Symbol.asyncDispose]();
  for (const url of [gone.url, other.url]) {
    await expect(transport.connect(url)).rejects.toThrow(AcpNotAvailableError);
  }
  await using newer = await listening((_request, response) => {
    response.end(JSON.stringify({ ...DESCRIBED, data: { supported_versions: ["2.0"] } }));
  });
  await expect(transport.connect(newer.url)).rejects.toThrow(AcpVersionMismatchError);
  await using bench = await HttpBench.start();
  const refused = transport.connect(bench.server.url);
  await expect(refused).rejects.toMatchObject({ code: "FACADE_AUTH_ERROR" });
  for (const url of ["", "127.0.0.1:1", "ftp://x", "http://u:p@x"]) {
    await expect(transport.connect(url)).rejects.toMatchObject({ code: "FACADE_VALIDATION_ERROR" });
  }
  expect(transport.isConnected()).toBe(false);
});

it("follows no redirection, so that the token goes nowhere else", async () => {
  const thief = scripted(() => ({ status: 200, body: DESCRIBED }));
  const tokens: unknown[] = [];
  await using elsewhere = await listening((request, response) => {
    tokens.push(request.headers.authorization);
    thief.listener(request, response);
  });
  await using server = await listening((request, response) => {
    response.writeHead(307, { location: elsewhere.url + String(request.url) }).end();
  });
  const transport = new AcpHttpTransport({ token: "acm_secret" });
  await expect(transport.connect(server.url)).rejects.toThrow(/redirects/);
  expect(tokens).toEqual([]);
});

it("sends reads and keyed changes again, with the same id and key", async () => {
  const { seen, listener } = scripted((call) => {
    if (call === 1) return { status: 0, body: "" };
    if (call === 2) return { status: 502, body: "bad gateway" };
    if (call === 3)
      return { status: 429, body: failure("RATE_LIMITED", { retryable: true, retry_after_ms: 1 }) };
    return { status: 200, body: DESCRIBED };
  });
  await using server = await listening(listener);
  const transport = new AcpHttpTransport({ token: "t" });
  await transport.connect(server.url);
  await transport.send({ operation: "session.create", idempotency_key: "k" });
  expect(seen).toHaveLength(4);
  expect(new Set(seen).size).toBe(1);
  expect(JSON.parse(String(seen[0]))).toMatchObject({ idempotency_key: "k" });
});

it("sends a change without a key once", async () => {
  const { seen, listener } = scripted(() => ({ status: 0, body: "" }));
  await using server = await listening(listener);
  const transport = new AcpHttpTransport({ token: "t" });
  await transport.connect(server.url);
  const create = transport.send({
    operation: "plan.create",
    params: { action_name: "builtin/task" },
  });
  await expect(create).rejects.toThrow(AcpNotAvailableError);
  await expect(transport.send({ operation: "x.unknown" })).rejects.toThrow(AcpNotAvailableError);
  expect(seen).toHaveLength(2);
});

it("waits as long as the server asks for, and hands on what does not pass", async () => {
  const { seen, listener } = scripted((call) =>
    call === 1
      ? { status: 503, body: failure("NOT_AVAILABLE", { retryable: true, retry_after_ms: 150 }) }
      : { status: 404, body: failure("NOT_FOUND") },
  );
  await using server = await listening(listener);
  const transport = new AcpHttpTransport({ token: "t" });
  await transport.connect(server.url);
  const started = performance.now();
  const answer = await transport.send({ operation: "session.list" });
  expect(performance.now() - started).toBeGreaterThanOrEqual(145);
  expect(answer.error?.code).toBe("NOT_FOUND");
  expect(seen).toHaveLength(2);
});

it("an abort or a disconnect ends the waiting", async () => {
  await using server = await listening((request, response) => {
    if (request.url === "/acp/v1/describe") response.end(JSON.stringify(DESCRIBED));
  });
  const transport = new AcpHttpTransport({ token: "t" });
  await transport.connect(server.url);
  const abort = new AbortController();
  const aborted = transport.send({ operation: "session.list" }, { signal: abort.signal });
  const left = transport.send({ operation: "session.list" });
  const events = collect(transport.events());
  abort.abort(new Error("enough"));
  await expect(aborted).rejects.toThrow("enough");
  await transport.disconnect();
  await expect(left).rejects.toThrow(AcpNotAvailableError);
  expect(await events.ended).toBe("ended");
});

it("events come once and in order over a server that ends streams all the time", async () => {
  await using bench = await HttpBench.start({ limits: { streamMs: 60 } });
  const transport = await connected(bench);
  const abort = new AbortController();
  const reader = collect(transport.events({ types: ["x.*"], signal: abort.signal }));
  for (let round = 0; round < 10; round += 1) {
    await publishMany(bench.queue, 5);
    await vi.waitFor(() => expect(reader.seen.at(-1)?.seq).toBe((round + 1) * 5));
  }
  expect(reader.seen[0]?.event_type).toBe("snapshot");
  const events = reader.seen.filter(({ event_type: type }) => type !== "snapshot");
  expect(events.at(-1)?.seq).toBe(50);
  for (const [index, { seq }] of events.slice(1).entries())
    expect(seq).toBe((events[index]?.seq ?? 0) + 1);
  abort.abort();
  expect(await reader.ended).toBe("ended");
});

it("events of a plan end with it", async () => {
  await using bench = await HttpBench.start();
  const transport = await connected(bench);
  const plan = planAt("apply/processing");
  await bench.queue.commit({ plans: [plan] });
  const reader = collect(transport.events({ plan_id: plan.plan_id, after: 0 }));
  const done: Plan = { ...plan, state: "applied", version: plan.version + 1 };
  const data = { phase: "apply", state: "applied", attempt: 1, version: done.version };
  const drafts = [draft("plan.applied", { plan_id: plan.plan_id, data })];
  await bench.queue.commit({ plans: [done], events: { owner: "local", drafts } });
  expect(await reader.ended).toBe("ended");
  expect(shortly(reader.seen)).toBe("plan.applied 1");
});

it("events that were idle for long resume where nothing passed the filter", async () => {
  await using bench = await HttpBench.start({
    limits: { heartbeatMs: 20, streamMs: 250 },
    queueLimits: { keepEvents: 100 },
  });
  const transport = await connected(bench);
  const cursors: number[] = [];
  const onCursor = (seq: number): void => void cursors.push(seq);
  const reader = collect(transport.events({ types: ["x.mine"], onCursor }));
  await vi.waitFor(() => expect(reader.seen).toHaveLength(1));
  for (let round = 1; round <= 4; round += 1) {
    await publishMany(bench.queue, 50, "x.noise");
    await vi.waitFor(() => expect(cursors.at(-1)).toBe(round * 50));
    await bench.queue.sweep();
  }
  await bench.queue.publish({ event_type: "x.mine" });
  await vi.waitFor(() => expect(shortly(reader.seen)).toBe("snapshot 0, x.mine 201"));
  await transport.disconnect();
  expect(await reader.ended).toBe("ended");
});

it("a connection that was given up while it was made does not come about", async () => {
  await using bench = await HttpBench.start();
  const transport = new AcpHttpTransport({ token: bench.token });
  const first = transport.connect(bench.server.url);
  const left = expect(first).rejects.toThrow(AcpNotAvailableError);
  await new Promise((resolve) => setImmediate(resolve));
  await transport.disconnect();
  await left;
  expect(transport.isConnected()).toBe(false);
});

it("events stop with a coded error where repeating does not help", async () => {
  await using bench = await HttpBench.start({ limits: { heartbeatMs: 30 } });
  const transport = await connected(bench);
  const codes = await Promise.all(
    [{ plan_id: "x" }, { after: 99 }, { types: ["no.such"] }].map(async (query) => {
      const ended = await collect(transport.events(query)).ended;
      return (ended as { code?: string }).code;
    }),
  );
  expect(codes).toEqual(["FACADE_NOT_FOUND", "FACADE_CURSOR_EXPIRED", "FACADE_VALIDATION_ERROR"]);
  const open = collect(transport.events());
  await vi.waitFor(() => expect(open.seen).toHaveLength(1));
  await bench.tokens.revoke(bench.tokenId);
  expect(await open.ended).toMatchObject({ code: "FACADE_AUTH_ERROR" });
  expect(await collect(transport.events()).ended).toMatchObject({ code: "FACADE_AUTH_ERROR" });
});

it("events give up when no server answers for long", async () => {
  const bench = await HttpBench.start();
  const transport = new AcpHttpTransport({ token: bench.token, giveUpMs: 200 });
  await transport.connect(bench.server.url);
  const reader = collect(transport.events());
  await vi.waitFor(() => expect(reader.seen).toHaveLength(1));
  await bench[Symbol.asyncDispose]();
  expect(await reader.ended).toBeInstanceOf(AcpNotAvailableError);
});

it("a queue calls back with the events of a server", async () => {
  await using bench = await HttpBench.start();
  const queue = new AcpEventQueue();
  const seen: AcpEvent[] = [];
  const id = await queue.subscribeRemote(bench.server.url, (event) => void seen.push(event), {
    token: bench.token,
    types: ["x.*"],
  });
  await vi.waitFor(() => expect(seen).toHaveLength(1));
  await publishMany(bench.queue, 2);
  await vi.waitFor(() => expect(shortly(seen)).toBe("snapshot 0, x.many 1, x.many 2"));
  expect(queue.unsubscribe(id)).toBe(true);
  await queue.close();
  const nowhere = queue.subscribeRemote("http://127.0.0.1:1", () => undefined);
  await expect(nowhere).rejects.toThrow(AcpNotAvailableError);
});

it("a queue says when the events of a server have ended, and why", async () => {
  await using bench = await HttpBench.start({ limits: { heartbeatMs: 20 } });
  const queue = new AcpEventQueue();
  const ends: unknown[] = [];
  const seen: AcpEvent[] = [];
  const follow = (onEnd: (error?: unknown) => void) =>
    queue.subscribeRemote(bench.server.url, (event) => void seen.push(event), {
      token: bench.token,
      onEnd,
    });
  const left = await follow(() => void ends.push("left"));
  await follow((error) => void ends.push(error));
  await vi.waitFor(() => expect(seen).toHaveLength(2));
  queue.unsubscribe(left);
  await bench.tokens.revoke(bench.tokenId);
  await vi.waitFor(() => expect(ends).toHaveLength(1));
  expect(ends[0]).toMatchObject({ code: "FACADE_AUTH_ERROR" });
  await queue.close();
});

it.each(["acm_a\nb", "acm_a b", "acm_ä"])(
  "a token that can be none is refused and not shown",
  async (token) => {
    const refused = new AcpHttpTransport({ token }).connect("http://127.0.0.1:1");
    await expect(refused).rejects.toMatchObject({ code: "FACADE_AUTH_ERROR" });
    await expect(refused).rejects.not.toThrow(token);
  },
);
