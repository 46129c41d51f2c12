import type { SessionConfigOption, SessionUpdate } from "@agentclientprotocol/sdk";
import { createScriptedModel } from "@acumen/models/testing";
import { expect, test } from "vitest";
import { type HostBench, hostBench, type HostBenchOptions } from "../support/host-bench.ts";

const LEVELS: Readonly<Record<string, readonly string[]>> = {
  "scripted/inline": ["low", "high"],
  "test/plain": [],
  "test/other": ["none", "high", "max"],
};

/** Models of these levels; they say which level they were told. */
function options(change: Partial<HostBenchOptions> = {}): HostBenchOptions & { told: string[] } {
  const told: string[] = [];
  return {
    told,
    steps: [],
    ...change,
    hosted: {
      models: () => Promise.resolve(Object.keys(LEVELS).map((id) => ({ id, name: id }))),
      ...change.hosted,
    },
    agent: {
      resolveModel: (id) => {
        const thoughtLevels = LEVELS[id] ?? [];
        const model = createScriptedModel({
          ...(thoughtLevels.length > 0 && { thoughtLevels }),
          steps: [{ text: "Done." }],
          repeatLast: true,
        });
        const { stream } = model;
        return Promise.resolve(
          Object.assign(model, {
            stream: (request: Parameters<typeof stream>[0]) => {
              told.push(`${id} ${request.thoughtLevel ?? "default"}`);
              return stream.call(model, request);
            },
          }),
        );
      },
      ...change.agent,
    },
  };
}

function levelOf(all: readonly SessionConfigOption[] | null | undefined): unknown {
  const option = all?.find(({ id }) => id === "thought_level");
  if (option?.type !== "select") return undefined;
  return [option.currentValue, option.options.map((one) => "value" in one && one.value).join(" ")];
}

function announced(updates: readonly SessionUpdate[]): unknown[] {
  return updates.flatMap((update) =>
    update.sessionUpdate === "config_option_update" ? [levelOf(update.configOptions)] : [],
  );
}

const choose = ({ host }: HostBench, sessionId: string, configId: string, value: string) =>
  host.request("session/set_config_option", { sessionId, configId, value });

const begin = ({ host, cwd }: HostBench) => host.request("session/new", { cwd, mcpServers: [] });

const LOW_HIGH = "default low high";

test("the option stands with a model that has levels, in full, and takes them", async () => {
  const made = options();
  await using bench = await hostBench(made);
  const { sessionId, configOptions } = await begin(bench);
  expect(configOptions?.map(({ id }) => id)).toEqual(["mode", "model", "thought_level"]);
  expect(configOptions?.[2]).toMatchObject({
    type: "select",
    category: "thought_level",
    name: "Thought level",
    currentValue: "default",
    options: [
      { value: "default", name: "Default" },
      { value: "low", name: "Low" },
      { name: "High" },
    ],
  });
  const answer = await choose(bench, sessionId, "thought_level", "high");
  expect(levelOf(answer.configOptions)).toEqual(["high", LOW_HIGH]);
  await choose(bench, sessionId, "thought_level", "high");
  const prompt = [{ type: "text" as const, text: "Think." }];
  await bench.host.request("session/prompt", { sessionId, prompt });
  await choose(bench, sessionId, "thought_level", "default");
  await bench.host.request("session/prompt", { sessionId, prompt });
  expect(made.told).toEqual(["scripted/inline high", "scripted/inline default"]);
  // Hosts wait for these, also when nothing has changed.
  expect(announced(bench.updates)).toEqual([
    ["high", LOW_HIGH],
    ["high", LOW_HIGH],
    ["default", LOW_HIGH],
  ]);
  expect(bench.faults).toEqual([]);
});

