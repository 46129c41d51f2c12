import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { AcpHttpTransport } from "../../src/client/acp-http-transport.ts";
import { LOCAL_PRINCIPAL } from "../../src/access/principal.ts";
import type { AcpEvent } from "../../src/envelope/acp-event.ts";
import type { JsonObject } from "../../src/envelope/json-value.ts";
import { AcpEventQueue } from "../../src/events/acp-event-queue.ts";
import { HttpBench } from "../support/http-bench.ts";
import { planAt } from "../support/plan-at.ts";
import { startSseReader } from "../support/sse-reader.ts";
import { draft } from "./support.ts";

const call = { call_id: "c", tool: "builtin/bash", title: "make" };
const DRAFTS = [
  draft("tool.invoked", { data: { ...call, input_chars: 9, input: "what went in" } }),
  draft("tool.completed", { data: { ...call, output_chars: 8, output: "what came out" } }),
  draft("tool.errored", { data: { ...call, output_chars: 8, output: "what went wrong" } }),
  draft("x.mine", { data: { output: "of a user" } }),
];
const PLAIN = [
  { ...call, input_chars: 9 },
  { ...call, output_chars: 8 },
  { ...call, output_chars: 8 },
  { output: "of a user" },
];
const WHOLE = DRAFTS.map(({ data }) => data);

const dataOf = (events: readonly AcpEvent[]): readonly JsonObject[] =>
  events.filter(({ event_type: type }) => /^(?:tool|x)\./.test(type)).map(({ data }) => data);

const paramsOf = (include: readonly string[] | undefined): object =>
  include === undefined ? {} : { include };

/** Reads until all four have come. */
async function four(events: AsyncIterable<AcpEvent>): Promise<readonly JsonObject[]> {
  const seen: AcpEvent[] = [];
  for await (const event of events) {
    seen.push(event);
    if (dataOf(seen).length === DRAFTS.length) break;
  }
  return dataOf(seen);
}

describe("bodies of tools", () => {
  let bench: HttpBench;
  beforeEach(async () => {
    bench = await HttpBench.start();
    onTestFinished(() => bench[Symbol.asyncDispose]());
  });
  const commit = () => bench.queue.commit({ events: { owner: "local", drafts: DRAFTS } });
  const ASKED = [
    { include: undefined, expected: PLAIN },
    { include: ["output"] as const, expected: WHOLE },
  ];

  test.each(ASKED)("event.list with include $include", async ({ include, expected }) => {
    await commit();
    const { data } = (await bench.send({ operation: "event.list", params: paramsOf(include) }))
      .body;
    expect(dataOf(data["events"] as readonly AcpEvent[])).toEqual(expected);
  });

  test.each(ASKED)("event.subscribe with include $include", async ({ include, expected }) => {
    const { data } = (await bench.send({ operation: "event.subscribe", params: paramsOf(include) }))
      .body;
    await commit();
    const id = data["subscription_id"] as string;
    const { signal } = new AbortController();
    expect(await four(bench.queue.events(id, { principal: LOCAL_PRINCIPAL, signal }))).toEqual(
      expected,
    );
  });

  test.each(ASKED)("a stream over HTTP with include $include", async ({ include, expected }) => {
    await commit();
    const transport = new AcpHttpTransport({ token: bench.token });
    await transport.connect(bench.server.url);
    const asked = include === undefined ? {} : { include };
    expect(await four(transport.events({ after: 0, ...asked }))).toEqual(expected);
    await transport.disconnect();
  });

  test.each(ASKED)("what is left of a plan that is over, include $include", async (asked) => {
    const { include, expected } = asked;
    const plan = planAt("apply/applied");
    const drafts = DRAFTS.map((each) => ({ ...each, plan_id: plan.plan_id }));
    await bench.queue.commit({ plans: [plan], events: { owner: "local", drafts } });
    const rest = include === undefined ? "" : "&include=output";
    const response = await bench.fetch(`/acp/v1/events?after=0&plan_id=${plan.plan_id}${rest}`);
    const reader = startSseReader(response);
    await reader.ended;
    expect(dataOf(reader.seen)).toEqual(expected);
    expect(reader.seen.at(-1)).toMatchObject({ event_type: "end", data: { reason: "final" } });
  });

  test.each(ASKED)("a callback with include $include", async ({ include, expected }) => {
    const seen: AcpEvent[] = [];
    const asked = include === undefined ? {} : { include };
    bench.queue.subscribeLocal((event) => void seen.push(event), asked);
    await commit();
    await expect.poll(() => dataOf(seen)).toEqual(expected);
  });

  test("a callback for a server's events", async () => {
    await commit();
    const own = new AcpEventQueue();
    const seen: AcpEvent[] = [];
    const options = { token: bench.token, after: 0, include: ["output"] as const };
    await own.subscribeRemote(bench.server.url, (event) => void seen.push(event), options);
    await expect.poll(() => dataOf(seen)).toEqual(WHOLE);
    await own.close();
  });

  test("the last events of a process's own log have none", async () => {
    await commit();
    expect(dataOf(await bench.queue.getEvents())).toEqual(PLAIN);
  });

  test("anything else that shall be included is refused", async () => {
    const request = { operation: "event.list", params: { include: ["secrets"] } };
    expect((await bench.send(request)).body).toMatchObject({
      error: { code: "VALIDATION_ERROR", details: { issues: [{ path: ["include", 0] }] } },
    });
    const { status } = await bench.fetch("/acp/v1/events?include=secrets");
    expect(status).toBe(400);
  });
});
