import { expect, test } from "vitest";
import { benchServer } from "../support/bench-server.ts";
import { hostBench } from "../support/host-bench.ts";

test("keys that are set while the host runs are found without a new start", async () => {
  let missing: string | undefined = "Run `acumen setup`.";
  let opened = 0;
  await using other = await hostBench({ steps: [{ text: "Hi." }] });
  const { agent } = other;
  const on = await benchServer({
    steps: [],
    server: {
      greet: () =>
        Promise.resolve({
          image: true,
          ...(missing !== undefined && { missingCredentials: missing }),
        }),
      open: () => {
        opened += 1;
        return Promise.resolve({
          agent,
          choose: () => Promise.resolve({ model: "scripted/inline", mode: "safe" }),
          models: () => Promise.resolve([]),
        });
      },
    },
  });
  await using bench = await hostBench({ steps: [], on });
  const { host, cwd } = bench;
  await expect.poll(() => opened).toBe(1);
  await expect(host.request("session/new", { cwd, mcpServers: [] })).rejects.toMatchObject({
    code: -32000,
    message: "Run `acumen setup`.",
  });
  missing = undefined;
  expect(await host.request("session/new", { cwd, mcpServers: [] })).toHaveProperty("sessionId");
  await host.request("session/list", {});
  expect(opened).toBe(2);
  await on.end();
  await on.remove();
});
