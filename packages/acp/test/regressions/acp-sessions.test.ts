import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type HostBench, hostBench } from "../support/host-bench.ts";
import { rawHost } from "../support/raw-host.ts";

// Reports on other agents of the protocol; the numbers are those of the list that was gathered before the server was built.

const PROMPT = [{ type: "text" as const, text: "Talk." }];

async function begun({ host, cwd }: HostBench): Promise<string> {
  return (await host.request("session/new", { cwd, mcpServers: [] })).sessionId;
}

test("report 1: a session without any prompt is loaded by another process", async () => {
  await using first = await hostBench({ steps: [] });
  const sessionId = await begun(first);
  await first.end();
  await using next = await hostBench({ steps: [{ text: "Here." }], place: first });
  const { host, cwd } = next;
  await host.request("session/load", { sessionId, cwd, mcpServers: [] });
  expect(next.updates.filter(({ sessionUpdate }) => sessionUpdate.endsWith("chunk"))).toEqual([]);
  expect(await host.request("session/prompt", { sessionId, prompt: PROMPT })).toEqual({
    stopReason: "end_turn",
  });
});

test("report 2: an unknown id is an error everywhere, never a success and never a new session", async () => {
  await using host = await rawHost({ steps: [] });
  const { cwd } = host;
  await host.ask("initialize", { protocolVersion: 1 });
  const sessionId = "01M8Q4D8DY8F185VYBVB5DQFY1";
  for (const [method, params] of [
    ["session/load", { cwd, mcpServers: [] }],
    ["session/resume", { cwd }],
    ["session/prompt", { prompt: PROMPT }],
    ["session/set_mode", { modeId: "safe" }],
    ["session/set_config_option", { configId: "mode", value: "safe" }],
    ["session/close", {}],
  ] as const) {
    const { error } = await host.ask(method, { sessionId, ...params });
    expect(error?.code, method).toBe(-32002);
  }
  expect((await host.ask("session/list")).result).toEqual({ sessions: [] });
});

test("reports 3, 4: nothing comes before the answer that names a session; commands come after it and with its first turn", async () => {
  await using bench = await hostBench({ steps: [{ text: "One." }] });
  const sessions = await Promise.all([begun(bench), begun(bench), begun(bench)]);
  for (const sessionId of sessions) {
    const messages = bench.sent.filter((message) => JSON.stringify(message).includes(sessionId));
    expect(messages[0]).toHaveProperty("result.sessionId", sessionId);
  }
  const [sessionId] = sessions;
  const commands = (): number =>
    bench.notifications.filter(
      (one) =>
        one.sessionId === sessionId && one.update.sessionUpdate === "available_commands_update",
    ).length;
  await expect.poll(commands).toBe(1);
  await bench.host.request("session/prompt", { sessionId, prompt: PROMPT });
  expect(commands()).toBe(2);
});

test("reports 5, 6: load shows everything before its answer, resume nothing", async () => {
  await using first = await hostBench({ steps: [{ text: "Said once." }] });
  const sessionId = await begun(first);
  await first.host.request("session/prompt", { sessionId, prompt: PROMPT });
  await first.end();
  for (const [method, times] of [
    ["session/load", 1],
    ["session/resume", 0],
  ] as const) {
    await using next = await hostBench({ steps: [], place: first });
    await next.host.request(method, { sessionId, cwd: next.cwd, mcpServers: [] });
    const answerAt = next.sent.findIndex((one) => "result" in one && "modes" in Object(one.result));
    const before = JSON.stringify(next.sent.slice(0, answerAt));
    expect(before.split("Said once.").length - 1 > 0, method).toBe(times > 0);
    expect(before.includes("user_message_chunk"), method).toBe(times > 0);
  }
});

test("report 11: a load during a turn leaves the turn in the host's hands", async () => {
  await using bench = await hostBench({ steps: [{ text: "word ".repeat(9_000), delayMs: 20 }] });
  const { host, cwd } = bench;
  const sessionId = await begun(bench);
  const turn = host.request("session/prompt", { sessionId, prompt: PROMPT });
  await expect.poll(() => JSON.stringify(bench.updates)).toContain("word");
  await host.request("session/load", { sessionId, cwd, mcpServers: [] });
  await host.notify("session/cancel", { sessionId });
  expect(await turn).toEqual({ stopReason: "cancelled" });
});

test("report 13: lists filter by folder before they make pages", async () => {
  await using bench = await hostBench({ steps: [] });
  const { host, cwd } = bench;
  const other = join(bench.home, "other");
  await mkdir(other);
  const mine = await begun(bench);
  for (let count = 0; count < 51; count += 1) {
    await host.request("session/new", { cwd: other, mcpServers: [] });
  }
  const page = await host.request("session/list", { cwd });
  expect(page.sessions.map(({ sessionId }) => sessionId)).toEqual([mine]);
  expect(page.nextCursor).toBeUndefined();
  await expect(host.request("session/list", { cursor: "51" })).rejects.toMatchObject({
    code: -32602,
  });
});

test("report 14: each session works in its own folder, and the process stays where it is", async () => {
  const steps = [
    { toolCalls: [{ id: "c1", tool: "bash", input: { command: "pwd" } }] },
    { text: "Done." },
  ];
  await using bench = await hostBench({ steps, mode: "auto" });
  const { host, cwd } = bench;
  const other = join(bench.home, "other");
  await mkdir(other);
  const before = process.cwd();
  const [one, two] = await Promise.all(
    [cwd, other].map((at) => host.request("session/new", { cwd: at, mcpServers: [] })),
  );
  await Promise.all(
    [one, two].map((session) =>
      host.request("session/prompt", { sessionId: session?.sessionId ?? "", prompt: PROMPT }),
    ),
  );
  for (const [session, at] of [
    [one, cwd],
    [two, other],
  ] as const) {
    const own = bench.notifications.filter(({ sessionId }) => sessionId === session?.sessionId);
    expect(JSON.stringify(own)).toContain(`${at}\\n`);
  }
  expect(process.cwd()).toBe(before);
});

test("report 15: sessions that are closed are held no more", async () => {
  await using bench = await hostBench({ steps: [{ text: "One." }] });
  const { host, agent } = bench;
  const sessionId = await begun(bench);
  await host.request("session/prompt", { sessionId, prompt: PROMPT });
  await host.request("session/close", { sessionId });
  expect(agent.sessions).toEqual([]);
  await expect(host.request("session/prompt", { sessionId, prompt: PROMPT })).rejects.toMatchObject(
    { code: -32002 },
  );
});

test("report 16: whatever is advertised has a handler", async () => {
  await using bench = await hostBench({ steps: [] });
  const { host, cwd, initialized } = bench;
  const sessionId = await begun(bench);
  const { loadSession, sessionCapabilities } = initialized.agentCapabilities ?? {};
  const requests: Record<string, unknown> = {
    "session/load": loadSession,
    "session/list": sessionCapabilities?.list,
    "session/resume": sessionCapabilities?.resume,
    "session/close": sessionCapabilities?.close,
    "session/delete": sessionCapabilities?.delete,
  };
  for (const [method, capability] of Object.entries(requests)) {
    expect(capability, method).toBeTruthy();
    const params = method === "session/list" ? {} : { sessionId, cwd, mcpServers: [] };
    expect(await host.request(method, params), method).toBeDefined();
  }
});
