import { expect, test, vi } from "vitest";
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
          choose: () =>
            Promise.resolve({
              model: "scripted/inline",
              mode: "safe",
              ...(missing !== undefined && { missingCredentials: missing }),
            }),
          models: () => Promise.resolve([]),
        });
      },
    },
  });
  await using bench = await hostBench({ steps: [], on });
  const { host, cwd } = bench;
  await vi.waitFor(() => expect(opened).toBe(1));
  await expect(host.request("session/new", { cwd, mcpServers: [] })).rejects.toMatchObject({
    code: -32000,
    message: "Run `acumen setup`.",
  });
  missing = undefined;
  expect(await host.request("session/new", { cwd, mcpServers: [] })).toHaveProperty("sessionId");
  await on.end();
  await on.remove();
});

test("a session has the agent of its time: a former one goes on when settings have changed", async () => {
  await using one = await hostBench({ steps: [{ text: "One." }, { text: "Still one." }] });
  await using other = await hostBench({ steps: [{ text: "Other." }] });
  let { agent } = one;
  const on = await benchServer({
    steps: [],
    server: {
      open: () =>
        Promise.resolve({
          agent,
          choose: () => Promise.resolve({ model: "scripted/inline", mode: "safe" }),
          models: () => Promise.resolve([]),
        }),
    },
  });
  await using bench = await hostBench({ steps: [], on });
  const { host, cwd } = bench;
  const begin = async (): Promise<string> =>
    (await host.request("session/new", { cwd, mcpServers: [] })).sessionId;
  const says = async (sessionId: string): Promise<void> => {
    const prompt = [{ type: "text" as const, text: "Speak." }];
    await host.request("session/prompt", { sessionId, prompt });
  };
  const first = await begin();
  await says(first);
  ({ agent } = other);
  const second = await begin();
  await says(first);
  await says(second);
  const texts = bench.updates.flatMap((update) =>
    update.sessionUpdate === "agent_message_chunk" && update.content.type === "text"
      ? [update.content.text]
      : [],
  );
  expect(texts).toEqual(["One.", "Still one.", "Other."]);
  await host.request("session/close", { sessionId: first });
  await host.request("session/close", { sessionId: second });
  await on.end();
  await on.remove();
});
