import { expect, test } from "vitest";
import { hostBench } from "./support/host-bench.ts";

test("a host opens a session, prompts, is asked for a permission, and sees the turn before its answer", async () => {
  const asked: string[] = [];
  await using bench = await hostBench({
    steps: [
      {
        text: "I write it.",
        toolCalls: [{ id: "c1", tool: "write_file", input: { path: "a.txt", content: "x\n" } }],
      },
      { text: "Done.", expect: { toolResultIncludes: "a.txt" } },
    ],
    permission: ({ toolCall, options }) => {
      asked.push(toolCall.toolCallId, ...options.map(({ kind }) => kind));
      return { outcome: { outcome: "selected", optionId: "allow_once" } };
    },
  });
  const { host, cwd, sent, updates, faults } = bench;
  const { sessionId } = await host.request("session/new", { cwd, mcpServers: [] });
  const answer = await host.request("session/prompt", {
    sessionId,
    prompt: [{ type: "text", text: "Write a file." }],
  });
  expect(answer).toMatchObject({ stopReason: "end_turn" });
  expect(sent.at(-1)).toMatchObject({ result: { stopReason: "end_turn" } });
  expect(asked).toEqual(["c1", "allow_once", "allow_always", "reject_once", "reject_always"]);
  const calls = updates.flatMap((update) =>
    "toolCallId" in update ? [[update.sessionUpdate, update.status]] : [],
  );
  expect(calls).toEqual([
    ["tool_call", "pending"],
    ["tool_call_update", "in_progress"],
    ["tool_call_update", "completed"],
  ]);
  expect(faults).toEqual([]);
});

test("a cancel ends the turn, which answers `cancelled`, and the next prompt works", async () => {
  await using bench = await hostBench({
    steps: [{ text: "word ".repeat(9_000), delayMs: 20 }, { text: "Again." }],
  });
  const { host, cwd, updates, faults } = bench;
  const { sessionId } = await host.request("session/new", { cwd, mcpServers: [] });
  const prompt = [{ type: "text" as const, text: "Talk." }];
  const running = host.request("session/prompt", { sessionId, prompt });
  // Before its text the model may not have been asked yet, and the next prompt would get this one's answer.
  await expect.poll(() => JSON.stringify(updates)).toContain("word");
  await host.notify("session/cancel", { sessionId });
  expect(await running).toMatchObject({ stopReason: "cancelled" });
  const next = await host.request("session/prompt", { sessionId, prompt });
  expect(next).toMatchObject({ stopReason: "end_turn" });
  expect(faults).toEqual([]);
});
