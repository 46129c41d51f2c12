import { expect, it } from "vitest";
import { AcpHttpTransport } from "../../src/client/acp-http-transport.ts";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import type { AcpResponse } from "../../src/envelope/acp-response.ts";
import { HttpBench } from "../support/http-bench.ts";

/** Whatever differs from run to run. */
function comparable({ status, data, error }: AcpResponse): unknown {
  return { status, keys: Object.keys(data).toSorted(), error };
}

it("the network mode does the same work as the local one", async () => {
  await using bench = await HttpBench.start();
  const transport = new AcpHttpTransport({ token: bench.token });
  await transport.connect(bench.server.url);
  const local = new AcpLocalFacade();
  const requests = [
    { operation: "session.create", params: { title: "one" } },
    { operation: "session.list" },
    { operation: "action.list" },
    { operation: "system.describe" },
    { operation: "event.list" },
    { operation: "plan.status", params: { plan_id: "none" } },
    { operation: "plan.status", params: { plan: "none" } },
  ];
  for (const request of requests) {
    const remote = await transport.send(request);
    expect(comparable(remote)).toEqual(comparable(await local.dispatch(request)));
  }
});