test("it goes and comes with the model, and a level that the next one lacks becomes its default", async () => {
  await using bench = await hostBench(options());
  const { sessionId } = await begin(bench);
  await choose(bench, sessionId, "thought_level", "high");
  const other = await choose(bench, sessionId, "model", "test/other");
  expect(levelOf(other.configOptions)).toEqual(["high", "default none high max"]);
  await choose(bench, sessionId, "thought_level", "max");
  const back = await choose(bench, sessionId, "model", "scripted/inline");
  expect(levelOf(back.configOptions)).toEqual(["default", LOW_HIGH]);
  const plain = await choose(bench, sessionId, "model", "test/plain");
  expect(plain.configOptions.map(({ id }) => id)).toEqual(["mode", "model"]);
  expect(announced(bench.updates).slice(1)).toEqual([
    ["high", "default none high max"],
    ["max", "default none high max"],
    ["default", LOW_HIGH],
    undefined,
  ]);
  await expect(choose(bench, sessionId, "thought_level", "low")).rejects.toMatchObject({
    code: -32602,
    data: { path: "configId" },
  });
  expect(bench.faults).toEqual([]);
});

test.each(["max", "", "__proto__", "Default"])("it refuses the level %j", async (value) => {
  await using bench = await hostBench(options());
  const { sessionId } = await begin(bench);
  await expect(choose(bench, sessionId, "thought_level", value)).rejects.toMatchObject({
    code: -32602,
    data: { path: "value" },
  });
  expect(announced(bench.updates)).toEqual([]);
});

test("a session begins with the level that the settings chose, and keeps its own when it is loaded or resumed", async () => {
  const chosen = { model: "scripted/inline", mode: "safe", thoughtLevel: "low" } as const;
  await using bench = await hostBench(
    options({ hosted: { choose: () => Promise.resolve(chosen) } }),
  );
  const { host, cwd } = bench;
  const { sessionId, configOptions } = await begin(bench);
  expect(levelOf(configOptions)).toEqual(["low", LOW_HIGH]);
  await choose(bench, sessionId, "thought_level", "high");
  await choose(bench, sessionId, "thought_level", "default");
  await choose(bench, sessionId, "thought_level", "high");
  const live = announced(bench.updates);
  await host.request("session/close", { sessionId });
  const begun = bench.updates.length;
  const loaded = await host.request("session/load", { sessionId, cwd, mcpServers: [] });
  expect(levelOf(loaded.configOptions)).toEqual(["high", LOW_HIGH]);
  expect(announced(bench.updates.slice(begun))).toEqual(live);
  await host.request("session/close", { sessionId });
  const resumed = await host.request("session/resume", { sessionId, cwd, mcpServers: [] });
  expect(levelOf(resumed.configOptions)).toEqual(["high", LOW_HIGH]);
  expect(bench.faults).toEqual([]);
});

test("set during a turn it holds from the next call of the model on", async () => {
  const model = createScriptedModel({
    thoughtLevels: ["low", "high"],
    steps: [
      {
        expect: { thoughtLevel: "default" },
        toolCalls: [{ tool: "bash", input: { command: "sleep 0.1" } }],
      },
      { expect: { thoughtLevel: "high" }, text: "Done." },
    ],
  });
  const set: { now?: () => Promise<unknown> } = {};
  await using bench = await hostBench({
    steps: [],
    agent: { resolveModel: () => Promise.resolve(model) },
    permission: async () => {
      await set.now?.();
      return { outcome: { outcome: "selected", optionId: "allow_once" } };
    },
  });
  const { sessionId } = await begin(bench);
  set.now = () => choose(bench, sessionId, "thought_level", "high");
  const prompt = [{ type: "text" as const, text: "Work." }];
  const turn = bench.host.request("session/prompt", { sessionId, prompt });
  expect(await turn).toEqual({ stopReason: "end_turn" });
  expect(announced(bench.updates)).toEqual([["high", LOW_HIGH]]);
  const text = bench.updates.flatMap((update) =>
    update.sessionUpdate === "agent_message_chunk" && update.content.type === "text"
      ? [update.content.text]
      : [],
  );
  expect(text.join("")).toBe("Done.");
  expect(bench.faults).toEqual([]);
});
