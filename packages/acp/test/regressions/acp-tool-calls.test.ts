import type { SessionEvent } from "@acumen/agent";
import type { RequestPermissionRequest, SessionUpdate } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { SessionUpdates } from "../../src/mapping/session-updates.ts";
import { type HostBench, hostBench } from "../support/host-bench.ts";

// Reports on other agents of the protocol; the numbers are those of the list that was gathered before the server was built.

const PROMPT = [{ type: "text" as const, text: "Work." }];
const WRITE = {
  id: "c1",
  tool: "write_file",
  input: { path: "a.txt", content: "x\n" },
};

async function turn(bench: HostBench): Promise<readonly SessionEvent[]> {
  const { host, cwd, agent } = bench;
  const { sessionId } = await host.request("session/new", { cwd, mcpServers: [] });
  await host.request("session/prompt", { sessionId, prompt: PROMPT });
  expect(bench.faults).toEqual([]);
  return (await agent.store.read(sessionId)).events;
}

function replayed(events: readonly SessionEvent[]): SessionUpdate[] {
  const features = { notices: false, compaction: false };
  const updates = new SessionUpdates({ features, replay: true });
  return [...events.flatMap((event) => updates.ofEvent(event)), ...updates.unfinished()];
}

function ofCall(updates: readonly SessionUpdate[], id: string): SessionUpdate[] {
  return updates.filter((update) => "toolCallId" in update && update.toolCallId === id);
}

function withoutProgress(updates: readonly SessionUpdate[]): SessionUpdate[] {
  return updates.filter((update) => !("status" in update) || update.status !== "in_progress");
}

test("report 7: a replay has every call with its title and kind, announced before it is updated", async () => {
  await using bench = await hostBench({
    steps: [
      { toolCalls: [WRITE, { id: "c2", tool: "bash", input: { command: "echo hi" } }] },
      { text: "Done." },
    ],
  });
  const events = await turn(bench);
  for (const id of ["c1", "c2"]) {
    const again = ofCall(replayed(events), id);
    expect(again).toEqual(withoutProgress(ofCall(bench.updates, id)));
    expect(again.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
      "tool_call",
      "tool_call_update",
    ]);
  }
  expect(ofCall(replayed(events), "c2")[0]).toMatchObject({ title: "echo hi", kind: "execute" });
});

test("reports 31, 32, 34, 35: a permission asks about the call as it was announced, with its diff", async () => {
  const asked: { readonly request: RequestPermissionRequest; readonly before: SessionUpdate[] }[] =
    [];
  await using bench = await hostBench({
    steps: [{ toolCalls: [WRITE] }, { text: "Done." }],
    permission: (request) => {
      asked.push({ request, before: [...bench.updates] });
      return { outcome: { outcome: "selected", optionId: "allow_once" } };
    },
  });
  await turn(bench);
  const [permission] = asked;
  const announced = ofCall(permission?.before ?? [], "c1");
  expect(announced).toMatchObject([{ sessionUpdate: "tool_call", status: "pending" }]);
  const { toolCall } = permission?.request ?? {};
  const diff = { type: "diff", path: `${bench.cwd}/a.txt`, oldText: null, newText: "x\n" };
  const { title, kind, rawInput } = announced[0] as Extract<
    SessionUpdate,
    { sessionUpdate: "tool_call" }
  >;
  expect(toolCall).toMatchObject({ toolCallId: "c1", title, kind, rawInput });
  expect(rawInput).toEqual(WRITE.input);
  expect([title, kind]).toEqual([expect.stringContaining("a.txt"), "edit"]);
  expect(toolCall?.content?.[0]).toEqual(diff);
  const end = ofCall(bench.updates, "c1").at(-1);
  expect(end).toMatchObject({ status: "completed" });
  expect((end as { content: unknown[] }).content[0]).toEqual(diff);
});

test("report 36: no call is open at the end of a turn that a cancel cut off in the middle of three", async () => {
  const command = (id: string, text: string): object => ({
    id,
    tool: "bash",
    input: { command: text },
  });
  await using bench = await hostBench({
    steps: [
      { toolCalls: [command("c1", "true"), command("c2", "sleep 60"), command("c3", "true")] },
      { text: "Never." },
    ],
  });
  const { host, cwd } = bench;
  const { sessionId } = await host.request("session/new", { cwd, mcpServers: [] });
  const running = host.request("session/prompt", { sessionId, prompt: PROMPT });
  await expect
    .poll(() => ofCall(bench.updates, "c2").at(-1))
    .toMatchObject({ status: "in_progress" });
  await host.notify("session/cancel", { sessionId });
  expect(await running).toMatchObject({ stopReason: "cancelled" });
  const ends = ["c1", "c2", "c3"].map((id) => ofCall(bench.updates, id).at(-1));
  expect(ends).toMatchObject([{ status: "completed" }, { status: "failed" }, { status: "failed" }]);
  expect(bench.faults).toEqual([]);
});

test("report 37: a call that failed is failed, with the text that says why", async () => {
  await using bench = await hostBench({
    steps: [
      {
        toolCalls: [
          { id: "c1", tool: "read_file", input: { path: "missing.txt" } },
          { id: "c2", tool: "bash", input: { command: "echo broken; exit 3" } },
          { id: "c3", tool: "no_such_tool", input: {} },
        ],
      },
      { text: "Done." },
    ],
  });
  await turn(bench);
  const ends = ["c1", "c2", "c3"].map((id) => ofCall(bench.updates, id).at(-1));
  expect(ends).toMatchObject([{ status: "failed" }, { status: "failed" }, { status: "failed" }]);
  const texts = ends.map((end) => JSON.stringify(end));
  expect(texts[0]).toContain("missing.txt");
  expect(texts[1]).toContain("broken");
  expect(texts[2]).toContain("no_such_tool");
});

test("report 39: the first update of each call has its whole input, kind and name", async () => {
  await using bench = await hostBench({
    steps: [
      { toolCalls: [WRITE, { id: "c2", tool: "grep", input: { pattern: "x" } }] },
      { text: "Done." },
    ],
  });
  await turn(bench);
  expect(["c1", "c2"].map((id) => ofCall(bench.updates, id)[0])).toMatchObject([
    { rawInput: WRITE.input, kind: "edit", name: "write_file" },
    { rawInput: { pattern: "x" }, kind: "search", name: "grep" },
  ]);
});
