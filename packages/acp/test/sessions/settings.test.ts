import { AcumenError } from "@acumen/core";
import type { SessionMode } from "@acumen/agent";
import type { SessionConfigOption } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { type HostBench, hostBench } from "../support/host-bench.ts";

const MODELS = [
  { id: "scripted/inline", name: "One" },
  { id: "openai/other", name: "Other", description: "Slower" },
];
const models = (): Promise<typeof MODELS> => Promise.resolve(MODELS);

async function begun({ host, cwd }: HostBench) {
  return host.request("session/new", { cwd, mcpServers: [] });
}

function valuesOf(options: readonly SessionConfigOption[] | null | undefined): unknown {
  return options?.map(({ id, currentValue }) => [id, currentValue]);
}

/** Mode and options as they were announced, in order. */
function announced({ updates }: HostBench): unknown[] {
  return updates.flatMap((update): unknown[] => {
    if (update.sessionUpdate === "current_mode_update") return [update.currentModeId];
    return update.sessionUpdate === "config_option_update" ? [valuesOf(update.configOptions)] : [];
  });
}

test("a session begins with modes and options in step", async () => {
  await using bench = await hostBench({ steps: [], mode: "manual", hosted: { models } });
  const { modes, configOptions } = await begun(bench);
  expect(modes?.currentModeId).toBe("manual");
  expect(modes?.availableModes.map(({ id }) => id)).toEqual(["auto", "safe", "manual"]);
  expect(configOptions).toMatchObject([
    {
      id: "mode",
      category: "mode",
      type: "select",
      currentValue: "manual",
      options: [{ value: "auto" }, { value: "safe" }, { value: "manual" }],
    },
    {
      id: "model",
      category: "model",
      type: "select",
      currentValue: "scripted/inline",
      options: [
        { value: "scripted/inline", name: "One" },
        { value: "openai/other", name: "Other", description: "Slower" },
      ],
    },
  ]);
  expect(bench.faults).toEqual([]);
});

test("the current model is among the choices, also when nobody offers it", async () => {
  await using bench = await hostBench({
    steps: [],
    hosted: { models: () => Promise.resolve(MODELS.slice(1)) },
  });
  const { configOptions } = await begun(bench);
  expect(configOptions?.[1]).toMatchObject({
    currentValue: "scripted/inline",
    options: [{ value: "scripted/inline" }, { value: "openai/other" }],
  });
});

test("each change is announced as mode and as option, also one that changes nothing, and persisted", async () => {
  await using bench = await hostBench({ steps: [], hosted: { models } });
  const { host, agent } = bench;
  const { sessionId } = await begun(bench);
  const model = ["model", "scripted/inline"];
  await host.request("session/set_mode", { sessionId, modeId: "manual" });
  await host.request("session/set_mode", { sessionId, modeId: "manual" });
  const byOption = await host.request("session/set_config_option", {
    sessionId,
    configId: "mode",
    value: "auto",
  });
  expect(valuesOf(byOption.configOptions)).toEqual([["mode", "auto"], model]);
  const other = await host.request("session/set_config_option", {
    sessionId,
    configId: "model",
    value: "openai/other",
  });
  const last = [
    ["mode", "auto"],
    ["model", "openai/other"],
  ];
  expect(valuesOf(other.configOptions)).toEqual(last);
  expect(announced(bench)).toEqual([
    "manual",
    [["mode", "manual"], model],
    "manual",
    [["mode", "manual"], model],
    "auto",
    [["mode", "auto"], model],
    last,
  ]);
  const { meta } = await agent.store.read(sessionId);
  expect(meta).toMatchObject({ mode: "auto", model: "openai/other" });
  expect(bench.faults).toEqual([]);
});

