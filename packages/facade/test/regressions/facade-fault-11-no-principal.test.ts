import { expect, it } from "vitest";
import { HttpBench } from "../support/http-bench.ts";

it("who asks is known from the token, never from the auth of the request, and sees only what is its own", async () => {
  await using bench = await HttpBench.start();
  const made = await bench.send({ operation: "session.create" });
  const id = made.body.data["session_id"];
  const stranger = { authorization: `Bearer ${await bench.tokenWith(["session:*"], "ann")}` };
  const auth = { owner: "local", token: bench.token, scopes: ["plan:apply"] };
  const get = { operation: "session.get", params: { session_id: id }, auth };
  const seen = await bench.send(get, stranger);
  expect([seen.status, seen.body.error?.code]).toEqual([404, "NOT_FOUND"]);
  const apply = { operation: "plan.apply", params: { plan_id: "x" }, auth };
  const applied = await bench.send(apply, stranger);
  expect([applied.status, applied.body.error?.details]).toEqual([403, { scope: "plan:apply" }]);
  const nobody = await bench.send({ ...get }, { authorization: "" });
  expect([nobody.status, nobody.body.error?.code]).toEqual([401, "AUTH_ERROR"]);
  expect((await bench.send({ ...get })).status).toBe(200);
});

it("an auth that is no object is refused and not repeated", async () => {
  await using bench = await HttpBench.start();
  const { status, body } = await bench.send({ operation: "session.list", auth: bench.token });
  expect(status).toBe(400);
  expect(JSON.stringify(body)).not.toContain(bench.token);
});
