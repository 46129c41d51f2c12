import fc from "fast-check";
import { stringify } from "yaml";
import { expect, test } from "vitest";
import { yamlValue } from "../../src/actions/yaml-value.ts";

const read = (text: string): unknown => yamlValue(text, (what) => new Error(what));

test("plain values are what they say", () => {
  expect(read("a: 1\nb: [x, {c: null}]\nd: &d {e: true}\nf: *d\ng: 2026-01-01\nh: yes")).toEqual({
    a: 1,
    b: ["x", { c: null }],
    d: { e: true },
    f: { e: true },
    g: "2026-01-01",
    h: "yes",
  });
});

const NINE = (name: string): string => `[${Array.from({ length: 9 }, () => `*${name}`).join(",")}]`;

test.each([
  [
    "aliases that grow",
    `a: &a [x,x,x]\nb: &b ${NINE("a")}\nc: &c ${NINE("b")}\nd: &d ${NINE("c")}\ne: ${NINE("d")}`,
  ],
  ["an alias that contains itself", "a: &a {b: *a}"],
  ["a list that contains itself", "a: &a [*a]"],
  ["an alias of nothing", "a: *b"],
  ["a tag of a program", "a: !!js/function 'function () {}'"],
  ["a tag of its own", "a: !ruby/object:Gem {}"],
  ["a key twice", "a: {b: 1, b: 2}"],
  ["a key twice in two spellings", 'a: 1\n"a": 2'],
  ["a key of prototypes", "a: {__proto__: {b: 1}}"],
  ["a list as a key", "? [a]\n: b"],
  ["two documents", "a: 1\n...\nb: 2"],
  ["lists in lists without end", `a: ${"[".repeat(5_000)}${"]".repeat(5_000)}`],
])("%s is a fault", (_what, text) => {
  expect(() => read(text)).toThrow(/front matter/);
  expect(Object.hasOwn(Object.prototype, "b")).toBe(false);
});

test("many keys are compared in no more than some time for each", () => {
  const text = Array.from({ length: 4_000 }, (_, index) => `k${index}: 1`).join("\n");
  const started = performance.now();
  expect(Object.keys(read(text) as object)).toHaveLength(4_000);
  // Each with all others would be eight million comparisons.
  expect(performance.now() - started).toBeLessThan(3_000);
});

test("whatever is written as YAML is read as what it was", () => {
  const value = fc.dictionary(
    fc.string().filter((key) => key !== "__proto__"),
    fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string())),
  );
  fc.assert(
    fc.property(value, (plain) => {
      expect(read(stringify(plain, { aliasDuplicateObjects: false }))).toEqual({ ...plain });
    }),
  );
});
