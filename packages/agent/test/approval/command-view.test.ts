import { expect, test } from "vitest";
import { CommandView } from "../../src/approval/command-view.ts";
import type { RulePattern } from "../../src/approval/permission-rule.ts";
import { parsePermissionRules } from "../../src/index.ts";
import { ALLOWED, NEVER_ALLOWED, SEEN } from "./command-table.ts";

function wordsOf(pattern: string): Extract<RulePattern, { type: "words" }> {
  const rules = parsePermissionRules({ allow: [`bash(${pattern})`], ask: [], deny: [] });
  const parsed = rules.allow[0]?.pattern;
  if (parsed?.type !== "words") throw new Error(`no words: ${pattern}`);
  return parsed;
}

test.each(NEVER_ALLOWED)("bash(%s) does not allow %j", (rule, command) => {
  expect(new CommandView(command).allows(wordsOf(rule))).toBe(false);
});

test.each(ALLOWED)("bash(%s) allows %j", (rule, command) => {
  expect(new CommandView(command).allows(wordsOf(rule))).toBe(true);
});

test.each(SEEN)("bash(%s) as deny or ask rule sees %j: %s", (rule, command, seen) => {
  expect(new CommandView(command).finds(wordsOf(rule))).toBe(seen);
});
