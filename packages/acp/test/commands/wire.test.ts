import { expect, test } from "vitest";
import { hostBench } from "../support/host-bench.ts";

test("a host's command is answered without the model, which never hears of it, and is shown again by a load", async () => {
  await using bench = await hostBench({ steps: [{ text: "Hi." }] });
  const { host, cwd, updates, faults, model } = bench;
  const { sessionId } = await host.request("session/new", { cwd, mcpServers: [] });
  const say = (text: string) =>
    host.request("session/prompt", {
      sessionId,
      prompt: [
        { type: "text", text },
        { type: "resource_link", name: "open.ts", uri: "file:///open.ts" },
      ],
    });
  const said = (from = 0): string =>
    updates
      .slice(from)
      .flatMap((update) =>
        update.sessionUpdate === "agent_message_chunk" && update.content.type === "text"
          ? [update.content.text]
          : [],
      )
      .join("\n");
  expect(await say("/mode manual")).toMatchObject({ stopReason: "end_turn" });
  expect(said()).toContain("Mode manual: everything is asked.");
  expect(updates).toContainEqual(
    expect.objectContaining({ sessionUpdate: "current_mode_update", currentModeId: "manual" }),
  );
  expect(model.calls).toHaveLength(0);
  await say("/unknown thing");
  expect(said()).toContain("Hi.");
  const asked = JSON.stringify(model.calls[0]?.prompt);
  expect(asked).toContain("/unknown thing");
  expect(asked).not.toContain("/mode manual");
  expect(asked).not.toContain("everything is asked");
  await host.request("session/close", { sessionId });
  const before = updates.length;
  await host.request("session/load", { sessionId, cwd, mcpServers: [] });
  expect(said(before)).toContain("Mode manual: everything is asked.");
  expect(faults).toEqual([]);
});
