import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type HostBench, hostBench } from "../support/host-bench.ts";

const PROMPT = [{ type: "text" as const, text: "Talk." }];

async function begun({ host, cwd }: HostBench): Promise<string> {
  return (await host.request("session/new", { cwd, mcpServers: [] })).sessionId;
}

/** Text of each message, and the statuses of each call, as a host that shows everything has them. */
function shown(updates: readonly SessionUpdate[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const update of updates) {
    if ("toolCallId" in update) {
      const { toolCallId: id, sessionUpdate: kind, status } = update;
      found[id] = `${found[id] ?? ""}${kind === "tool_call" ? "call " : ""}${status ?? "-"} `;
    }
    if ("messageId" in update && "content" in update) {
      const { messageId, content } = update;
      const text = content.type === "text" ? content.text : "";
      found[messageId ?? ""] = `${found[messageId ?? ""] ?? ""}${text}`;
    }
  }
  return found;
}

test("a session without a prompt is loaded and resumed in another process", async () => {
  await using first = await hostBench({ steps: [] });
  const sessionId = await begun(first);
  await first.end();
  for (const method of ["session/load", "session/resume"] as const) {
    await using next = await hostBench({ steps: [], place: first });
    const { host, cwd } = next;
    const answer = await host.request(method, { sessionId, cwd, mcpServers: [] });
    expect(answer.modes?.currentModeId).toBe("safe");
    expect(answer.configOptions?.map(({ id }) => id)).toEqual(["mode", "model"]);
    expect(next.faults).toEqual([]);
  }
});

test("load shows the whole history before its answer; resume shows nothing", async () => {
  await using first = await hostBench({
    steps: [
      { text: "I look.", toolCalls: [{ id: "c1", tool: "bash", input: { command: "echo hi" } }] },
      { text: "It says hi." },
    ],
  });
  const sessionId = await begun(first);
  await first.host.request("session/prompt", { sessionId, prompt: PROMPT });
  await first.end();

  await using loaded = await hostBench({ steps: [{ text: "More." }], place: first });
  const { host, cwd } = loaded;
  await host.request("session/load", { sessionId, cwd, mcpServers: [] });
  const [answer] = loaded.sent.slice(-1);
  expect(answer).toMatchObject({ result: { modes: {} } });
  const kinds = loaded.updates.map(({ sessionUpdate }) => sessionUpdate);
  for (const kind of ["user_message_chunk", "agent_message_chunk", "tool_call"]) {
    expect(kinds).toContain(kind);
  }
  expect(kinds.at(-1)).not.toBe("available_commands_update");
  expect(shown(loaded.updates)["c1"]).toBe("call pending completed ");
  await expect.poll(() => loaded.updates.at(-1)?.sessionUpdate).toBe("available_commands_update");
  expect(await host.request("session/prompt", { sessionId, prompt: PROMPT })).toEqual({
    stopReason: "end_turn",
  });
  expect(loaded.faults).toEqual([]);
  await loaded.end();

  await using resumed = await hostBench({ steps: [{ text: "More." }], place: first });
  await resumed.host.request("session/resume", { sessionId, cwd });
  expect(resumed.updates).toEqual([]);
  await resumed.host.request("session/prompt", { sessionId, prompt: PROMPT });
  expect(Object.values(shown(resumed.updates))).toEqual(["More."]);
});

test("what was set holds after a load", async () => {
  const models = () =>
    Promise.resolve([
      { id: "scripted/inline", name: "One" },
      { id: "scripted/other", name: "Two", description: "The other one" },
    ]);
  await using first = await hostBench({ steps: [], hosted: { models } });
  const sessionId = await begun(first);
  const { host } = first;
  await host.request("session/set_mode", { sessionId, modeId: "manual" });
  await host.request("session/set_config_option", {
    sessionId,
    configId: "model",
    value: "scripted/other",
  });
  await first.end();
  await using next = await hostBench({ steps: [], hosted: { models }, place: first });
  const { modes, configOptions } = await next.host.request("session/load", {
    sessionId,
    cwd: next.cwd,
    mcpServers: [],
  });
  expect(modes?.currentModeId).toBe("manual");
  expect(configOptions?.map(({ currentValue }) => currentValue)).toEqual([
    "manual",
    "scripted/other",
  ]);
});

test("a session loads in its own folder alone, by whatever path", async () => {
  await using first = await hostBench({ steps: [] });
  const sessionId = await begun(first);
  const [other, link] = [join(first.home, "other"), join(first.home, "link")];
  await Promise.all([mkdir(other), symlink(first.cwd, link)]);
  const load = (bench: HostBench, cwd: string): Promise<unknown> =>
    bench.host.request("session/load", { sessionId, cwd, mcpServers: [] });
  // Open already, then in another process.
  await expect(load(first, other)).rejects.toMatchObject({ code: -32602 });
  expect(await load(first, link)).toHaveProperty("modes");
  await first.end();
  await using next = await hostBench({ steps: [], place: first });
  await expect(load(next, other)).rejects.toMatchObject({
    code: -32602,
    data: { code: "AGENT_WORKSPACE_INVALID" },
  });
  await expect(load(next, "project")).rejects.toMatchObject({
    code: -32602,
    data: { path: "cwd" },
  });
  expect(await load(next, link)).toHaveProperty("modes");
});

