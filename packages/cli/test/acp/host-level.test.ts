import type { Logger } from "@acumen/core";
import { createScriptedModel } from "@acumen/models/testing";
import { expect, test } from "vitest";
import { hostLevel } from "../../src/acp/host-level.ts";
import type { OpenedAgent } from "../../src/agent/open-agent.ts";
import type { ChosenLevel } from "../../src/settings/session-settings.ts";

const LOW: ChosenLevel = { level: "low", source: "settings" };

function opened(thoughtLevels?: readonly string[]): OpenedAgent {
  const model = createScriptedModel({ steps: [], ...(thoughtLevels && { thoughtLevels }) });
  return { resolveModel: () => Promise.resolve(model) } as Partial<OpenedAgent> as OpenedAgent;
}

function recorder(): { readonly logger: Logger; readonly warnings: unknown[] } {
  const warnings: unknown[] = [];
  const warn = (message: string, fields: unknown): void => void warnings.push([message, fields]);
  return { warnings, logger: { warn } as Partial<Logger> as Logger };
}

test("a level that the model has is that of a host's session", async () => {
  const { logger, warnings } = recorder();
  expect(await hostLevel(opened(["low"]), "m/x", LOW, logger)).toEqual({ thoughtLevel: "low" });
  expect(await hostLevel(opened(["low"]), "m/x", undefined, logger)).toEqual({});
  expect(await hostLevel(opened(["low"]), undefined, LOW, logger)).toEqual({});
  expect(warnings).toEqual([]);
});

test("one that it does not have is left out, and the log says why", async () => {
  const { logger, warnings } = recorder();
  expect(await hostLevel(opened(), "m/x", { level: "low", source: "flag" }, logger)).toEqual({});
  expect(warnings).toEqual([
    ["thought level is not used", { reason: expect.stringContaining("--thought-level") as string }],
  ]);
});

test("a model that cannot be had yet keeps it", async () => {
  const { logger } = recorder();
  const resolveModel = () => Promise.reject(new Error("no key"));
  const agent = { resolveModel } as Partial<OpenedAgent> as OpenedAgent;
  expect(await hostLevel(agent, "m/x", LOW, logger)).toEqual({ thoughtLevel: "low" });
});
