import fc from "fast-check";
import { expect, test } from "vitest";
import { repeatedKey, writtenMembers } from "../../src/http/repeated-key.ts";
import { HttpBench } from "../support/http-bench.ts";

test.each<readonly [string, readonly (string | number)[]]>([
  [`{"a":1,"a":2}`, ["a"]],
  [`{"a":1,"\\u0061":2}`, ["a"]],
  [`{"a" : {"x":1} , "b":[0,{"c":":", "\\\\\\"":2,"c" :1}]}`, ["b", 1, "c"]],
  [`[[],[{"":1,"":{}}]]`, [1, 0, ""]],
  [`{"__proto__":1,"__proto__":1}`, ["__proto__"]],
])("%s has a key twice", (json, path) => {
  expect(repeatedKey(json)).toEqual(path);
});

function membersOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce<number>((sum, child) => sum + membersOf(child), own);
}

test("what has each key once is counted as it is, whatever its texts are", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 2), (value, indent) => {
      const json = JSON.stringify(value, null, indent);
      expect(writtenMembers(json)).toBe(membersOf(JSON.parse(json)));
      expect(repeatedKey(json)).toBeUndefined();
    }),
  );
});

test("a member that is written again is counted, and found", () => {
  const names = fc.string({ unit: "binary", minLength: 0, maxLength: 5 });
  fc.assert(
    fc.property(fc.dictionary(names, fc.jsonValue(), { minKeys: 1 }), fc.nat(), (value, pick) => {
      const keys = Object.keys(value);
      const key = keys[pick % keys.length] ?? "";
      const json = `${JSON.stringify(value).slice(0, -1)},${JSON.stringify(key)}:[]}`;
      expect(writtenMembers(json)).toBeGreaterThan(membersOf(JSON.parse(json)));
      expect(repeatedKey(json)).toEqual([key]);
    }),
  );
});

test("a request that says two things is refused with the place", async () => {
  await using bench = await HttpBench.start();
  const answer = await bench.send(
    `{"operation":"session.create","params":{"title":"one","title":"two"}}`,
  );
  expect([answer.status, answer.body.error]).toMatchObject([
    400,
    { code: "VALIDATION_ERROR", details: { issues: [{ path: ["params", "title"] }] } },
  ]);
  expect((await bench.store.sessions({ owner: "local", limit: 10 })).items).toEqual([]);
});

test("a large text with many marks is looked through at once", () => {
  const text = JSON.stringify({ a: '\\":{'.repeat(200_000), b: "\\".repeat(200_000) });
  expect(writtenMembers(text)).toBe(2);
  expect(repeatedKey(`${text.slice(0, -1)},"a":1}`)).toEqual(["a"]);
});