test("mode and model may be changed during a turn, for its next call", async () => {
  const asked: string[] = [];
  await using bench = await hostBench({
    steps: [
      { toolCalls: [{ id: "c1", tool: "bash", input: { command: "sleep 0.3; echo 1" } }] },
      { toolCalls: [{ id: "c2", tool: "bash", input: { command: "echo 2 > b.txt" } }] },
      { text: "Done." },
    ],
    mode: "auto",
    hosted: { models },
    permission: ({ toolCall }) => {
      asked.push(toolCall.toolCallId);
      return { outcome: { outcome: "selected", optionId: "allow_once" } };
    },
  });
  const { host } = bench;
  const { sessionId } = await begun(bench);
  const prompt = [{ type: "text" as const, text: "Work." }];
  const turn = host.request("session/prompt", { sessionId, prompt });
  await expect.poll(() => JSON.stringify(bench.updates)).toContain("in_progress");
  await host.request("session/set_mode", { sessionId, modeId: "safe" });
  await host.request("session/set_config_option", {
    sessionId,
    configId: "model",
    value: "openai/other",
  });
  expect(await turn).toEqual({ stopReason: "end_turn" });
  expect(asked).toEqual(["c2"]);
  expect(announced(bench)).toHaveLength(3);
  expect(bench.faults).toEqual([]);
});

test("in a workspace that is not trusted, auto is shown as what it acts as", async () => {
  await using bench = await hostBench({ steps: [], mode: "auto", agent: { trustOnce: false } });
  const { host, agent } = bench;
  const { sessionId, modes, configOptions } = await begun(bench);
  const safe = [
    ["mode", "safe"],
    ["model", "scripted/inline"],
  ];
  expect([modes?.currentModeId, valuesOf(configOptions)]).toEqual(["safe", safe]);
  await host.request("session/set_mode", { sessionId, modeId: "manual" });
  await host.request("session/set_mode", { sessionId, modeId: "auto" });
  expect(announced(bench).slice(-2)).toEqual(["safe", safe]);
  expect(agent.sessions[0]).toMatchObject({ mode: "auto", effectiveMode: "safe" });
});

test.each([
  ["session/set_mode", { modeId: "yolo" }, "modeId"],
  ["session/set_mode", { modeId: "__proto__" }, "modeId"],
  ["session/set_config_option", { configId: "mode", value: "yolo" }, "value"],
  ["session/set_config_option", { configId: "other", value: "x" }, "configId"],
  ["session/set_config_option", { configId: "mode", value: true, type: "boolean" }, "value"],
  ["session/set_config_option", { configId: "model", value: "openai/unknown" }, "value"],
  ["session/set_config_option", { configId: "model", value: "scripted//etc/passwd" }, "value"],
  ["session/set_config_option", { configId: "model", value: "" }, "value"],
])("%s refuses %j", async (method, params, path) => {
  const resolved: string[] = [];
  await using bench = await hostBench({
    steps: [],
    hosted: { models },
    agent: {
      resolveModel: (id) => {
        resolved.push(id);
        return Promise.resolve(bench.model);
      },
    },
  });
  const { sessionId } = await begun(bench);
  await expect(bench.host.request(method, { sessionId, ...params })).rejects.toMatchObject({
    code: -32602,
    data: { path },
  });
  expect(resolved).toEqual(["scripted/inline"]);
  expect(announced(bench)).toEqual([]);
});

