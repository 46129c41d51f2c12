import { expect, test } from "vitest";
import { payloadsOf, testAgent } from "../turn/test-agent.ts";
import { ChangingSource, liveServers, expectGone } from "./live/live-servers.ts";

test("a session's model calls a tool of a server", async () => {
  await using live = await liveServers();
  const source = new ChangingSource([await live.server("notes", { tools: ["add_note"] })]);
  await using one = await testAgent({
    steps: [{ toolCalls: [{ tool: "add_note", input: { text: "hi" } }] }, { text: "done" }],
    agent: { mcp: { sourceFor: () => source } },
    permissions: { allow: ["mcp(notes/add_note)"] },
    session: { mcp: { wait: "settled" } },
  });
  const result = await one.prompt("add a note");
  expect(result.stopReason).toBe("end_turn");
  expect(payloadsOf(one.session.events, "TOOL_RESULT")).toMatchObject([
    { status: "completed", output: [{ type: "text", text: 'add_note {"text":"hi"}' }] },
  ]);
  expect(payloadsOf(one.session.events, "MCP_STATUS")).toEqual([
    { server: "notes", state: "connecting", previous: null, reason: null },
    { server: "notes", state: "connected", previous: "connecting", reason: null },
  ]);
  await one.session.close();
  expectGone(await live.starts("notes"));
});
