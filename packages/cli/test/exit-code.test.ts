import { coreError } from "@acumen/core";
import { expect, test } from "vitest";
import { cliError } from "../src/errors.ts";
import { exitCodeOf } from "../src/exit-code.ts";

test("usage and settings are 2, other failures 1", () => {
  expect(exitCodeOf(cliError("CLI_USAGE", "x"))).toBe(2);
  expect(exitCodeOf(cliError("CLI_SETTING_INVALID", "x"))).toBe(2);
  expect(exitCodeOf(cliError("CLI_TOUR_FAILED", "x"))).toBe(1);
  expect(exitCodeOf(coreError("CORE_FILE_NOT_FOUND", "x"))).toBe(1);
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
])("%s is %d", (signal, code) => {
  expect(exitCodeOf(cliError("CLI_INTERRUPTED", "x", { details: { signal } }))).toBe(code);
});
