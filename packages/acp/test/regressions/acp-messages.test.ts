import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { SessionUpdates } from "../../src/mapping/session-updates.ts";
import { hostBench } from "../support/host-bench.ts";

// Reports on other agents of the protocol; the numbers are those of the list that was gathered before the server was built.

type Chunk = Extract<
  SessionUpdate,
  { sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk" }
>;

function chunks(updates: readonly SessionUpdate[], kind: Chunk["sessionUpdate"]): Chunk[] {
  return updates.filter((update): update is Chunk => update.sessionUpdate === kind);
}

function texts(found: readonly Chunk[]): Map<unknown, string> {
  const byId = new Map<unknown, string>();
  for (const { messageId, content } of found) {
    const text = content.type === "text" ? content.text : "";
    byId.set(messageId, `${byId.get(messageId) ?? ""}${text}`);
  }
  return byId;
}

test("reports 10, 47, 48, 49: messages come once, in pieces, under ids of their own, and prompts only in replay", async () => {
  const said = "A long answer of many words. ".repeat(20).trim();
  await using bench = await hostBench({
    steps: [
      {
        text: said,
        toolCalls: [{ id: "c1", tool: "bash", input: { command: "true" } }],
      },
      { text: "Second message." },
    ],
  });
  const { host, cwd, agent, updates, faults } = bench;
  const { sessionId } = await host.request("session/new", { cwd, mcpServers: [] });
  const embedded = {
    type: "resource" as const,
    resource: { uri: "file:///notes.md", mimeType: "text/markdown", text: "# Notes" },
  };
  const image = { type: "image" as const, mimeType: "image/png", data: "iVBORw0KGgo=" };
  const prompt = [{ type: "text" as const, text: "Read this." }, embedded, image];
  await host.request("session/prompt", { sessionId, prompt });

  expect(chunks(updates, "user_message_chunk")).toEqual([]);
  const pieces = chunks(updates, "agent_message_chunk");
  expect(pieces.length).toBeGreaterThan(5);
  const live = texts(pieces);
  expect([...live.values()]).toEqual([said, "Second message."]);
  expect([...live.keys()].every((id) => typeof id === "string" && id !== "")).toBe(true);

  const features = { notices: false, compaction: false };
  const mapping = new SessionUpdates({ features, replay: true });
  const { events } = await agent.store.read(sessionId);
  const replayed = events.flatMap((event) => mapping.ofEvent(event));
  expect(texts(chunks(replayed, "agent_message_chunk"))).toEqual(live);
  const asked = chunks(replayed, "user_message_chunk");
  expect(asked.map(({ content }) => content)).toEqual(prompt);
  expect(new Set(asked.map(({ messageId }) => messageId)).size).toBe(1);
  expect(faults).toEqual([]);
});