test("a mode that the process may not hand out is set in no way, neither chosen nor stored", async () => {
  await using first = await hostBench({ steps: [], mode: "auto", hosted: { models } });
  const { sessionId: stored } = await begun(first);
  await first.host.request("session/close", { sessionId: stored });
  const refused = { code: -32603, data: { code: "CLI_REFUSED_TO_AGENT" } };
  const checkMode = (mode: SessionMode): void => {
    if (mode !== "auto") return;
    throw new AcumenError({ code: "CLI_REFUSED_TO_AGENT", message: "Not auto." });
  };
  let chosen: SessionMode = "safe";
  const choose = () => Promise.resolve({ model: "scripted/inline", mode: chosen });
  await using bench = await hostBench({
    steps: [],
    place: first,
    hosted: { models, checkMode, choose },
  });
  const { host, agent, cwd } = bench;
  const { sessionId } = await begun(bench);
  await expect(
    host.request("session/set_mode", { sessionId, modeId: "auto" }),
  ).rejects.toMatchObject(refused);
  await expect(
    host.request("session/set_config_option", { sessionId, configId: "mode", value: "auto" }),
  ).rejects.toMatchObject(refused);
  await host.request("session/prompt", {
    sessionId,
    prompt: [{ type: "text", text: "/mode auto" }],
  });
  expect(JSON.stringify(bench.updates)).toContain("CLI_REFUSED_TO_AGENT: Not auto.");
  expect(agent.sessions.map(({ mode }) => mode)).toEqual(["safe"]);

  chosen = "auto";
  await expect(begun(bench)).rejects.toMatchObject(refused);
  for (const method of ["session/load", "session/resume"]) {
    await expect(
      host.request(method, { sessionId: stored, cwd, mcpServers: [] }),
    ).rejects.toMatchObject(refused);
  }
  // Nothing of what was refused is open or was stored.
  expect(agent.sessions.map(({ id }) => id)).toEqual([sessionId]);
  expect((await agent.store.list()).sessions).toHaveLength(2);
  await host.request("session/set_mode", { sessionId, modeId: "manual" });
  expect(agent.sessions[0]?.mode).toBe("manual");
  expect(bench.faults).toEqual([]);
});

const LATER = [...MODELS, { id: "acme/new", name: "New" }];
const offered = (options: readonly SessionConfigOption[] | null | undefined): unknown =>
  options
    ?.filter(({ id }) => id === "model")
    .flatMap((option): unknown[] => ("options" in option ? option.options : []));

test.each([
  [
    "the option",
    async ({ host }: HostBench, sessionId: string) => {
      const { configOptions } = await host.request("session/set_config_option", {
        sessionId,
        configId: "model",
        value: "acme/new",
      });
      expect(valuesOf(configOptions)).toContainEqual(["model", "acme/new"]);
    },
  ],
  [
    "/model",
    async ({ host }: HostBench, sessionId: string) => {
      const prompt = [{ type: "text" as const, text: "/model acme/new" }];
      await host.request("session/prompt", { sessionId, prompt });
    },
  ],
])(
  "a model that is on offer later can be chosen by %s, and the host hears of the new list",
  async (_name, choose) => {
    let list = MODELS;
    await using bench = await hostBench({
      steps: [],
      hosted: { models: () => Promise.resolve(list) },
    });
    const { sessionId, configOptions } = await begun(bench);
    expect(offered(configOptions)).toHaveLength(2);
    list = LATER;
    await choose(bench, sessionId);
    const lists = bench.updates.flatMap((update) =>
      update.sessionUpdate === "config_option_update" ? [update.configOptions] : [],
    );
    // First the list, then the choice out of it.
    expect(lists.map(valuesOf)).toMatchObject([
      expect.arrayContaining([["model", "scripted/inline"]]),
      expect.arrayContaining([["model", "acme/new"]]),
    ]);
    for (const options of lists) expect(offered(options)).toHaveLength(3);
    expect(bench.agent.sessions[0]?.model).toBe("acme/new");
    // What is gone by then is refused in both.
    list = LATER.slice(2);
    await expect(
      bench.host.request("session/set_config_option", {
        sessionId,
        configId: "model",
        value: "openai/other",
      }),
    ).rejects.toMatchObject({ code: -32602, data: { path: "value" } });
    expect(bench.faults).toEqual([]);
  },
);

test("a session that is open already is loaded with the models that are on offer by then", async () => {
  let list = MODELS;
  await using bench = await hostBench({
    steps: [],
    hosted: { models: () => Promise.resolve(list) },
  });
  const { host, cwd } = bench;
  const { sessionId } = await begun(bench);
  list = LATER;
  const loaded = await host.request("session/load", { sessionId, cwd, mcpServers: [] });
  expect(offered(loaded.configOptions)).toHaveLength(3);
});
