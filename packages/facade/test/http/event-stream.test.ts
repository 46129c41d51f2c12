import { type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { FakeClock } from "@acumen/testkit";
import { expect, it, vi } from "vitest";
import { AcpHttpTransport } from "../../src/client/acp-http-transport.ts";
import type { AcpResponse } from "../../src/envelope/acp-response.ts";
import type { Plan } from "../../src/plans/plan.ts";
import type { PlanPoint } from "../../src/plans/transitions.ts";
import { collect } from "../client/support/scripted-server.ts";
import { draft, publishMany, shortly } from "../events/support.ts";
import { HttpBench } from "../support/http-bench.ts";
import { planAt } from "../support/plan-at.ts";
import { framesOf, startSseReader } from "../support/sse-reader.ts";

const PATH = "/acp/v1/events";

async function code(response: Response): Promise<readonly [number, string | undefined]> {
  const body = (await response.json()) as AcpResponse;
  return [response.status, body.error?.code];
}

/** Moves a stored plan, with an event. */
async function move(bench: HttpBench, plan: Plan, point: PlanPoint, type: string): Promise<Plan> {
  const [phase, state] = point.split("/") as [Plan["phase"], Plan["state"]];
  const next: Plan = { ...plan, phase, state, version: plan.version + 1 };
  const data = { phase, state, attempt: 1, version: next.version };
  const drafts = [draft(type, { plan_id: plan.plan_id, data })];
  await bench.queue.commit({ plans: [next], events: { owner: "local", drafts } });
  return next;
}

it("a new stream begins with a hint and a snapshot, then come events with their seq as id", async () => {
  await using bench = await HttpBench.start();
  const response = await bench.fetch(`${PATH}?types=x.*`);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(response.headers.get("x-accel-buffering")).toBe("no");
  const frames = framesOf(response);
  const next = async () => (await frames.next()).value;
  expect(await next()).toMatchObject({ retry: "1000" });
  expect(await next()).toMatchObject({ id: "0", event: "snapshot" });
  await bench.queue.publish({ event_type: "x.a", data: { text: "two\nlines" } });
  const frame = await next();
  expect(frame).toMatchObject({ id: "1", event: "x.a" });
  expect(frame).toMatchObject({ data: { seq: 1, prev_seq: null, data: { text: "two\nlines" } } });
});

it("a resumed one gets only the tail, by Last-Event-ID before ?after=", async () => {
  await using bench = await HttpBench.start();
  await publishMany(bench.queue, 6);
  const byQuery = startSseReader(await bench.fetch(`${PATH}?after=4`));
  await vi.waitFor(() => expect(shortly(byQuery.seen)).toBe("x.many 5, x.many 6"));
  const headers = { "last-event-id": "5" };
  const byHeader = startSseReader(await bench.fetch(`${PATH}?after=1`, { headers }));
  await vi.waitFor(() => expect(shortly(byHeader.seen)).toBe("x.many 6"));
});

it("types are repeated or separated by commas, with * at their end", async () => {
  await using bench = await HttpBench.start();
  for (const event_type of ["x.a", "x.b", "x.c.d"]) await bench.queue.publish({ event_type });
  const read = async (query: string, expected: string): Promise<void> => {
    const reader = startSseReader(await bench.fetch(`${PATH}?after=0&${query}`));
    await vi.waitFor(() => expect(shortly(reader.seen)).toBe(expected));
  };
  await read("types=x.a&types=x.b", "x.a 1, x.b 2");
  await read("types=x.a,x.c.*", "x.a 1, x.c.d 3");
  await read("types=*", "x.a 1, x.b 2, x.c.d 3");
});

it.each([
  ["types=plan.finished", 400, "VALIDATION_ERROR"],
  ["after=soon", 400, "VALIDATION_ERROR"],
  ["after=1&after=2", 400, "VALIDATION_ERROR"],
  ["plan=x", 400, "VALIDATION_ERROR"],
  ["subscription_id=x&types=*", 400, "VALIDATION_ERROR"],
  ["subscription_id=x", 404, "NOT_FOUND"],
  ["plan_id=x", 404, "NOT_FOUND"],
  ["session_id=x", 404, "NOT_FOUND"],
  ["after=7", 410, "CURSOR_EXPIRED"],
])("?%s is refused before a stream begins", async (query, status, expected) => {
  await using bench = await HttpBench.start();
  expect(await code(await bench.fetch(`${PATH}?${query}`))).toEqual([status, expected]);
});

it("a token without the scope, or of another owner, sees nothing", async () => {
  await using bench = await HttpBench.start();
  const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  const reader = as(await bench.tokenWith(["plan:read"]));
  expect(await code(await bench.fetch(PATH, reader))).toEqual([403, "FORBIDDEN"]);
  const { subscription_id: id } = await bench.queue.open(
    {},
    { principal: { owner: "local", tokenId: null, scopes: [] } },
  );
  const plan = planAt("execute/queued");
  await bench.queue.commit({ plans: [plan] });
  const other = as(await bench.tokenWith(["events:read"], "ann"));
  for (const query of [`subscription_id=${id}`, `plan_id=${plan.plan_id}`]) {
    expect(await code(await bench.fetch(`${PATH}?${query}`, other))).toEqual([404, "NOT_FOUND"]);
  }
  const own = startSseReader(await bench.fetch(PATH, other));
  await vi.waitFor(() => expect(own.seen).toHaveLength(1));
  await bench.queue.publish({ event_type: "x.secret" });
  await sleep(50);
  expect(shortly(own.seen)).toBe("snapshot 0");
});

it("a subscription that a request opened is read at the address that it names", async () => {
  await using bench = await HttpBench.start();
  const { body } = await bench.send({ operation: "event.subscribe", params: { types: ["x.*"] } });
  await publishMany(bench.queue, 2);
  const address = body.data["stream_url"] as string;
  const first = startSseReader(await bench.fetch(address));
  await vi.waitFor(() => expect(shortly(first.seen)).toBe("snapshot 0, x.many 1, x.many 2"));
  const second = startSseReader(await bench.fetch(address, { headers: { "last-event-id": "1" } }));
  await vi.waitFor(() => expect(shortly(second.seen)).toBe("x.many 2"));
  await first.ended;
  expect(first.seen.at(-1)?.data).toMatchObject({ reason: "replaced" });
});

it("the stream of a plan ends with it, also when the filter hides its last event", async () => {
  await using bench = await HttpBench.start();
  const plan = planAt("apply/processing");
  await bench.queue.commit({ plans: [plan] });
  const query = `${PATH}?plan_id=${plan.plan_id}`;
  const all = startSseReader(await bench.fetch(query));
  const some = startSseReader(await bench.fetch(`${query}&types=x.*`));
  await vi.waitFor(() => expect([all.seen.length, some.seen.length]).toEqual([1, 1]));
  await bench.queue.publish({ event_type: "x.a", plan_id: plan.plan_id });
  await move(bench, plan, "apply/applied", "plan.applied");
  await Promise.all([all.ended, some.ended]);
  expect(shortly(all.seen)).toBe("snapshot 0, x.a 1, plan.applied 2, end 2");
  expect(shortly(some.seen)).toBe("snapshot 0, x.a 1, end 2");
  expect(all.seen.at(-1)?.data).toEqual({ reason: "final", resume_after: 2 });
  const again = startSseReader(await bench.fetch(`${query}&after=1`));
  await again.ended;
  expect(shortly(again.seen)).toBe("plan.applied 2, end 2");
  const late = startSseReader(await bench.fetch(query));
  await late.ended;
  expect(shortly(late.seen)).toBe("snapshot 2, end 2");
});

it("after a cancel the stream stays until the sandbox was told of", async () => {
  await using bench = await HttpBench.start({ limits: { lastEventsMs: 200 } });
  const plan = planAt("execute/processing");
  await bench.queue.commit({ plans: [plan] });
  const reader = startSseReader(await bench.fetch(`${PATH}?plan_id=${plan.plan_id}`));
  await vi.waitFor(() => expect(reader.seen).toHaveLength(1));
  await move(bench, plan, "execute/cancelled", "plan.cancelled");
  const drafts = [draft("sandbox.rolled_back", { plan_id: plan.plan_id, data: { attempt: 1 } })];
  await bench.queue.commit({ events: { owner: "local", drafts } });
  await reader.ended;
  expect(shortly(reader.seen)).toBe("snapshot 0, plan.cancelled 1, sandbox.rolled_back 2, end 2");
});

it("a heartbeat names where to resume, also where nothing passes the filter, but not before the snapshot", async () => {
  await using bench = await HttpBench.start({
    limits: { heartbeatMs: 20 },
    queueLimits: { keepEvents: 10 },
  });
  await bench.queue.publish({ event_type: "x.mine" });
  const ids: string[] = [];
  const follow = async (): Promise<void> => {
    const response = await bench.fetch(`${PATH}?types=x.mine`);
    for await (const { comment, id, event } of framesOf(response)) {
      if (id !== undefined) ids.push(`${event ?? comment ?? ""} ${id}`);
    }
  };
  follow().catch(() => undefined);
  await vi.waitFor(() => expect(ids).toContain("heartbeat 1"));
  expect(ids[0]).toBe("snapshot 1");
  await publishMany(bench.queue, 30, "x.noise");
  await vi.waitFor(() => expect(ids.at(-1)).toBe("heartbeat 31"));
  await bench.queue.publish({ event_type: "x.mine" });
  await vi.waitFor(() => expect(ids).toContain("heartbeat 32"));
  expect(ids.indexOf("x.mine 32")).toBeLessThan(ids.indexOf("heartbeat 32"));
  await bench.queue.sweep();
  const headers = { "last-event-id": "31" };
  const resumed = startSseReader(await bench.fetch(`${PATH}?types=x.mine`, { headers }));
  await vi.waitFor(() => expect(shortly(resumed.seen)).toBe("x.mine 32"));
  // What the last event alone would have been.
  expect(await code(await bench.fetch(`${PATH}?types=x.mine&after=1`))).toEqual([
    410,
    "CURSOR_EXPIRED",
  ]);
});

it("at a heartbeat a revoked token ends its streams, others go on", async () => {
  await using bench = await HttpBench.start({ limits: { heartbeatMs: 30 } });
  const made = await bench.tokens.create({ scopes: ["events:read"] });
  const headers = { authorization: `Bearer ${made.token}` };
  const revoked = startSseReader(await bench.fetch(PATH, { headers }));
  const other = startSseReader(await bench.fetch(PATH));
  await vi.waitFor(() => expect(revoked.comments).toContain("heartbeat"));
  await bench.tokens.revoke(made.record.token_id);
  await revoked.ended;
  expect(revoked.seen.at(-1)).toMatchObject({ event_type: "end", data: { reason: "revoked" } });
  await bench.queue.publish({ event_type: "x.after" });
  await vi.waitFor(() => expect(shortly(other.seen)).toBe("snapshot 0, x.after 1"));
});

it("at a heartbeat a token that has expired meanwhile ends its streams", async () => {
  const clock = new FakeClock();
  await using bench = await HttpBench.start({ clock, limits: { heartbeatMs: 30 } });
  const expiresAt = new Date(clock.now().getTime() + 1_000);
  const { token } = await bench.tokens.create({ scopes: ["events:read"], expiresAt });
  const headers = { authorization: `Bearer ${token}` };
  const reader = startSseReader(await bench.fetch(PATH, { headers }));
  clock.advance(999);
  const before = reader.comments.length;
  await vi.waitFor(() => expect(reader.comments.length).toBeGreaterThan(before + 1));
  clock.advance(1);
  await reader.ended;
  expect(reader.seen.at(-1)).toMatchObject({ event_type: "end", data: { reason: "revoked" } });
  expect(await code(await bench.fetch(PATH, { headers }))).toEqual([401, "AUTH_ERROR"]);
});

it("at a heartbeat a token that has lost the scope ends its streams", async () => {
  await using bench = await HttpBench.start({ limits: { heartbeatMs: 30 } });
  const reader = startSseReader(await bench.fetch(PATH));
  await vi.waitFor(() => expect(reader.comments).toContain("heartbeat"));
  const recheck = vi.spyOn(bench.tokens, "recheck");
  recheck.mockResolvedValue({ owner: "local", tokenId: bench.tokenId, scopes: ["plan:read"] });
  await reader.ended;
  expect(reader.seen.at(-1)).toMatchObject({ event_type: "end", data: { reason: "revoked" } });
});

it("a store that cannot say whether the token still counts ends the stream, to be resumed", async () => {
  await using bench = await HttpBench.start({ limits: { heartbeatMs: 30 } });
  const reader = startSseReader(await bench.fetch(PATH));
  await vi.waitFor(() => expect(reader.comments).toContain("heartbeat"));
  vi.spyOn(bench.tokens, "recheck").mockRejectedValue(new Error("database is locked"));
  await reader.ended;
  expect(reader.seen.at(-1)).toMatchObject({ event_type: "end", data: { reason: "failed" } });
});

it("a stream ends after its time, with the id to resume after", async () => {
  await using bench = await HttpBench.start({ limits: { streamMs: 150 } });
  const reader = startSseReader(await bench.fetch(PATH));
  await bench.queue.publish({ event_type: "x.a" });
  await reader.ended;
  expect(reader.seen.at(-1)).toMatchObject({
    event_type: "end",
    seq: 1,
    data: { reason: "max_age", resume_after: 1 },
  });
});

it("a token has so many streams; one that is left makes room", async () => {
  await using bench = await HttpBench.start({ limits: { streams: 2 } });
  const leave = new AbortController();
  await bench.fetch(PATH, { signal: leave.signal });
  await bench.fetch(PATH);
  const refused = await bench.fetch(PATH);
  expect(refused.headers.get("retry-after")).toBe("5");
  expect(await code(refused)).toEqual([429, "RATE_LIMITED"]);
  leave.abort();
  await vi.waitFor(async () => expect((await bench.fetch(PATH)).status).toBe(200));
});

it("HEAD is answered as a stream would be, and opens none", async () => {
  await using bench = await HttpBench.start({ limits: { streams: 1 } });
  for (let round = 0; round < 3; round += 1) {
    const { status, headers } = await bench.fetch(PATH, { method: "HEAD" });
    expect([status, headers.get("content-type")]).toEqual([
      200,
      "text/event-stream; charset=utf-8",
    ]);
  }
  expect((await bench.fetch(PATH)).status).toBe(200);
  const reader = { authorization: `Bearer ${await bench.tokenWith(["plan:read"])}` };
  const refused = await bench.fetch(PATH, { method: "HEAD", headers: reader });
  expect(refused.status).toBe(403);
  for (const path of ["/acp/v1/describe", "/openapi.json", "/livez"]) {
    expect((await bench.fetch(path, { method: "HEAD" })).status).toBe(200);
  }
});

it("a reader that takes nothing is dropped, keeps nobody else waiting, and resumes after what it has", async () => {
  await using bench = await HttpBench.start({
    limits: { stallMs: 300 },
    queueLimits: { buffer: 100 },
  });
  const headers = { authorization: `Bearer ${bench.token}` };
  const slow = await new Promise<IncomingMessage>((resolve, reject) => {
    request(bench.server.url + PATH, { headers }, resolve)
      .on("error", reject)
      .end();
  });
  slow.pause();
  const gone = new Promise<void>((resolve) => void slow.once("close", resolve));
  slow.on("error", () => undefined);
  const quick = startSseReader(await bench.fetch(PATH));
  const text = "x".repeat(60_000);
  const count = 300;
  for (let index = 0; index < count; index += 1) {
    await bench.queue.publish({ event_type: "x.big", data: { text } });
    // The quick reader is in this process and must have its turn.
    if (index % 20 === 0) await vi.waitFor(() => expect(quick.seen.at(-1)?.seq).toBe(index + 1));
  }
  await vi.waitFor(() => expect(quick.seen.at(-1)?.seq).toBe(count));
  // What the system had taken for it can still be read; then the connection is cut.
  await sleep(600);
  let received = "";
  slow.on("data", (chunk: Buffer) => void (received += chunk.toString()));
  slow.resume();
  await gone;
  const last = [...received.matchAll(/^id: (\d+)\nevent: .*\ndata: .*\n\n/gm)].at(-1)?.[1];
  expect(Number(last)).toBeLessThan(count);
  // On a busy machine this reader too may be dropped for a moment, and resumes.
  const transport = new AcpHttpTransport({ token: bench.token });
  await transport.connect(bench.server.url);
  const rest = collect(transport.events({ after: Number(last) }));
  await vi.waitFor(() => expect(rest.seen).toHaveLength(count - Number(last)));
  expect(rest.seen[0]?.seq).toBe(Number(last) + 1);
  await transport.disconnect();
});
