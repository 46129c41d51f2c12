import { expect, it } from "vitest";
import { AcpHttpTransport } from "../../src/client/acp-http-transport.ts";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import type { AcpRequest } from "../../src/envelope/acp-request.ts";
import { AcpOperationNotFoundError, AcpVersionMismatchError } from "../../src/errors/acp-error.ts";
import { HttpBench } from "../support/http-bench.ts";

/** Raised in process and by the client; an envelope on the wire. */
const RAISED = [
  [{ operation: "plan.fly" }, AcpOperationNotFoundError, "OPERATION_NOT_FOUND", 404],
  [
    { operation: "plan.list", acp_version: "2.0" },
    AcpVersionMismatchError,
    "VERSION_MISMATCH",
    400,
  ],
] as const;

/** In the answer, everywhere. */
const ANSWERED: readonly (readonly [AcpRequest, string])[] = [
  [{ operation: "plan.status", params: { plan_id: "none" } }, "NOT_FOUND"],
  [{ operation: "plan.status", params: {} }, "VALIDATION_ERROR"],
  [{ operation: "" }, "VALIDATION_ERROR"],
  [{ operation: "session.close", params: { session_id: "none" } }, "NOT_FOUND"],
];

it("exactly two failures are raised, and all others are answered, in process and over HTTP alike", async () => {
  await using bench = await HttpBench.start();
  await using facade = new AcpLocalFacade();
  const transport = new AcpHttpTransport({ token: bench.token });
  await transport.connect(bench.server.url);
  for (const [request, Class, code, status] of RAISED) {
    await expect(facade.dispatch(request)).rejects.toBeInstanceOf(Class);
    await expect(transport.send(request)).rejects.toBeInstanceOf(Class);
    const answer = await bench.send(request);
    expect([answer.status, answer.body.status, answer.body.error?.code]).toEqual([
      status,
      "error",
      code,
    ]);
  }
  for (const [request, code] of ANSWERED) {
    expect((await facade.dispatch(request)).error?.code).toBe(code);
    expect((await transport.send(request)).error?.code).toBe(code);
  }
  await transport.disconnect();
});
