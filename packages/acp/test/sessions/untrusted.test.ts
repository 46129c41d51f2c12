import { mkdir, writeFile } from "node:fs/promises";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { type HostBench, hostBench, type HostBenchOptions } from "../support/host-bench.ts";

const UNTRUSTED: HostBenchOptions = {
  steps: [{ text: "One." }, { text: "Two." }],
  agent: { trustOnce: false },
};
const NOTE = "This workspace is not trusted";

async function bring({ cwd }: Pick<HostBench, "cwd">, name = "config.json"): Promise<void> {
  await mkdir(`${cwd}/.acumen`, { recursive: true });
  await writeFile(`${cwd}/.acumen/${name}`, "{}");
}

/** What was said since, in order; prompts that a replay shows too. */
function saidFrom(updates: readonly SessionUpdate[], from = 0): string[] {
  return updates
    .slice(from)
    .flatMap((update) =>
      (update.sessionUpdate === "agent_message_chunk" ||
        update.sessionUpdate === "user_message_chunk") &&
      update.content.type === "text" &&
      update.content.text !== ""
        ? [update.content.text]
        : [],
    );
}

async function say({ host }: HostBench, sessionId: string, text: string): Promise<void> {
  await host.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
}

test.each(["config.json", "skillbook.json", "actions.json", "workspace.json"])(
  "a folder that is not trusted and brings %s is said once in the first turn, in every mode, live and after a load",
  async (name) => {
    await using bench = await hostBench({ ...UNTRUSTED, mode: "safe" });
    const { host, cwd, updates } = bench;
    await bring(bench, name);
    const { sessionId } = await host.request("session/new", { cwd, mcpServers: [] });
    expect(saidFrom(updates)).toEqual([]);
    await say(bench, sessionId, "Go.");
    const [note, answer, ...others] = saidFrom(updates);
    expect(note).toContain(`${NOTE}, so what its .acumen folder brings (${name}) does not count.`);
    expect(note).toContain("`/trust`");
    expect(note).toContain("`acumen trust`");
    expect([answer, ...others]).toEqual(["One."]);
    await host.request("session/close", { sessionId });

    const before = updates.length;
    await host.request("session/load", { sessionId, cwd, mcpServers: [] });
    expect(saidFrom(updates, before)).toEqual(["Go.", note, "One."]);
    const loaded = updates.length;
    await say(bench, sessionId, "Again.");
    expect(saidFrom(updates, loaded)).toEqual([note, "Two."]);
    expect(bench.faults).toEqual([]);
  },
);

test("in mode auto it is one note, which says how that acts", async () => {
  await using bench = await hostBench({ ...UNTRUSTED, mode: "auto" });
  const { host, cwd, updates } = bench;
  await bring(bench);
  const { sessionId } = await host.request("session/new", { cwd, mcpServers: [] });
  await say(bench, sessionId, "Go.");
  const said = saidFrom(updates);
  expect(said).toHaveLength(2);
  expect(said[0]).toMatch(
    /^This workspace is not trusted, so .* does not count, and mode auto acts/,
  );
});

test("a command that comes first says it too, and then no turn does", async () => {
  await using bench = await hostBench({ ...UNTRUSTED, mode: "safe" });
  const { host, cwd, updates, model } = bench;
  await bring(bench);
  const { sessionId } = await host.request("session/new", { cwd, mcpServers: [] });
  await say(bench, sessionId, "/mode");
  const [note, answer, ...others] = saidFrom(updates);
  expect(note).toContain(NOTE);
  expect(answer).toContain("Mode safe");
  expect(others).toEqual([]);
  await say(bench, sessionId, "Go.");
  expect(saidFrom(updates).slice(2)).toEqual(["One."]);
  expect(JSON.stringify(model.calls[0]?.prompt)).not.toContain(NOTE);
  await host.request("session/close", { sessionId });
  const before = updates.length;
  await host.request("session/load", { sessionId, cwd, mcpServers: [] });
  expect(saidFrom(updates, before)).toEqual(["/mode", note, answer, "Go.", "One."]);
});

test("nothing is said of a folder that is trusted, or that brings nothing", async () => {
  for (const options of [{ ...UNTRUSTED, agent: { trustOnce: true } }, UNTRUSTED]) {
    await using bench = await hostBench({ ...options, mode: "safe" });
    if (options !== UNTRUSTED) await bring(bench);
    const { sessionId } = await bench.host.request("session/new", {
      cwd: bench.cwd,
      mcpServers: [],
    });
    await say(bench, sessionId, "Go.");
    expect(saidFrom(bench.updates)).toEqual(["One."]);
  }
});
