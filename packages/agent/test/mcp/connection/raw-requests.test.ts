import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RawRequests } from "../../../src/mcp/connection/raw-requests.ts";

type Sent = JSONRPCMessage & {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
};

/** Requests whose other end is the test. */
function wire({ refuse, stuck = false }: { refuse?: Error; stuck?: boolean } = {}): {
  requests: RawRequests;
  sent: Sent[];
  signals: AbortSignal[];
  ends: (() => void)[];
} {
  const sent: Sent[] = [];
  const signals: AbortSignal[] = [];
  const ends: (() => void)[] = [];
  const requests = new RawRequests({
    hasPerRequestStream: true,
    send: async (message, options) => {
      sent.push(message as Sent);
      if (options?.requestSignal) signals.push(options.requestSignal);
      if (options?.onRequestStreamEnd) ends.push(options.onRequestStreamEnd);
      if (refuse) throw refuse;
      if (stuck) await new Promise(() => undefined);
    },
  });
  return { requests, sent, signals, ends };
}

const never = new AbortController().signal;
const answer = (id: unknown, result: unknown): JSONRPCMessage =>
  ({ jsonrpc: "2.0", id, result }) as JSONRPCMessage;
const progress = (progressToken: unknown, more: object): JSONRPCMessage =>
  ({
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken, ...more },
  }) as JSONRPCMessage;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe("RawRequests", () => {
  it("gives back each result as it came, whatever the order and the kind of the id", async () => {
    const { requests, sent } = wire();
    const options = { signal: never, timeoutMs: 5_000 };
    const first = requests.request("a", {}, options);
    const second = requests.request("b", {}, options);
    const strange = { content: null, _meta: null, deep: [{ type: "hologram" }] };
    expect(requests.take(answer(String(sent[1]?.id), strange))).toBe(true);
    expect(requests.take(answer(sent[0]?.id, "text"))).toBe(true);
    expect(await second).toEqual({ kind: "result", result: strange });
    expect(await first).toEqual({ kind: "result", result: "text" });
  });

  it("takes answers to its own requests alone, also those that come twice or too late", async () => {
    const { requests, sent } = wire();
    const asked = requests.request("a", {}, { signal: never, timeoutMs: 5_000 });
    const id = Number(sent[0]?.id);
    for (const other of [0, 1, "0", "listen:1", "", null])
      expect(requests.take(answer(other, {}))).toBe(false);
    expect(requests.take(answer(id + 7, { for: "nobody" }))).toBe(true);
    expect(requests.take(answer(id, { first: true }))).toBe(true);
    expect(requests.take(answer(id, { second: true }))).toBe(true);
    expect(await asked).toEqual({ kind: "result", result: { first: true } });
  });

  it("never throws for a message", () => {
    const { requests } = wire();
    void requests.request(
      "a",
      {},
      { signal: never, timeoutMs: 5_000, onProgress: () => undefined },
    );
    const message = fc.record(
      {
        jsonrpc: fc.constant("2.0"),
        id: fc.anything(),
        method: fc.constantFrom("notifications/progress", "notifications/x", "tools/call"),
        params: fc.anything(),
        result: fc.anything(),
      },
      { requiredKeys: ["jsonrpc"] },
    );
    fc.assert(
      fc.property(message, (value) => {
        expect(requests.take(value as unknown as JSONRPCMessage)).toBeTypeOf("boolean");
      }),
    );
    requests.end();
  });

  it("tells the server of a call that took too long", async () => {
    const { requests, sent, signals } = wire();
    const asked = await requests.request("a", {}, { signal: never, timeoutMs: 20 });
    expect(asked).toEqual({ kind: "timeout", ms: 20, total: false });
    expect(sent[1]).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: sent[0]?.id },
    });
    await pause(0);
    expect(signals[0]?.aborted).toBe(true);
  });

  it("lets progress extend the time, up to the limit for all of it", async () => {
    const { requests, sent } = wire();
    const options = { signal: never, timeoutMs: 300, totalMs: 900, onProgress: () => undefined };
    const begun = performance.now();
    const asked = requests.request("a", {}, options);
    const token = sent[0]?.params?.["_meta"] as { progressToken: number };
    expect(token.progressToken).toBe(sent[0]?.id);
    const timer = setInterval(
      () => requests.take(progress(token.progressToken, { progress: 1 })),
      50,
    );
    expect(await asked).toEqual({ kind: "timeout", ms: 900, total: true });
    clearInterval(timer);
    expect(performance.now() - begun).toBeGreaterThan(850);
  });

  it("does not let progress extend a request that asked for none", async () => {
    const { requests, sent } = wire();
    const asked = requests.request("a", {}, { signal: never, timeoutMs: 200, totalMs: 60_000 });
    expect(sent[0]?.params).toEqual({});
    const timer = setInterval(() => requests.take(progress(sent[0]?.id, { progress: 1 })), 20);
    expect(await asked).toEqual({ kind: "timeout", ms: 200, total: false });
    clearInterval(timer);
  });

  it("sums up a flood of progress, and survives a listener that throws", async () => {
    const { requests, sent } = wire();
    const seen: number[] = [];
    const asked = requests.request(
      "a",
      {},
      {
        signal: never,
        timeoutMs: 5_000,
        onProgress: (it) => {
          seen.push(it.progress);
          throw new Error("from the listener");
        },
      },
    );
    const id = sent[0]?.id;
    for (let step = 1; step <= 10_000; step += 1)
      requests.take(progress(id, { progress: step, message: "m".repeat(100) }));
    requests.take(progress(id, { progress: "half" }));
    requests.take(progress(String(id), { progress: 10_001 }));
    await expect.poll(() => seen.length).toBe(2);
    expect(seen).toEqual([1, 10_001]);
    requests.take(answer(id, {}));
    await asked;
  });

  it("tells the server of an abort and throws its error, however busy the server is", async () => {
    const { requests, sent, signals } = wire({ stuck: true });
    const abort = new AbortController();
    const asked = requests.request("a", {}, { signal: abort.signal, timeoutMs: 60_000 });
    const begun = performance.now();
    abort.abort();
    await expect(asked).rejects.toMatchObject({ code: "CORE_ABORTED" });
    expect(performance.now() - begun).toBeLessThan(3_000);
    expect(sent[1]).toMatchObject({ method: "notifications/cancelled" });
    expect(signals[0]?.aborted).toBe(true);
    expect(requests.take(answer(sent[0]?.id, "too late"))).toBe(true);
  });

  it("sends nothing for a signal that is aborted already", async () => {
    const { requests, sent } = wire();
    const options = { signal: AbortSignal.abort(), timeoutMs: 5_000 };
    await expect(requests.request("a", {}, options)).rejects.toMatchObject({
      code: "CORE_ABORTED",
    });
    expect(sent).toEqual([]);
  });

  it("ends the stream alone where that is how calls are cancelled", async () => {
    const { requests, sent, signals } = wire();
    requests.useMeta({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
    const abort = new AbortController();
    const asked = requests.request("a", { x: 1 }, { signal: abort.signal, timeoutMs: 5_000 });
    abort.abort();
    await expect(asked).rejects.toThrow();
    expect(sent).toHaveLength(1);
    expect(sent[0]?.params).toEqual({
      x: 1,
      _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" },
    });
    expect(signals[0]?.aborted).toBe(true);
  });

  it("says what became of requests that cannot be answered", async () => {
    const options = { signal: never, timeoutMs: 5_000 };
    const error = new Error("the pipe is broken");
    const refused = wire({ refuse: error });
    expect(await refused.requests.request("a", {}, options)).toEqual({ kind: "failed", error });
    const cut = wire();
    const half = cut.requests.request("a", {}, options);
    cut.ends[0]?.();
    expect(await half).toEqual({ kind: "cut" });
    const over = wire();
    const waiting = [1, 2, 3].map(() => over.requests.request("a", {}, options));
    over.requests.end();
    expect(await Promise.all(waiting)).toEqual(
      [1, 2, 3].map(() => ({ kind: "ended", sent: true })),
    );
    expect(await over.requests.request("a", {}, options)).toEqual({ kind: "ended", sent: false });
    expect(over.sent).toHaveLength(3);
  });

  it("takes a time that is longer than timers can be", async () => {
    const { requests, sent } = wire();
    const asked = requests.request("a", {}, { signal: never, timeoutMs: 10 ** 12 });
    await pause(20);
    requests.take(answer(sent[0]?.id, "in time"));
    expect(await asked).toEqual({ kind: "result", result: "in time" });
  });
});
