import { expect, test } from "vitest";
import { hostBench } from "../support/host-bench.ts";

test("report 55 on other agents of the protocol: a new mode is announced as mode and as option, whoever set it", async () => {
  await using bench = await hostBench({ steps: [], agent: { trustOnce: true } });
  const { host, cwd, updates, faults } = bench;
  const { sessionId } = await host.request("session/new", { cwd, mcpServers: [] });
  const changes = (): unknown[] =>
    updates.flatMap((update): unknown[] => {
      if (update.sessionUpdate === "current_mode_update") return [update.currentModeId];
      if (update.sessionUpdate !== "config_option_update") return [];
      return [update.configOptions.map(({ id, currentValue }) => [id, currentValue])];
    });
  await host.request("session/set_mode", { sessionId, modeId: "manual" });
  const model = ["model", "scripted/inline"];
  await expect.poll(changes).toEqual(["manual", [["mode", "manual"], model]]);
  await host.request("session/set_config_option", { sessionId, configId: "mode", value: "auto" });
  await expect
    .poll(changes)
    .toEqual(["manual", [["mode", "manual"], model], "auto", [["mode", "auto"], model]]);
  expect(faults).toEqual([]);
});