test("a session takes the directories of each load, and none when none are named", async () => {
  await using first = await hostBench({ steps: [] });
  const more = join(first.home, "more");
  await mkdir(more);
  const sessionId = await begun(first);
  await first.end();
  for (const additionalDirectories of [[more], undefined]) {
    await using next = await hostBench({ steps: [], place: first });
    const { host, cwd } = next;
    await host.request("session/load", {
      sessionId,
      cwd,
      mcpServers: [],
      ...(additionalDirectories !== undefined && { additionalDirectories }),
    });
    const { sessions } = await host.request("session/list", {});
    expect(sessions).toMatchObject([
      { sessionId, additionalDirectories: additionalDirectories ?? [] },
    ]);
  }
});

test("a session that another process has open is locked, and stays unharmed", async () => {
  await using first = await hostBench({ steps: [{ text: "Mine." }] });
  const sessionId = await begun(first);
  await using second = await hostBench({ steps: [], place: first });
  const { host, cwd } = second;
  await expect(
    host.request("session/load", { sessionId, cwd, mcpServers: [] }),
  ).rejects.toMatchObject({ code: -32603, data: { code: "SESSION_LOCKED", retryable: false } });
  expect(await first.host.request("session/prompt", { sessionId, prompt: PROMPT })).toEqual({
    stopReason: "end_turn",
  });
});

test("a load during a turn keeps the session, its turn and its cancel; nothing is lost or doubled", async () => {
  await using bench = await hostBench({
    steps: [
      {
        text: "I wait.",
        toolCalls: [{ id: "c1", tool: "bash", input: { command: "echo a; sleep 0.4; echo b" } }],
      },
      { text: "word ".repeat(60).trim(), delayMs: 60 },
      { text: "word ".repeat(9_000), delayMs: 20 },
    ],
  });
  const { host, cwd, updates, agent } = bench;
  const sessionId = await begun(bench);
  const session = agent.sessions.find(({ id }) => id === sessionId);
  const turn = host.request("session/prompt", { sessionId, prompt: PROMPT });
  const load = async (): Promise<number> => {
    const asked = updates.length;
    await host.request("session/load", { sessionId, cwd, mcpServers: [] });
    // What comes before it was on its way when the host asked. Only replay says what the user wrote.
    const replayed = updates
      .slice(asked)
      .findIndex(({ sessionUpdate }) => sessionUpdate === "user_message_chunk");
    expect(replayed).toBeGreaterThanOrEqual(0);
    return asked + replayed;
  };
  await expect.poll(() => JSON.stringify(updates)).toContain("in_progress");
  const duringCall = await load();
  await expect.poll(() => JSON.stringify(updates.slice(duringCall))).toContain("word word");
  const duringText = await load();
  expect(agent.sessions.find(({ id }) => id === sessionId)).toBe(session);
  expect(await turn).toEqual({ stopReason: "end_turn" });
  for (const from of [duringCall, duringText]) {
    // What a host that began anew with this load has at the end.
    const until = from === duringCall ? duringText : updates.length;
    const seen = shown(updates.slice(from, until));
    expect(seen["c1"]).toMatch(/^call pending (in_progress )*completed $/u);
    expect(Object.values(seen)).toContain("I wait.");
  }
  const texts = Object.values(shown(updates.slice(duringText)));
  expect(texts.filter((text) => text.includes("word"))).toEqual(["word ".repeat(60).trim()]);

  const next = host.request("session/prompt", { sessionId, prompt: PROMPT });
  const before = updates.length;
  await expect.poll(() => updates.length).toBeGreaterThan(before + 6);
  await load();
  await host.notify("session/cancel", { sessionId });
  expect(await next).toEqual({ stopReason: "cancelled" });
  expect(bench.faults).toEqual([]);
});

test("two loads of one session at the same time open it once", async () => {
  await using first = await hostBench({ steps: [] });
  const sessionId = await begun(first);
  await first.end();
  await using next = await hostBench({ steps: [], place: first });
  const { host, cwd, agent } = next;
  const load = (): Promise<unknown> =>
    host.request("session/load", { sessionId, cwd, mcpServers: [] });
  await Promise.all([load(), load(), host.request("session/resume", { sessionId, cwd })]);
  expect(agent.sessions).toHaveLength(1);
});

test.each(["session/load", "session/resume"])(
  "%s of a session that is open keeps its directories and servers, and refuses what no session could be opened with",
  async (method) => {
    await using bench = await hostBench({ steps: [] });
    const { host, cwd, agent } = bench;
    const own = join(cwd, "own");
    const other = join(cwd, "other");
    await Promise.all([mkdir(own), mkdir(other), writeFile(join(cwd, "file"), "x")]);
    const { sessionId } = await host.request("session/new", {
      cwd,
      mcpServers: [],
      additionalDirectories: [own],
    });
    const again = (more: object): Promise<unknown> =>
      host.request(method, { sessionId, cwd, mcpServers: [], ...more });
    for (const directory of [join(cwd, "none"), join(cwd, "file"), `${cwd}\0x`]) {
      await expect(again({ additionalDirectories: [other, directory] })).rejects.toMatchObject({
        code: -32602,
        data: { code: "AGENT_WORKSPACE_INVALID", path: directory },
      });
    }
    await expect(again({ additionalDirectories: ["other"] })).rejects.toMatchObject({
      code: -32602,
      data: { path: "additionalDirectories.0" },
    });
    await expect(again({ mcpServers: [{ name: "x" }] })).rejects.toMatchObject({ code: -32602 });
    await again({
      additionalDirectories: [other],
      mcpServers: [{ name: "x", command: "/no/such/program", args: [], env: [] }],
    });
    const [session] = agent.sessions;
    expect(session?.workspace.directories).toEqual([own]);
    expect(bench.faults).toEqual([]);
  },
);
