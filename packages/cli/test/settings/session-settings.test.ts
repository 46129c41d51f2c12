import { DEFAULT_SETTINGS, LEARNING_MODES, SESSION_MODES } from "@acumen/agent";
import { THOUGHT_LEVELS } from "@acumen/models";
import { expect, test } from "vitest";
import {
  LEARNING_NAMES,
  MODE_NAMES,
  THOUGHT_LEVEL_NAMES,
} from "../../src/settings/session-names.ts";
import { type SessionFlags, sessionSettings } from "../../src/settings/session-settings.ts";
import type { Settings, WorkspaceSettings } from "../../src/settings/settings-schema.ts";

interface Layers {
  readonly file?: Settings;
  readonly workspace?: WorkspaceSettings;
  readonly variables?: Readonly<Record<string, string>>;
  readonly flags?: SessionFlags;
}

function settled({ file = {}, workspace = {}, variables = {}, flags = {} }: Layers) {
  return sessionSettings({ settings: file, variables }, workspace, flags, DEFAULT_SETTINGS);
}

test("the names repeated here are the agent's", () => {
  expect(MODE_NAMES).toEqual(SESSION_MODES);
  expect(LEARNING_NAMES).toEqual(LEARNING_MODES);
  expect(THOUGHT_LEVEL_NAMES).toEqual(THOUGHT_LEVELS);
});

test("without any layer the agent's defaults hold, and no mode is chosen", () => {
  expect(settled({})).toEqual({ mode: undefined, agent: DEFAULT_SETTINGS });
});

test("later layers win: settings file, environment, flag", () => {
  const file: Settings = { mode: "manual", limits: { maxSteps: 7, maxContinuations: 1 } };
  const variables = { ACUMEN_MODE: "safe", ACUMEN_MAX_STEPS: "8", ACUMEN_LEARNING: "off" };
  const flags = { mode: "auto", maxSteps: 9 } as const;
  expect(settled({ file })).toMatchObject({
    mode: "manual",
    agent: { limits: { maxSteps: 7, maxContinuations: 1 }, learning: { mode: "suggest" } },
  });
  expect(settled({ file, variables })).toMatchObject({
    mode: "safe",
    agent: { limits: { maxSteps: 8, maxContinuations: 1 }, learning: { mode: "off" } },
  });
  expect(settled({ file, variables, flags })).toMatchObject({
    mode: "auto",
    agent: { limits: { maxSteps: 9 } },
  });
  expect(settled({ variables: { ACUMEN_MODE: " ", ACUMEN_MAX_STEPS: "" } })).toEqual(settled({}));
});

test("of the thought levels the one of the last layer counts, and it is known where it comes from", () => {
  const file: Settings = { thoughtLevel: "low" };
  const workspace: WorkspaceSettings = { thoughtLevel: "medium" };
  const variables = { ACUMEN_THOUGHT_LEVEL: "high" };
  const flags = { thoughtLevel: "max" } as const;
  expect(settled({}).thoughtLevel).toBeUndefined();
  expect(settled({ file }).thoughtLevel).toEqual({ level: "low", source: "settings" });
  expect(settled({ file, workspace }).thoughtLevel).toEqual({
    level: "medium",
    source: "workspace",
  });
  expect(settled({ file, workspace, variables }).thoughtLevel).toEqual({
    level: "high",
    source: "environment",
  });
  expect(settled({ file, workspace, variables, flags }).thoughtLevel).toEqual({
    level: "max",
    source: "flag",
  });
  expect(() => settled({ variables: { ACUMEN_THOUGHT_LEVEL: "much" } })).toThrow(
    /ACUMEN_THOUGHT_LEVEL is "much"; it must be one of none, minimal/,
  );
});

test("a workspace sets limits and adds rules; the user's own rules stay", () => {
  const { agent } = settled({
    file: {
      permissions: { allow: ["bash(npm test)"], ask: ["edit"], deny: ["bash(rm *)"] },
      limits: { maxSteps: 7, wallClockMs: 60_000 },
      learning: { mode: "off", model: "gpt-4o" },
      env: { pass: ["DATABASE_URL"] },
    },
    workspace: {
      permissions: { ask: ["bash(make *)"], deny: ["edit(dist/**)"] },
      limits: { maxSteps: 3 },
    },
    variables: { ACUMEN_LEARNING: "auto" },
  });
  expect(agent).toEqual({
    permissions: {
      allow: ["bash(npm test)"],
      ask: ["edit", "bash(make *)"],
      deny: ["bash(rm *)", "edit(dist/**)"],
    },
    limits: { maxSteps: 3, maxContinuations: 3, wallClockMs: 60_000 },
    learning: { mode: "auto", model: "gpt-4o" },
    envPass: ["DATABASE_URL"],
  });
});

test("of two limits the lower one holds, so that a workspace widens none; environment and flag are the person's word", () => {
  const limits = { maxSteps: 500, maxContinuations: 9, wallClockMs: 90_000, tokenBudget: 5_000 };
  expect(settled({ workspace: { limits } }).agent.limits).toEqual({
    maxSteps: 100,
    maxContinuations: 3,
    wallClockMs: 90_000,
    tokenBudget: 5_000,
  });
  const file: Settings = { limits: { maxSteps: 200, wallClockMs: 60_000, tokenBudget: 9_000 } };
  expect(settled({ file, workspace: { limits } }).agent.limits).toEqual({
    maxSteps: 200,
    maxContinuations: 3,
    wallClockMs: 60_000,
    tokenBudget: 5_000,
  });
  const variables = { ACUMEN_MAX_STEPS: "300" };
  expect(settled({ file, workspace: { limits }, variables }).agent.limits.maxSteps).toBe(300);
});

test.each([
  ["ACUMEN_MODE", "fast", "one of auto, safe, manual"],
  ["ACUMEN_LEARNING", "on", "one of off, suggest, auto"],
  ["ACUMEN_MAX_STEPS", "0", "a whole number from 1 to 10000"],
  ["ACUMEN_MAX_STEPS", "1e3", "a whole number from 1 to 10000"],
])("%s=%s is refused with what it takes", (variable, value, accepted) => {
  expect(() => settled({ variables: { [variable]: value } })).toThrow(
    expect.objectContaining({
      code: "CLI_SETTING_INVALID",
      message: `${variable} is "${value}"; it must be ${accepted}.`,
    }),
  );
});
