import type { ContentBlock } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { type HostBench, hostBench } from "../support/host-bench.ts";

const PROMPT: ContentBlock[] = [{ type: "text", text: "Talk." }];
const LONG = { text: "word ".repeat(9_000), delayMs: 20 };

async function begun(bench: HostBench): Promise<string> {
  const { host, cwd } = bench;
  return (await host.request("session/new", { cwd, mcpServers: [] })).sessionId;
}

function textOf(bench: HostBench, sessionId: string): string {
  return bench.notifications
    .filter((one) => one.sessionId === sessionId)
    .map(({ update }) =>
      update.sessionUpdate === "agent_message_chunk" && update.content.type === "text"
        ? update.content.text
        : "",
    )
    .join("");
}

async function stopReason({ host }: HostBench, sessionId: string): Promise<string> {
  const answer = await host.request("session/prompt", { sessionId, prompt: PROMPT });
  return answer.stopReason;
}

async function speaks(bench: HostBench): Promise<void> {
  await expect
    .poll(() => bench.updates.some((one) => one.sessionUpdate === "agent_message_chunk"))
    .toBe(true);
}

test("nothing is said of a session before the answer that names it, then its commands, and again with its first turn", async () => {
  await using bench = await hostBench({ steps: [{ text: "One." }, { text: "Two." }] });
  const sessionId = await begun(bench);
  const kinds = (): unknown[] => bench.updates.map(({ sessionUpdate }) => sessionUpdate);
  await expect.poll(kinds).toEqual(["available_commands_update"]);
  const answerAt = bench.sent.findIndex(
    (message) => "result" in message && JSON.stringify(message).includes(sessionId),
  );
  const firstAt = bench.sent.findIndex((message) => JSON.stringify(message).includes(sessionId));
  expect(firstAt).toBe(answerAt);
  await bench.host.request("session/prompt", { sessionId, prompt: PROMPT });
  await bench.host.request("session/prompt", { sessionId, prompt: PROMPT });
  expect(kinds().filter((kind) => kind === "available_commands_update")).toHaveLength(2);
  expect(kinds()[1]).toBe("available_commands_update");
  expect(bench.faults).toEqual([]);
});

test("a session that was closed at once says nothing any more", async () => {
  await using bench = await hostBench({ steps: [] });
  const opening = begun(bench);
  const sessionId = await opening;
  await bench.host.request("session/close", { sessionId });
  await bench.host.request("session/list", {});
  const afterClose = bench.sent.findIndex((message) => "result" in message && message.id === 2);
  expect(bench.sent.slice(afterClose + 1).some((message) => "method" in message)).toBe(false);
});

test("every update of a turn comes before its answer", async () => {
  await using bench = await hostBench({
    steps: [
      { toolCalls: [{ id: "c1", tool: "bash", input: { command: "echo out" } }] },
      { text: "Done." },
    ],
  });
  const sessionId = await begun(bench);
  await bench.host.request("session/prompt", { sessionId, prompt: PROMPT });
  expect(bench.sent.at(-1)).toMatchObject({ result: { stopReason: "end_turn" } });
  const count = bench.sent.length;
  await bench.host.request("session/list", {});
  expect(bench.sent).toHaveLength(count + 1);
  expect(bench.faults).toEqual([]);
});

test("a second prompt waits for the first, and each is answered in its turn", async () => {
  await using bench = await hostBench({
    steps: [{ text: "First answer.", delayMs: 10 }, { text: "Second answer." }],
  });
  const sessionId = await begun(bench);
  const order: string[] = [];
  const ask = async (name: string): Promise<void> => {
    order.push(`${name} ${await stopReason(bench, sessionId)}`);
  };
  await Promise.all([ask("first"), ask("second")]);
  expect(order).toEqual(["first end_turn", "second end_turn"]);
  expect(textOf(bench, sessionId)).toBe("First answer.Second answer.");
});

test("a cancel answers the prompt that runs and all that wait, and the session goes on", async () => {
  await using bench = await hostBench({ steps: [LONG, { text: "Again." }] });
  const { host } = bench;
  const sessionId = await begun(bench);
  const prompts = Array.from({ length: 4 }, () =>
    host.request("session/prompt", { sessionId, prompt: PROMPT }),
  );
  await speaks(bench);
  const at = performance.now();
  await host.notify("session/cancel", { sessionId });
  expect(await Promise.all(prompts)).toEqual(prompts.map(() => ({ stopReason: "cancelled" })));
  expect(performance.now() - at).toBeLessThan(3_000);
  expect(await host.request("session/prompt", { sessionId, prompt: PROMPT })).toEqual({
    stopReason: "end_turn",
  });
  expect(bench.faults).toEqual([]);
});

