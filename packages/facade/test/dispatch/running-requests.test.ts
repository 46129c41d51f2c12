import { z } from "zod";
import { expect, test } from "vitest";
import { LOCAL_PRINCIPAL } from "../../src/access/principal.ts";
import { RunningRequests } from "../../src/dispatch/running-requests.ts";
import { ServiceLocator } from "../../src/dispatch/service-locator.ts";
import { FacadeClosedError } from "../../src/errors/facade-closed.ts";
import { defineOperation, type OperationContext } from "../../src/operations/operation.ts";

const FACTS = {
  principal: LOCAL_PRINCIPAL,
  requestId: "r",
  services: new ServiceLocator({}),
  operations: [],
};

function operationOf(run: (context: OperationContext) => Promise<Record<string, unknown>>) {
  return defineOperation({
    name: "test.run",
    summary: "Runs.",
    params: z.strictObject({}),
    output: z.looseObject({}),
    scope: null,
    mutating: true,
    run: (_params, context) => run(context),
  });
}

test("a close aborts what runs and waits until it has ended", async () => {
  const requests = new RunningRequests();
  const steps: string[] = [];
  const operation = operationOf(async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    steps.push("aborted");
    await new Promise((resolve) => setImmediate(resolve));
    steps.push("ended");
    throw signal.reason as Error;
  });
  const running = requests.run(operation, {}, FACTS, undefined);
  const failing = expect(running).rejects.toBeInstanceOf(FacadeClosedError);
  await requests.close();
  expect(steps).toEqual(["aborted", "ended"]);
  await failing;
});

test("a close waits for what stands around an operation", async () => {
  const requests = new RunningRequests();
  let isOver = false;
  const work = requests.around(
    new Promise((resolve) => setTimeout(resolve, 20)).then(() => (isOver = true)),
    operationOf(async () => ({})),
    undefined,
  );
  await requests.close();
  expect(isOver).toBe(true);
  await work;
});

test("a close does not wait for ever for a service that does not watch its signal", async () => {
  const requests = new RunningRequests({ patienceMs: 10 });
  const never = operationOf(() => new Promise(() => undefined));
  void requests.run(never, {}, FACTS, undefined);
  await requests.close();
});

test("nothing begins after the end of a request", async () => {
  const requests = new RunningRequests();
  let count = 0;
  const counting = operationOf(async () => ({ count: (count += 1) }));
  const late = requests.run(counting, {}, FACTS, AbortSignal.abort());
  await expect(late).rejects.toMatchObject({ code: "FACADE_TIMEOUT", retryable: true });
  expect(count).toBe(0);
});

test("nothing begins after a close", async () => {
  const requests = new RunningRequests();
  let count = 0;
  const counting = operationOf(async () => ({ count: (count += 1) }));
  await requests.run(counting, {}, FACTS, undefined);
  await requests.close();
  expect(() => requests.checkOpen()).toThrow(FacadeClosedError);
  expect(() => requests.run(counting, {}, FACTS, undefined)).toThrow(FacadeClosedError);
  expect(count).toBe(1);
});
