import { expect, it, vi } from "vitest";
import type { SessionService } from "../../src/services/session-service.ts";
import { HttpBench } from "../support/http-bench.ts";

function create(title: string, key?: string) {
  return {
    operation: "session.create",
    params: { title },
    ...(key !== undefined && { idempotency_key: key }),
  };
}

it("a keyed change is carried out once and answered again, with the id of the repetition", async () => {
  await using bench = await HttpBench.start();
  const first = await bench.send({ ...create("a"), request_id: "one" }, { "idempotency-key": "k" });
  expect(first.headers.get("idempotency-replayed")).toBeNull();
  const again = await bench.send({ ...create("a", "k"), request_id: "two" });
  expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
  expect(again.body).toMatchObject({ request_id: "two", data: first.body.data });
  const { items } = await bench.store.sessions({ owner: "local", limit: 10 });
  expect(items).toHaveLength(1);
});

it("the same key with other parameters is 422; another token has keys of its own", async () => {
  await using bench = await HttpBench.start();
  await bench.send(create("a", "k"));
  const other = await bench.send(create("b", "k"));
  expect([other.status, other.body.error?.code]).toEqual([422, "IDEMPOTENCY_MISMATCH"]);
  const token = await bench.tokenWith(["session:*"]);
  const own = await bench.send(create("b", "k"), { authorization: `Bearer ${token}` });
  expect([own.status, own.headers.get("idempotency-replayed")]).toEqual([200, null]);
});

it("a key in the header and another in the body contradict each other", async () => {
  await using bench = await HttpBench.start();
  const answer = await bench.send(create("a", "k"), { "idempotency-key": "other" });
  expect([answer.status, answer.body.error?.code]).toEqual([400, "VALIDATION_ERROR"]);
});

it("while the first one runs the second is 409 with the time to wait", async () => {
  let goOn: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => void (goOn = resolve));
  const create_ = vi.fn<SessionService["create"]>(async () => {
    await gate;
    throw new Error("enough");
  });
  const sessions: SessionService = { create: create_, delete: () => Promise.reject(new Error()) };
  await using bench = await HttpBench.start({ services: { session_service: sessions } });
  const first = bench.send(create("a", "k"));
  await vi.waitFor(() => expect(create_).toHaveBeenCalledOnce());
  const second = await bench.send(create("a", "k"));
  expect([second.status, second.headers.get("retry-after")]).toEqual([409, "1"]);
  expect(second.body.error).toMatchObject({ code: "CONFLICT", retryable: true });
  goOn();
  expect((await first).status).toBe(500);
});
