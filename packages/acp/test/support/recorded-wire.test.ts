import { expect, test } from "vitest";
import { RecordedWire } from "./recorded-wire.ts";

test("an error answer that is none of the protocol is a fault", async () => {
  const wire = new RecordedWire();
  const writer = wire.agentSide.writable.getWriter();
  const reader = wire.hostSide.readable.getReader();
  for (const error of [{ code: -32602, message: "No." }, { code: "x" }]) {
    void writer.write({ jsonrpc: "2.0", id: 1, error } as never);
    await reader.read();
  }
  expect(wire.faults).toEqual([expect.stringMatching(/^Error: /)]);
});
