import { expect, it } from "vitest";
import { HttpBench } from "../support/http-bench.ts";

it("what comes over HTTP comes through dispatch: the same log tells of it, and the same record is read in process", async () => {
  await using bench = await HttpBench.start();
  const task = { action_name: "builtin/task", arguments: { prompt: "x" } };
  const { body } = await bench.send({ operation: "plan.create", params: task });
  const planId = body.data["plan_id"] as string;
  const events = await bench.queue.getEvents();
  expect(events).toMatchObject([{ event_type: "plan.created", plan_id: planId }]);
  expect(await bench.store.plan("local", planId)).toMatchObject({ version: 1 });
});
