import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect } from "vitest";
import { acpResponseSchema } from "../../src/envelope/acp-response.ts";
import type { JsonObject, JsonValue } from "../../src/envelope/json-value.ts";
import type { FuzzBench } from "./fuzz-bench.ts";
import type { HttpAnswer } from "./http-bench.ts";
import { broken, valuesOf } from "./schema-arbitrary.ts";

const AT_ONCE = 24;

export interface FuzzResult {
  /** Operations that were answered ok at least once. */
  readonly answered: ReadonlySet<string>;
  readonly operations: readonly string[];
  readonly codes: ReadonlySet<string>;
  readonly statuses: ReadonlySet<number>;
}

interface Sent {
  readonly body: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends what the OpenAPI document allows, and what it does not, and checks each answer. The seed stands in each failure. */
export async function fuzz(
  bench: FuzzBench,
  { requests, seed }: { readonly requests: number; readonly seed: number },
): Promise<FuzzResult> {
  const { http } = bench;
  const document = (await (await http.fetch("/openapi.json")).json()) as JsonObject;
  const { schemas } = document["components"] as { readonly schemas: Record<string, JsonObject> };
  const operations = Object.keys(schemas).flatMap(
    (name) => /^(.+)\.request$/.exec(name)?.[1] ?? [],
  );
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const checks = new Map(
    operations.map((name) => [name, ajv.compile(schemas[`${name}.response`] ?? false)]),
  );
  const statuses = new Set<number>();
  const codes = new Set<string>();
  const answered = new Set<string>();
  const judge = (request: Sent, { status, body }: HttpAnswer): void => {
    const shown = `seed ${seed}: ${JSON.stringify({ request, status, body }).slice(0, 2_000)}`;
    expect(status, `${shown} ${bench.faults.join("\n")}`).not.toBe(500);
    expect(acpResponseSchema.safeParse(body).success, shown).toBe(true);
    statuses.add(status);
    if (body.error !== null) codes.add(body.error.code);
    if (body.status !== "ok") return;
    const operation = request.body["operation"] as string;
    const check = checks.get(operation);
    expect(check?.(body), `${shown} ${JSON.stringify(check?.errors)}`).toBe(true);
    answered.add(operation);
  };
  const one = async (request: Sent, index: number): Promise<void> => {
    const id = `fuzz-${index}`;
    const answer = await http.send({ ...request.body, request_id: id }, request.headers);
    judge(request, answer);
    // Of whom nobody knows nothing is read, the id neither.
    if (answer.status !== 401) expect(answer.body.request_id, `seed ${seed}`).toBe(id);
  };
  const sample = fc.sample(await requestsOf(bench, schemas, operations), {
    numRuns: requests,
    seed,
  });
  for (let from = 0; from < sample.length; from += AT_ONCE) {
    await Promise.all(sample.slice(from, from + AT_ONCE).map((each, at) => one(each, from + at)));
  }
  return { answered, operations, codes, statuses };
}

async function requestsOf(
  { http, known, knownOf }: FuzzBench,
  schemas: Readonly<Record<string, JsonObject>>,
  operations: readonly string[],
): Promise<fc.Arbitrary<Sent>> {
  const paramsOf = (name: string): fc.Arbitrary<JsonValue> => {
    const { properties } = schemas[`${name}.request`] as { readonly properties: JsonObject };
    return valuesOf(properties["params"] as JsonObject, { ...known, ...knownOf[name] });
  };
  const requests = fc.constantFrom(...operations).chain((operation) => {
    const valid = paramsOf(operation);
    const params = fc.oneof({ weight: 2, arbitrary: valid }, valid.chain(broken));
    const envelope = { operation: fc.constant(operation), params, ...EXTRAS };
    return fc.record(envelope, { requiredKeys: ["operation", "params"] });
  });
  const bodies = fc.oneof(
    { weight: 12, arbitrary: requests },
    { weight: 1, arbitrary: requests.chain(broken) },
    { weight: 1, arbitrary: fc.record({ operation: fc.constantFrom("no.such", "plan", "plan.") }) },
  );
  return fc.record({ body: bodies as fc.Arbitrary<JsonObject>, headers: await headersOf(http) });
}

const EXTRAS = {
  acp_version: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom("1.0", "1.0.7") },
    fc.constantFrom("2.0", "0.9"),
  ),
  idempotency_key: fc.oneof(
    fc.constantFrom("one", "two", "three"),
    fc.string({ minLength: 1, maxLength: 9 }),
  ),
  deadline_ms: fc.constantFrom(200, 5_000),
};

async function headersOf(http: FuzzBench["http"]): Promise<fc.Arbitrary<Sent["headers"]>> {
  const few = await http.tokenWith(["registry:read"]);
  const stranger = await http.tokenWith(["session:*", "plan:read", "plan:write"], "somebody");
  const revoked = await http.tokens.create({ scopes: ["plan:read"] });
  await http.tokens.revoke(revoked.record.token_id);
  const token = (weight: number, text: string) => ({
    weight,
    arbitrary: fc.constant({ authorization: `Bearer ${text}` }),
  });
  return fc.oneof(
    token(16, http.token),
    token(1, few),
    token(1, stranger),
    token(1, revoked.token),
    { weight: 1, arbitrary: fc.constant({ authorization: "" }) },
  );
}
