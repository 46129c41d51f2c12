import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../src/envelope/json-value.ts";
import { acpResponseSchema } from "../../src/envelope/acp-response.ts";
import { HttpBench } from "../support/http-bench.ts";
import { broken, valuesOf } from "../support/schema-arbitrary.ts";

const REQUESTS = 2_400;
const AT_ONCE = 24;

/** Real things to name, so that requests reach beyond the look-up. */
async function idsOf(bench: HttpBench): Promise<Record<string, readonly string[]>> {
  const session = await bench.send({ operation: "session.create" });
  const closed = await bench.send({ operation: "session.create" });
  const closedId = closed.body.data["session_id"] as string;
  await bench.send({ operation: "session.close", params: { session_id: closedId } });
  const plan = await bench.send({
    operation: "plan.create",
    params: { action_name: "builtin/task", arguments: { prompt: "Do it." } },
  });
  expect([session.status, closed.status, plan.status]).toEqual([200, 200, 200]);
  const subscription = await bench.send({ operation: "event.subscribe" });
  return {
    session_id: [session.body.data["session_id"] as string, closedId],
    plan_id: [plan.body.data["plan_id"] as string],
    subscription_id: [subscription.body.data["subscription_id"] as string],
    action_name: ["builtin/task"],
    actor_name: ["builtin/agent"],
    types: ["plan.*"],
  };
}

it("whatever is sent to any operation, the answer is an envelope with its id, never a 500", async () => {
  await using bench = await HttpBench.start({
    limits: { mutationsPerSecond: 1e9, mutationBurst: 1e9 },
  });
  const document = (await (await bench.fetch("/openapi.json")).json()) as JsonObject;
  const { schemas } = document["components"] as { readonly schemas: Record<string, JsonObject> };
  const ids = await idsOf(bench);
  const names = Object.keys(schemas).flatMap((name) => /^(.+)\.request$/.exec(name)?.[1] ?? []);
  expect(names.length).toBeGreaterThan(20);
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const checks = new Map(
    names.map((name) => [name, ajv.compile(schemas[`${name}.response`] ?? false)]),
  );
  const paramsOf = (name: string): fc.Arbitrary<JsonValue> => {
    const { properties } = schemas[`${name}.request`] as { readonly properties: JsonObject };
    return valuesOf(properties["params"] as JsonObject, ids);
  };
  const requests = fc.constantFrom(...names).chain((operation) => {
    const valid = paramsOf(operation);
    const params = fc.oneof(valid, valid.chain(broken));
    return fc.record({ operation: fc.constant(operation), params });
  });
  const envelopes = fc.oneof(
    { weight: 9, arbitrary: requests },
    { weight: 1, arbitrary: requests.chain(broken) as fc.Arbitrary<JsonObject> },
  );
  const sample = fc.sample<JsonObject>(envelopes, { numRuns: REQUESTS, seed: 20_261_130 });
  const statuses = new Map<number, number>();
  const answered = new Set<string>();
  const one = async (request: JsonObject, index: number): Promise<void> => {
    const id = `fuzz-${index}`;
    const { status, body } = await bench.send({ deadline_ms: 5_000, ...request, request_id: id });
    const shown = JSON.stringify({ request, status, body }).slice(0, 2_000);
    expect(status, shown).not.toBe(500);
    expect(acpResponseSchema.safeParse(body).success, shown).toBe(true);
    expect(body.request_id, shown).toBe(id);
    if (body.status === "ok") {
      const operation = request["operation"] as string;
      answered.add(operation);
      const check = checks.get(operation);
      expect(check?.(body), `${shown} ${JSON.stringify(check?.errors)}`).toBe(true);
    }
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  };
  for (let from = 0; from < sample.length; from += AT_ONCE) {
    await Promise.all(sample.slice(from, from + AT_ONCE).map((each, at) => one(each, from + at)));
  }
  // It reached the operations themselves, and not only the check of what was sent.
  expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 10);
  expect(statuses.get(400)).toBeGreaterThan(REQUESTS / 10);
  expect(answered.size).toBeGreaterThan(11);
});
