import type { RecordedFeedback } from "@acumen/agent";
import { expect, test } from "vitest";
import { type HostBench, hostBench } from "../support/host-bench.ts";

function said({ updates }: HostBench, kind = "agent_message_chunk"): string[] {
  return updates.flatMap((update) =>
    update.sessionUpdate === kind && "content" in update && "text" in Object(update.content)
      ? [(update.content as { text: string }).text]
      : [],
  );
}

async function say({ host }: HostBench, sessionId: string, text: string): Promise<unknown> {
  return host.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
}

test("a command is answered without the model, kept, and replayed; the model never sees it", async () => {
  await using first = await hostBench({
    steps: [{ text: "A turn.", expect: { lastUserIncludes: "a prompt" } }],
  });
  const { sessionId } = await first.host.request("session/new", {
    cwd: first.cwd,
    mcpServers: [],
  });
  expect(await say(first, sessionId, "/mode")).toEqual({ stopReason: "end_turn" });
  expect(first.model.calls).toEqual([]);
  const live = said(first);
  expect(live.join("")).toContain("safe");
  expect(first.sent.at(-1)).toMatchObject({ result: { stopReason: "end_turn" } });
  await say(first, sessionId, "a prompt");
  expect(JSON.stringify(first.model.calls)).not.toContain("/mode");
  expect(first.faults).toEqual([]);
  await first.end();

  await using next = await hostBench({ steps: [], place: first });
  await next.host.request("session/load", { sessionId, cwd: next.cwd, mcpServers: [] });
  expect(said(next, "user_message_chunk")).toEqual(["/mode", "a prompt"]);
  expect(said(next)).toEqual([...live, "A turn."]);
  const { sessions } = await next.host.request("session/list", {});
  expect(sessions).toMatchObject([{ title: "a prompt" }]);
  expect(next.faults).toEqual([]);
});

test("what a command changes is announced like any other change", async () => {
  await using bench = await hostBench({ steps: [] });
  const { host, cwd, updates } = bench;
  const { sessionId } = await host.request("session/new", { cwd, mcpServers: [] });
  await say(bench, sessionId, "/mode manual");
  expect(updates).toContainEqual(
    expect.objectContaining({ sessionUpdate: "current_mode_update", currentModeId: "manual" }),
  );
});

test("a text that only looks like a command goes to the model", async () => {
  await using bench = await hostBench({ steps: [{ text: "One." }, { text: "Two." }] });
  const { host, cwd, model } = bench;
  const { sessionId } = await host.request("session/new", { cwd, mcpServers: [] });
  for (const text of ["/unknown thing", "/etc/hosts is a file"]) await say(bench, sessionId, text);
  expect(model.calls).toHaveLength(2);
});

test("commands wait for the turn before them, and a cancel answers them", async () => {
  await using bench = await hostBench({ steps: [{ text: "word ".repeat(9_000), delayMs: 20 }] });
  const { host, cwd, updates, agent } = bench;
  const { sessionId } = await host.request("session/new", { cwd, mcpServers: [] });
  const turn = say(bench, sessionId, "Talk.");
  const command = say(bench, sessionId, "/status");
  await expect.poll(() => JSON.stringify(updates)).toContain("word");
  await host.notify("session/cancel", { sessionId });
  expect(await Promise.all([turn, command])).toEqual([
    { stopReason: "cancelled" },
    { stopReason: "cancelled" },
  ]);
  const { events } = await agent.store.read(sessionId);
  expect(JSON.stringify(events)).not.toContain("/status");
});

test("/compact is cancelled like a turn, and says so", async () => {
  await using bench = await hostBench({
    steps: [
      { text: "Long answer. ".repeat(2_000) },
      { for: "compaction", text: "word ".repeat(9_000), delayMs: 20 },
      { text: "Again." },
    ],
  });
  const { host, cwd, agent } = bench;
  const { sessionId } = await host.request("session/new", { cwd, mcpServers: [] });
  await say(bench, sessionId, "Talk.");
  const command = say(bench, sessionId, "/compact");
  await expect.poll(() => agent.sessions[0]?.busy).toBe(true);
  await host.notify("session/cancel", { sessionId });
  expect(await command).toEqual({ stopReason: "cancelled" });
  expect(said(bench).at(-1)).toBe("Cancelled.");
  expect(await say(bench, sessionId, "Again?")).toEqual({ stopReason: "end_turn" });
  expect(bench.faults).toEqual([]);
});

test("a rating is answered before anything is learned, and learning ends with the session", async () => {
  const signals: AbortSignal[] = [];
  const learn = (signal: AbortSignal): Promise<never> => {
    signals.push(signal);
    return new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(new Error("ended"))),
    );
  };
  const rated: RecordedFeedback = { turnId: "t", mode: "suggest", learn };
  await using bench = await hostBench({
    steps: [{ text: "One." }, { text: "Two." }],
    hosted: { rate: () => Promise.resolve(rated) },
  });
  const { host, cwd } = bench;
  const { sessionId } = await host.request("session/new", { cwd, mcpServers: [] });
  await say(bench, sessionId, "One?");
  expect(await say(bench, sessionId, "/feedback good")).toEqual({ stopReason: "end_turn" });
  await expect.poll(() => signals.length).toBe(1);
  expect(await say(bench, sessionId, "Two?")).toEqual({ stopReason: "end_turn" });
  expect(signals[0]?.aborted).toBe(false);
  await host.request("session/close", { sessionId });
  expect(signals[0]?.aborted).toBe(true);
});
