import { beforeAll, expect, test } from "vitest";
import { runScenario } from "./support/conformance.ts";
import { installPeers, PEERS } from "./support/peers.ts";

beforeAll(() => installPeers());

test.each(["initialize", "tools_call", "sse-retry"])(
  "the client scenario %s of the conformance suite for Node.js 20 passes",
  async (scenario) => {
    const run = await runScenario({ node: process.execPath, folder: PEERS }, scenario);
    expect(run.code, run.stdout + run.stderr).toBe(0);
    expect(run.stdout + run.stderr).toMatch(/Passed: (\d+)\/\1, 0 failed/);
  },
);
