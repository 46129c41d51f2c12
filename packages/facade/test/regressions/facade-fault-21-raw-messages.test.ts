import { type Logger, silentLogger } from "@acumen/core";
import { expect, it } from "vitest";
import { HttpBench } from "../support/http-bench.ts";

const RAW = "SQLITE_ERROR: near /home/you/.acumen/acumen.db, password=hunter2";

it("the text of an unexpected failure stays in the log, under the id that the client gets", async () => {
  const lines: (readonly [string, Readonly<Record<string, unknown>> | undefined])[] = [];
  const logger: Logger = {
    ...silentLogger,
    error: (message, fields) => void lines.push([message, fields]),
  };
  const fail = (): Promise<never> => Promise.reject(new Error(RAW));
  await using bench = await HttpBench.start({
    logger,
    services: { session_service: { create: fail, delete: fail } },
  });
  const { status, body } = await bench.send({ operation: "session.create", request_id: "r1" });
  expect([status, body.request_id, body.error?.code]).toEqual([500, "r1", "INTERNAL_ERROR"]);
  expect(JSON.stringify(body)).not.toMatch(/SQLITE|hunter2|ann|Error:/);
  const [line] = lines;
  expect(line?.[1]?.["cause"]).toMatchObject({ message: RAW });
  expect(body.error?.details["correlation_id"]).toBe(line?.[1]?.["correlationId"]);
});
