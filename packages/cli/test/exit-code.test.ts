import { agentError } from "@acumen/agent";
import { AcumenError, coreError } from "@acumen/core";
import { modelError } from "@acumen/models";
import { expect, test } from "vitest";
import { cliError } from "../src/errors.ts";
import { exitCodeOf } from "../src/exit-code.ts";

test("usage and settings are 2, other failures 1", () => {
  expect(exitCodeOf(cliError("CLI_USAGE", "x"))).toBe(2);
  expect(exitCodeOf(cliError("CLI_SETTING_INVALID", "x"))).toBe(2);
  expect(exitCodeOf(cliError("CLI_NO_CREDENTIALS", "x"))).toBe(2);
  expect(exitCodeOf(cliError("CLI_DOCTOR_FAILED", "x"))).toBe(1);
  expect(exitCodeOf(cliError("CLI_TOUR_FAILED", "x"))).toBe(1);
  expect(exitCodeOf(coreError("CORE_FILE_NOT_FOUND", "x"))).toBe(1);
});

test("of the agent: configuration is 2, what would have harmed is refused with 3", () => {
  for (const code of [
    "AGENT_WORKSPACE_INVALID",
    "AGENT_WORKSPACE_UNTRUSTABLE",
    "AGENT_RULE_INVALID",
    "AGENT_NO_CREDENTIALS",
    "AGENT_PROMPT_INVALID",
    "AGENT_CURSOR_INVALID",
  ] as const)
    expect(exitCodeOf(agentError(code, "x"))).toBe(2);
  expect(exitCodeOf(cliError("CLI_NO_MODEL", "x"))).toBe(2);
  expect(exitCodeOf(cliError("CLI_REFUSED_TO_AGENT", "x"))).toBe(2);
  expect(exitCodeOf(agentError("AGENT_UNDO_REFUSED", "x"))).toBe(3);
  expect(exitCodeOf(agentError("AGENT_SESSION_NOT_FOUND", "x"))).toBe(1);
  expect(exitCodeOf(agentError("AGENT_SESSION_LOCKED", "x"))).toBe(1);
});

test("a model that could not be built is configuration, one that refused is a failure", () => {
  const failure = { provider: "openai", model: "gpt-5", kind: "auth" } as const;
  expect(exitCodeOf(modelError("No key.", failure))).toBe(2);
  expect(exitCodeOf(modelError("Refused.", { ...failure, status: 401 }))).toBe(1);
  expect(exitCodeOf(modelError("Away.", { ...failure, kind: "unavailable" }))).toBe(1);
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
])("%s is %d", (signal, code) => {
  expect(exitCodeOf(cliError("CLI_INTERRUPTED", "x", { details: { signal } }))).toBe(code);
});

test("of the facade: configuration is 2, what its state or the token forbids is refused with 3", () => {
  const code = (name: string): number =>
    exitCodeOf(new AcumenError({ code: `FACADE_${name}`, message: "x" }));
  for (const name of [
    "AUTH_ERROR",
    "CONFIGURATION_ERROR",
    "VALIDATION_ERROR",
    "VERSION_MISMATCH",
  ]) {
    expect(code(name)).toBe(2);
  }
  for (const name of ["CONFLICT", "FORBIDDEN", "INVALID_STATE"]) expect(code(name)).toBe(3);
  for (const name of ["NOT_FOUND", "NOT_AVAILABLE", "PLAN_ERROR", "TIMEOUT"]) {
    expect(code(name)).toBe(1);
  }
});
