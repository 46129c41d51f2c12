import fc from "fast-check";
import { expect, test } from "vitest";
import { pathMatcher } from "../../src/context/path-globs.ts";

test.each([
  ["*.ts", ["a.ts", "src/deep/a.ts"], ["a.tsx", "a.ts/b"]],
  ["src/*.ts", ["src/a.ts"], ["src/b/a.ts", "a.ts", "xsrc/a.ts"]],
  ["src/**", ["src/a", "src/b/c"], ["src", "srcs/a"]],
  ["src/", ["src/a", "src/b/c"], ["src"]],
  ["src/**/a.ts", ["src/a.ts", "src/b/c/a.ts"], ["src/ba.ts", "src/b/xa.ts"]],
  ["**/test/**", ["test/a", "x/test/a"], ["test", "atest/b"]],
  ["*.{ts,md}", ["a.ts", "b/a.md"], ["a.js", "a.{ts,md}"]],
  ["a?.txt", ["ab.txt", "aé.txt"], ["a.txt", "a/.txt"]],
  ["./a.txt", ["a.txt"], ["b/a.txt"]],
  ["[a]+(x).ts", ["[a]+(x).ts"], ["a.ts", "axx.ts"]],
])("%s", (glob, covered, others) => {
  const matches = pathMatcher([glob]);
  expect(covered.filter((path) => !matches(path))).toEqual([]);
  expect(others.filter((path) => matches(path))).toEqual([]);
});

test("what is many wildcards for others takes no time here", () => {
  const glob = `**/${"a*".repeat(200)}b`;
  expect(pathMatcher([glob])(`${"a/".repeat(500)}${"a".repeat(250)}`)).toBe(false);
});

test("a path covers itself, whatever it is", () => {
  const path = fc
    .string({ unit: "binary", minLength: 1, maxLength: 50 })
    .filter((text) => !/[*?{}]|^\.?\/|\/$/u.test(text));
  fc.assert(
    fc.property(path, (text) => {
      expect(pathMatcher([text])(text)).toBe(true);
    }),
  );
});
