import type { AnyMessage } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { benchServer } from "../support/bench-server.ts";
import { RecordedWire } from "../support/recorded-wire.ts";

const CHUNKS = 3_000;

interface Reader {
  /** Until the model says something. */
  untilText(): Promise<void>;
  /** Until this answer came. */
  until(id: string): Promise<AnyMessage>;
}

function readerOf(wire: RecordedWire): Reader {
  const reader = wire.hostSide.readable.getReader();
  return {
    untilText: async () => {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) throw new Error("no text");
        if (JSON.stringify(value).includes("agent_message_chunk")) return;
      }
    },
    until: async (id) => {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`no answer to ${id}`);
        if ("id" in value && value.id === id && !("method" in value)) return value;
      }
    },
  };
}

test("a host that stops reading stops the turn instead of filling memory, and can cancel it", async () => {
  const base = await benchServer({ steps: [{ text: "word ".repeat(CHUNKS) }, { text: "Again." }] });
  await using _cleanup = {
    [Symbol.asyncDispose]: async () => {
      await base.end();
      await base.remove();
    },
  };
  const wire = new RecordedWire();
  const connection = base.server.connect(wire.agentSide);
  const writer = wire.hostSide.writable.getWriter();
  const host = readerOf(wire);
  const send = (id: string | undefined, method: string, params: object): Promise<void> =>
    writer.write({ jsonrpc: "2.0", ...(id !== undefined && { id }), method, params } as AnyMessage);
  await send("init", "initialize", { protocolVersion: 1 });
  await host.until("init");
  await send("new", "session/new", { cwd: base.cwd, mcpServers: [] });
  const opened = (await host.until("new")) as { result: { sessionId: string } };
  const { sessionId } = opened.result;
  const prompt = [{ type: "text", text: "Talk." }];
  await send("turn", "session/prompt", { sessionId, prompt });
  await send("queued", "session/prompt", { sessionId, prompt });
  await host.untilText();
  // From here on nobody reads: what the agent can send is what the pipe takes.
  const [session] = base.agent.sessions;
  await new Promise((resolve) => setTimeout(resolve, 300));
  const before = wire.sent.length;
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(wire.sent).toHaveLength(before);
  expect(before).toBeLessThan(30);
  expect(session?.busy).toBe(true);

  const at = performance.now();
  await send(undefined, "session/cancel", { sessionId });
  await expect.poll(() => session?.busy).toBe(false);
  expect(performance.now() - at).toBeLessThan(3_000);
  expect(wire.sent).toHaveLength(before);

  expect(await host.until("turn")).toMatchObject({ result: { stopReason: "cancelled" } });
  const answers = wire.sent.flatMap((message) => ("result" in message ? [message.id] : []));
  expect(answers).toContain("queued");
  const turnAt = wire.sent.findIndex((message) => "id" in message && message.id === "turn");
  expect(wire.sent.slice(turnAt + 1)).toEqual([]);
  await send("again", "session/prompt", { sessionId, prompt });
  expect(await host.until("again")).toMatchObject({ result: { stopReason: "end_turn" } });
  expect(wire.faults).toEqual([]);
  connection.close();
});
