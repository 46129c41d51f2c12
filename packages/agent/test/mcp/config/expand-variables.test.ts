import fc from "fast-check";
import { expect, test } from "vitest";
import { expandVariables } from "../../../src/mcp/config/expand-variables.ts";

const environment = { A: "one", B: "", C: "${A}", D: "$&$1" };

test.each([
  ["${A}", "one", ["one"]],
  ["x${A}y${A}", "xoneyone", ["one", "one"]],
  ["${env:A}", "one", ["one"]],
  ["{env:A}", "one", ["one"]],
  ["${A:-d}", "one", ["one"]],
  ["${N:-d e}", "d e", []],
  ["${N:-}", "", []],
  ["${env:N:-d}", "d", []],
  ["${B}", "", [""]],
  ["${B:-d}", "d", []],
  ["${C}", "${A}", ["${A}"]],
  ["${D}", "$&$1", ["$&$1"]],
  ["$A $$ {A} {N}", "$A $$ {A} {N}", []],
  ["${N:-$}{A}", "${A}", []],
])("%s becomes %s", (text, expected, values) => {
  expect(expandVariables(text, environment)).toEqual({ ok: true, text: expected, values });
});

test.each(["${N}", "${env:N}", "{env:N}", "${toString}", "${__proto__}", "a ${A} ${N} ${M}"])(
  "%s has no value",
  (text) => {
    expect(expandVariables(text, environment)).toMatchObject({ ok: false, unset: true });
  },
);

test.each(["${", "${}", "${A", "${1}", "${A-d}", "${A:?d}", "${N:-${A}}", "${input:x}"])(
  "%s is no variable",
  (text) => {
    expect(expandVariables(text, environment)).toMatchObject({ ok: false, unset: false });
  },
);

test("takes its time with no text", () => {
  const text = `${"${".repeat(20_000)}${"{env:".repeat(20_000)}`;
  const start = performance.now();
  expandVariables(text, environment);
  expect(performance.now() - start).toBeLessThan(5_000);
});

test("leaves every text without braces as it is", () => {
  fc.assert(
    fc.property(
      fc.string().filter((text) => !text.includes("{")),
      (text) => {
        expect(expandVariables(text, environment)).toEqual({ ok: true, text, values: [] });
      },
    ),
  );
});
