import { expect, test } from "vitest";
import { hostBench } from "../support/host-bench.ts";

test.each([true, false])("images are taken as it was advertised: %s", async (image) => {
  await using bench = await hostBench({
    steps: [{ text: "Seen." }],
    server: { greet: () => Promise.resolve({ image }) },
  });
  const { host, cwd, initialized, faults } = bench;
  expect(initialized.agentCapabilities?.promptCapabilities?.image).toBe(image);
  const { sessionId } = await host.request("session/new", { cwd, mcpServers: [] });
  const answer = host.request("session/prompt", {
    sessionId,
    prompt: [
      { type: "text", text: "Look." },
      { type: "image", mimeType: "image/png", data: "AAAA" },
    ],
  });
  if (image) expect(await answer).toMatchObject({ stopReason: "end_turn" });
  else
    await expect(answer).rejects.toMatchObject({ code: -32602, data: { path: "prompt.1.type" } });
  expect(faults).toEqual([]);
});

test("what was advertised holds until the host hears something else", async () => {
  let image = true;
  await using bench = await hostBench({
    steps: [{ text: "Seen." }],
    server: { greet: () => Promise.resolve({ image }) },
  });
  const { host, cwd } = bench;
  image = false;
  const { sessionId } = await host.request("session/new", { cwd, mcpServers: [] });
  const prompt = [{ type: "image" as const, mimeType: "image/png", data: "AAAA" }];
  expect(await host.request("session/prompt", { sessionId, prompt })).toMatchObject({
    stopReason: "end_turn",
  });
});
