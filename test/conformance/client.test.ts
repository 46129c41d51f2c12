import { beforeAll, expect, test } from "vitest";
import { runScenario } from "../e2e/support/conformance.ts";
import { CONFORMANCE, installPeers } from "../e2e/support/peers.ts";

/** Packages of Linux alone. */
const node = `${CONFORMANCE}/node_modules/node-linux-${process.arch}/bin/node`;

beforeAll(() => installPeers(CONFORMANCE));

/**
 * Every client scenario but those of signing in and of extensions, which the agent has not, and but that of schemas which come back
 * unchanged: models get them converted.
 */
test.each([
  ["initialize", "2025-11-25"],
  ["tools_call", "2025-06-18"],
  ["tools_call", "2025-11-25"],
  ["tools_call", "2026-07-28"],
  ["sse-retry", "2025-11-25"],
  ["request-metadata", "2026-07-28"],
  ["http-standard-headers", "2026-07-28"],
  ["http-custom-headers", "2026-07-28"],
  ["http-invalid-tool-headers", "2026-07-28"],
  ["json-schema-ref-no-deref", "2026-07-28"],
])("the client scenario %s of %s passes", async (scenario, version) => {
  const run = await runScenario({ node, folder: CONFORMANCE }, scenario, version);
  expect(run.code, run.stdout + run.stderr).toBe(0);
  expect(run.stdout + run.stderr).toMatch(/Passed: (\d+)\/\1, 0 failed/);
});
