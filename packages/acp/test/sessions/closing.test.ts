import { expect, test } from "vitest";
import { hostBench } from "../support/host-bench.ts";
import { rawHost } from "../support/raw-host.ts";

const PROMPT = [{ type: "text" as const, text: "Talk." }];

test("a closed session is unknown to everything but load, resume, list and delete", async () => {
  await using host = await rawHost({ steps: [] });
  await host.ask("initialize", { protocolVersion: 1 });
  const { cwd } = host;
  const { result } = await host.ask("session/new", { cwd });
  const { sessionId } = result as { sessionId: string };
  expect(await host.ask("session/close", { sessionId })).toHaveProperty("result");
  const requests: [string, object][] = [
    ["session/close", {}],
    ["session/prompt", { prompt: PROMPT }],
    ["session/set_mode", { modeId: "safe" }],
    ["session/set_config_option", { configId: "mode", value: "safe" }],
  ];
  for (const id of [sessionId, "none", "", "../x"]) {
    for (const [method, params] of requests) {
      const { error } = await host.ask(method, { sessionId: id, ...params });
      expect(error, method).toMatchObject({ code: -32002, data: { sessionId: id } });
    }
  }
  for (const id of ["none", "", "../x", "01M8Q4D8DY8F185VYBVB5DQFY1"]) {
    for (const method of ["session/load", "session/resume"]) {
      const { error } = await host.ask(method, { sessionId: id, cwd });
      expect(error, `${method} ${id}`).toMatchObject({ code: -32002, data: { sessionId: id } });
    }
  }
  expect(await host.ask("session/resume", { sessionId, cwd })).toHaveProperty("result");
  expect(await host.ask("session/prompt", { sessionId, prompt: PROMPT })).toHaveProperty("error");
  expect(host.faults).toEqual([]);
});

test("closing frees the session, its lock and its timers; the connection goes on", async () => {
  await using bench = await hostBench({ steps: [] });
  const { host, cwd, agent } = bench;
  const ids: string[] = [];
  for (let count = 0; count < 20; count += 1) {
    const { sessionId } = await host.request("session/new", { cwd, mcpServers: [] });
    ids.push(sessionId);
  }
  expect(agent.sessions).toHaveLength(20);
  await Promise.all(ids.map((sessionId) => host.request("session/close", { sessionId })));
  expect(agent.sessions).toEqual([]);
  await using other = await hostBench({ steps: [], place: bench });
  for (const sessionId of ids.slice(0, 3)) {
    expect(await other.host.request("session/resume", { sessionId, cwd })).toHaveProperty("modes");
  }
});

test("the end of a connection closes its sessions and cancels their turns", async () => {
  await using bench = await hostBench({ steps: [{ text: "word ".repeat(9_000), delayMs: 20 }] });
  const { host, cwd, agent, base } = bench;
  await using other = await hostBench({ steps: [], on: base });
  const kept = await other.host.request("session/new", { cwd, mcpServers: [] });
  const { sessionId } = await host.request("session/new", { cwd, mcpServers: [] });
  const turn = host.request("session/prompt", { sessionId, prompt: PROMPT }).catch(() => "gone");
  await expect.poll(() => bench.updates.length).toBeGreaterThan(4);
  const at = performance.now();
  bench.close();
  expect(await turn).toBe("gone");
  await expect.poll(() => agent.sessions.map(({ id }) => id)).toEqual([kept.sessionId]);
  expect(performance.now() - at).toBeLessThan(3_000);
  const { events } = await agent.store.read(sessionId);
  expect(events.some(({ type }) => type === "USER_MESSAGE")).toBe(true);
});

test("a session that is being opened when the connection ends is closed again", async () => {
  let goOn = (): void => undefined;
  const waits = new Promise<void>((resolve) => (goOn = resolve));
  await using bench = await hostBench({
    steps: [],
    hosted: {
      choose: async () => {
        await waits;
        return { model: "scripted/inline", mode: "safe" };
      },
    },
  });
  const { host, cwd, agent } = bench;
  let made = 0;
  const create = agent.createSession.bind(agent);
  agent.createSession = async (options) => {
    const session = await create(options);
    made += 1;
    return session;
  };
  const opening = host.request("session/new", { cwd, mcpServers: [] }).catch(() => "gone");
  await host.request("session/list", {});
  bench.close();
  goOn();
  expect(await opening).toBe("gone");
  await expect.poll(() => made).toBe(1);
  await expect.poll(() => agent.sessions).toEqual([]);
});
