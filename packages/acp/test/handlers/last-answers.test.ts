import type { AnyMessage } from "@agentclientprotocol/sdk";
import { expect, test, vi } from "vitest";
import { benchServer, type BenchServerOptions } from "../support/bench-server.ts";
import { RecordedWire } from "../support/recorded-wire.ts";

type Sent = AnyMessage & {
  readonly id?: unknown;
  readonly result?: { readonly sessionId?: string; readonly stopReason?: string };
};

/** A host that ends its input and reads on. */
async function readingHost(options: BenchServerOptions) {
  const base = await benchServer(options);
  const wire = new RecordedWire();
  const connection = base.server.connect(wire.agentSide);
  const writer = wire.hostSide.writable.getWriter();
  void wire.hostSide.readable.pipeTo(new WritableStream()).catch(() => undefined);
  const answer = (id: number): Sent | undefined =>
    (wire.sent as readonly Sent[]).find((one) => !("method" in one) && one.id === id);
  const send = (id: number, method: string, params: object): void =>
    void writer.write({ jsonrpc: "2.0", id, method, params }).catch(() => undefined);
  send(1, "initialize", { protocolVersion: 1 });
  await vi.waitFor(() => expect(answer(1)).toBeDefined());
  return {
    ...base,
    sent: wire.sent as readonly Sent[],
    faults: wire.faults,
    answer,
    send,
    begin: async (): Promise<string> => {
      send(2, "session/new", { cwd: base.cwd, mcpServers: [] });
      await vi.waitFor(() => expect(answer(2)).toBeDefined(), 10_000);
      return answer(2)?.result?.sessionId ?? "";
    },
    endInput: async (): Promise<void> => {
      await writer.close();
      await connection.closed;
    },
    [Symbol.asyncDispose]: async () => {
      connection.close();
      await base.end();
      await base.remove();
    },
  };
}

const prompt = [{ type: "text", text: "Talk." }];

test("prompts that run or wait when the input ends are answered, and then the connection ends", async () => {
  await using it = await readingHost({ steps: [{ text: "word ".repeat(9_000), delayMs: 5 }] });
  const sessionId = await it.begin();
  it.send(3, "session/prompt", { sessionId, prompt });
  await vi.waitFor(() => {
    expect(JSON.stringify(it.sent)).toContain("agent_message_chunk");
  }, 10_000);
  it.send(4, "session/prompt", { sessionId, prompt });
  await it.endInput();
  expect([3, 4].map((id) => it.answer(id)?.result)).toEqual([
    { stopReason: "cancelled" },
    { stopReason: "cancelled" },
  ]);
  expect(it.faults).toEqual([]);
});

test("a prompt that came with the end of the input is answered once", async () => {
  await using it = await readingHost({ steps: [{ text: "word ".repeat(9_000), delayMs: 5 }] });
  const sessionId = await it.begin();
  it.send(3, "session/prompt", { sessionId, prompt });
  it.send(4, "session/list", {});
  await it.endInput();
  expect(it.answer(3)?.result).toEqual({ stopReason: "cancelled" });
  expect(it.answer(4)?.result).toMatchObject({ sessions: [{ sessionId }] });
  expect(it.sent.filter(({ id }) => id === 3)).toHaveLength(1);
});

test("a request that is not answered in time holds the end up for a moment only", async () => {
  await using it = await readingHost({
    steps: [],
    hosted: { choose: () => new Promise(() => undefined) },
  });
  it.send(2, "session/new", { cwd: it.cwd, mcpServers: [] });
  const begunAtMs = performance.now();
  await it.endInput();
  expect(performance.now() - begunAtMs).toBeLessThan(3_000);
  expect(it.answer(2)).toBeUndefined();
});
