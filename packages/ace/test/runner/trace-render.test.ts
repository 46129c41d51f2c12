import fc from "fast-check";
import { expect, test } from "vitest";
import { renderText, renderTrace } from "../../src/runner/trace-render.ts";

test("renders nested values as indented text", () => {
  const text = renderTrace(
    [
      ["outcome", "lost"],
      ["steps", ["look", { tool: "grep", args: { pattern: "x" } }]],
      ["meta", { tags: ["a", "b"], nothing: null, empty: [], none: {} }],
      ["log", "line 1\nline 2"],
    ],
    1_000,
  );
  expect(text).toBe(
    [
      "outcome: lost",
      "steps:",
      "[1] look",
      "[2] tool: grep",
      "  args: pattern: x",
      "meta:",
      "  tags:",
      "    - a",
      "    - b",
      "  nothing: null",
      "  empty: []",
      "  none: {}",
      "log: line 1",
      "  line 2",
    ].join("\n"),
  );
});

test("names what JSON cannot hold", () => {
  const cyclic: Record<string, unknown> = { name: "loop" };
  cyclic["self"] = cyclic;
  const when = new Date(Date.UTC(2026, 0, 1));
  const values = {
    cyclic,
    when,
    big: 10n,
    map: new Map([["k", 1]]),
    set: new Set(["v"]),
    not: undefined,
    call: () => 1,
    error: new TypeError("bad"),
  };
  expect(renderTrace(Object.entries(values), 1_000).split("\n")).toEqual([
    "cyclic:",
    "  name: loop",
    "  self: [circular]",
    "when: 2026-01-01T00:00:00.000Z",
    "big: 10",
    "map: k: 1",
    "set: - v",
    "not: undefined",
    "call: [function]",
    "error: TypeError: bad",
  ]);
});

test("a long value loses its middle, short ones stay whole, and the loss is counted", () => {
  const long = `start ${"x".repeat(5_000)} end`;
  const text = renderTrace(
    [
      ["first", "short"],
      ["long", long],
      ["last", "short too"],
    ],
    1_000,
  );
  expect(text.length).toBeLessThan(1_100);
  expect(text).toMatch(
    /^first: short\nlong: start x+ \[… (\d+) characters left out …\] x+ end\nlast: short too$/,
  );
  const kept = (text.match(/x/g) ?? []).length;
  // "start " and " end" are kept.
  expect(kept + Number(/… (\d+)/.exec(text)?.[1])).toBe(5_000);
});

test("of very many steps the first and last remain, and the loss is counted", () => {
  const steps = Array.from({ length: 1_000 }, (_, index) => `step number ${index + 1}`);
  const text = renderTrace([["steps", steps]], 2_400);
  expect(text).toContain("[1] step number 1\n");
  expect(text).toContain("[1000] step number 1000");
  expect(text).toMatch(/\[… \d+ entries left out …\]/);
  expect(text.length).toBeLessThan(2_600);
});

test("values nested beyond every reason are printed compactly or named", () => {
  let deep: unknown = "bottom";
  for (let level = 0; level < 30; level += 1) deep = { level, deep };
  expect(renderText(deep, 10_000)).toContain('"deep":"bottom"');
  for (let level = 0; level < 20_000; level += 1) deep = [deep];
  expect(renderText(deep, 10_000)).toContain("nested too deeply to print");
});

test("cuts never leave half a character", () => {
  const text = renderText("😀".repeat(500), 301);
  expect(text).not.toMatch(
    /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/,
  );
});

test("property: any JSON is rendered within its bound and without an error", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 30 }),
      fc.integer({ min: 500, max: 3_000 }),
      (value, maxChars) => {
        const text = renderTrace(Object.entries(value), maxChars);
        // Notes about what was left out may exceed the bound a little.
        expect(text.length).toBeLessThan(maxChars * 1.3 + 200);
      },
    ),
    { numRuns: 200 },
  );
});
