import { expect, it } from "vitest";
import { HttpBench } from "../support/http-bench.ts";

it("a change that is sent twice with one key is made once, also when both come at the same time", async () => {
  await using bench = await HttpBench.start();
  const requests = [
    { operation: "session.create", params: { title: "a" }, idempotency_key: "k" },
    {
      operation: "plan.create",
      params: { action_name: "builtin/task", arguments: { prompt: "Do it." } },
      idempotency_key: "k",
    },
  ];
  for (const request of requests) {
    const answers = await Promise.all([1, 2, 3, 4].map(() => bench.send(request)));
    const statuses = answers.map(({ status }) => status).filter((status) => status !== 409);
    expect(new Set(statuses)).toEqual(new Set([200]));
    const again = await bench.send(request);
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
  }
  const query = { owner: "local", limit: 10 };
  expect((await bench.store.sessions(query)).items).toHaveLength(1);
  expect((await bench.store.plans(query)).items).toHaveLength(1);
});
