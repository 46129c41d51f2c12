import fc from "fast-check";
import { expect, it } from "vitest";
import { acpRequestSchema, plainRequest } from "../../src/envelope/acp-request.ts";
import type { JsonValue } from "../../src/envelope/json-value.ts";

/** Mostly what is usual. */
function mostly(usual: fc.Arbitrary<unknown>, ...odd: readonly unknown[]): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 8, arbitrary: usual },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  );
}

it("a request of the usual form is read as the schema reads it, every other is left to the schema", () => {
  const usual = fc.record(
    {
      acp_version: mostly(fc.constant("1.0"), "1.0.3", "2.0", 1, undefined),
      request_id: mostly(fc.stringMatching(/^[!-~]{1,9}$/), "r1", "", "a b", 7, undefined),
      operation: mostly(fc.string({ minLength: 1 }), "", 3, undefined, "x".repeat(129)),
      params: mostly(fc.dictionary(fc.string(), fc.jsonValue()), [], null, 1, undefined),
      auth: mostly(fc.constant(null), {}, { token: "t" }, "x"),
    },
    { requiredKeys: ["operation"] },
  );
  const more = fc.constantFrom({}, {}, {}, { idempotency_key: "k" }, { extra: 1 });
  const requests = fc.tuple(usual, more).map(([one, other]) => ({ ...one, ...other }));
  let plain = 0;
  fc.assert(
    fc.property(requests, (request) => {
      const read = plainRequest(request as unknown as JsonValue);
      if (read === undefined) return;
      plain += 1;
      const parsed = acpRequestSchema.parse(request);
      const { request_id: id } = request;
      // A chosen one each time.
      const expected = id === undefined ? { ...parsed, request_id: read.request_id } : parsed;
      expect(read).toEqual(expected);
    }),
    { seed: 11, numRuns: 3_000 },
  );
  expect(plain).toBeGreaterThan(200);
});

it("what is no object or has no operation is left to the schema", () => {
  for (const odd of [null, 1, "x", [], {}]) {
    expect(plainRequest(odd)).toBeUndefined();
  }
});
