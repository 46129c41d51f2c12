import fc from "fast-check";
import { expect, test } from "vitest";
import { CommandView } from "../../src/approval/command-view.ts";
import type { RulePattern } from "../../src/approval/permission-rule.ts";
import { parsePermissionRules } from "../../src/index.ts";
import { ALLOWED, NEVER_ALLOWED, SEEN } from "./command-table.ts";
import { ALLOWED_OPTIONS, NEVER_ALLOWED_OPTIONS, SEEN_OPTIONS } from "./option-table.ts";

function wordsOf(pattern: string): Extract<RulePattern, { type: "words" }> {
  const rules = parsePermissionRules({ allow: [`bash(${pattern})`], ask: [], deny: [] });
  const parsed = rules.allow[0]?.pattern;
  if (parsed?.type !== "words") throw new Error(`no words: ${pattern}`);
  return parsed;
}

test.each([...NEVER_ALLOWED, ...NEVER_ALLOWED_OPTIONS])(
  "bash(%s) does not allow %j",
  (rule, command) => {
    expect(new CommandView(command).allows(wordsOf(rule))).toBe(false);
  },
);

test.each([...ALLOWED, ...ALLOWED_OPTIONS])("bash(%s) allows %j", (rule, command) => {
  expect(new CommandView(command).allows(wordsOf(rule))).toBe(true);
});

test.each([...SEEN, ...SEEN_OPTIONS])(
  "bash(%s) as deny or ask rule sees %j: %s",
  (rule, command, seen) => {
    expect(new CommandView(command).finds(wordsOf(rule))).toBe(seen);
  },
);

test("an option that runs or loads something is covered wherever it stands by no rule but one that spells it", () => {
  const harmless = fc.array(fc.constantFrom("a", "src/a.ts", "x y", "1", "@b"), { maxLength: 4 });
  const wrapper = fc.constantFrom("", "timeout 5 ", "env ", "nice -n 5 ");
  fc.assert(
    fc.property(
      fc.constantFrom(...NEVER_ALLOWED_OPTIONS),
      wrapper,
      harmless,
      ([rule, command], before, after) => {
        const whole = `${before}${command}`;
        const longer = [whole, ...after.map((word) => `'${word}'`)].join(" ");
        const view = new CommandView(longer);
        expect(view.allows(wordsOf(rule === "*" ? rule : `${before}${rule}`))).toBe(false);
        expect(view.allows(wordsOf("*"))).toBe(false);
        expect(new CommandView(whole).allows(wordsOf(whole))).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});