test("a cancel that follows its prompt at once counts", async () => {
  await using bench = await hostBench({ steps: [LONG] });
  const { host } = bench;
  const sessionId = await begun(bench);
  for (let count = 0; count < 5; count += 1) {
    const prompt = host.request("session/prompt", { sessionId, prompt: PROMPT });
    await host.notify("session/cancel", { sessionId });
    expect(await prompt).toEqual({ stopReason: "cancelled" });
  }
  expect(textOf(bench, sessionId)).toBe("");
});

test("a cancel without a turn, and of a session that nobody knows, does nothing", async () => {
  await using bench = await hostBench({ steps: [{ text: "One." }] });
  const { host } = bench;
  const sessionId = await begun(bench);
  await host.notify("session/cancel", { sessionId });
  await host.notify("session/cancel", { sessionId: "none" });
  expect(await host.request("session/prompt", { sessionId, prompt: PROMPT })).toEqual({
    stopReason: "end_turn",
  });
});

test("a request that the host cancels is answered `cancelled`, and the ones behind it run", async () => {
  await using bench = await hostBench({ steps: [LONG, { text: "Second." }] });
  const { host } = bench;
  const sessionId = await begun(bench);
  const [one, queued] = [new AbortController(), new AbortController()];
  const ask = (signal?: AbortSignal): Promise<{ readonly stopReason: string }> =>
    host.request(
      "session/prompt",
      { sessionId, prompt: PROMPT },
      signal === undefined ? {} : { cancellationSignal: signal },
    );
  const first = ask(one.signal);
  const second = ask(queued.signal);
  const third = ask();
  await speaks(bench);
  queued.abort();
  expect(await second).toEqual({ stopReason: "cancelled" });
  one.abort();
  expect(await first).toEqual({ stopReason: "cancelled" });
  expect(await third).toEqual({ stopReason: "end_turn" });
  expect(textOf(bench, sessionId).endsWith("Second.")).toBe(true);
});

test("a permission that is answered `cancelled` ends the turn and the prompts behind it", async () => {
  await using bench = await hostBench({
    steps: [{ toolCalls: [{ id: "c1", tool: "bash", input: { command: "echo x > a.txt" } }] }],
    permission: () => ({ outcome: { outcome: "cancelled" } }),
  });
  const { host } = bench;
  const sessionId = await begun(bench);
  const prompts = [0, 1].map(() => host.request("session/prompt", { sessionId, prompt: PROMPT }));
  expect(await Promise.all(prompts)).toEqual(prompts.map(() => ({ stopReason: "cancelled" })));
  const last = bench.updates.findLast((update) => "toolCallId" in update);
  expect(last).toMatchObject({ toolCallId: "c1", status: "failed" });
});

test("a host that never answers a permission can cancel all the same", async () => {
  const asked: AbortSignal[] = [];
  await using bench = await hostBench({
    steps: [
      { toolCalls: [{ id: "c1", tool: "bash", input: { command: "echo x > a.txt" } }] },
      { text: "Again." },
    ],
    permission: (_request, signal) => {
      asked.push(signal);
      return new Promise(() => undefined);
    },
  });
  const { host } = bench;
  const sessionId = await begun(bench);
  const prompt = host.request("session/prompt", { sessionId, prompt: PROMPT });
  await expect.poll(() => asked.length).toBe(1);
  await host.notify("session/cancel", { sessionId });
  expect(await prompt).toEqual({ stopReason: "cancelled" });
  await expect.poll(() => asked[0]?.aborted).toBe(true);
  expect(await host.request("session/prompt", { sessionId, prompt: PROMPT })).toEqual({
    stopReason: "end_turn",
  });
});

test("closing or deleting a session answers its prompts first", async () => {
  await using bench = await hostBench({ steps: [LONG, LONG] });
  const { host } = bench;
  for (const method of ["session/close", "session/delete"] as const) {
    const sessionId = await begun(bench);
    const before = bench.updates.length;
    const prompts = [0, 1].map(() => host.request("session/prompt", { sessionId, prompt: PROMPT }));
    await expect.poll(() => bench.updates.length).toBeGreaterThan(before + 6);
    await host.request(method, { sessionId });
    expect(await Promise.all(prompts)).toEqual(prompts.map(() => ({ stopReason: "cancelled" })));
    expect(bench.sent.at(-1)).toMatchObject({ result: {} });
    expect(bench.sent.at(-1)).not.toMatchObject({ result: { stopReason: "cancelled" } });
  }
  expect(bench.faults).toEqual([]);
});
