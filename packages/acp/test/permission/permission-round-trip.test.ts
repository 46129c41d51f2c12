import type { SessionEvent } from "@acumen/agent";
import { RequestError, type RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { type HostBench, hostBench, type HostBenchOptions } from "../support/host-bench.ts";

const PROMPT = [{ type: "text" as const, text: "Write." }];

function writing(...paths: string[]): unknown[] {
  return [
    ...paths.map((path, index) => ({
      toolCalls: [{ id: `c${index + 1}`, tool: "write_file", input: { path, content: "x\n" } }],
    })),
    { text: "Done." },
  ];
}

async function ask(
  bench: HostBench,
): Promise<{ readonly stopReason: string; readonly events: readonly SessionEvent[] }> {
  const { host, cwd, agent } = bench;
  const { sessionId } = await host.request("session/new", { cwd, mcpServers: [] });
  const answered = await host.request("session/prompt", { sessionId, prompt: PROMPT });
  const { stopReason } = answered as { readonly stopReason: string };
  return { stopReason, events: (await agent.store.read(sessionId)).events };
}

function decisions(events: readonly SessionEvent[]): unknown[] {
  return events.flatMap(({ type, payload }) =>
    type === "APPROVAL_DECIDED" ? [[payload.decision, payload.by]] : [],
  );
}

const BROKEN: readonly (readonly [string, NonNullable<HostBenchOptions["permission"]>, unknown])[] =
  [
    ["an unknown option", () => answer("maybe"), ["reject_once", "user"]],
    ["no answer", () => ({}) as RequestPermissionResponse, ["reject_once", "nobody"]],
    [
      "a host that fails",
      () => {
        throw new Error("window closed");
      },
      ["reject_once", "nobody"],
    ],
    [
      "a host that knows no permissions",
      () => {
        throw RequestError.methodNotFound("session/request_permission");
      },
      ["reject_once", "nobody"],
    ],
  ];

test.each(BROKEN)("%s is a refusal, and the turn goes on", async (_name, permission, decision) => {
  await using bench = await hostBench({ steps: writing("a.txt"), permission });
  const { stopReason, events } = await ask(bench);
  expect(stopReason).toBe("end_turn");
  expect(decisions(events)).toEqual([decision]);
  expect(bench.model.calls).toHaveLength(2);
  const end = bench.updates.findLast(({ sessionUpdate }) => sessionUpdate === "tool_call_update");
  expect(end).toMatchObject({ toolCallId: "c1", status: "failed" });
  expect(JSON.stringify(end)).toContain("it did not run");
  expect(bench.faults).toEqual([]);
});

test("a host that never answers does not hold a cancelled turn, and its late answer changes nothing", async () => {
  let isAsked = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  let answerLate = (_response: RequestPermissionResponse): void => undefined;
  await using bench = await hostBench({
    steps: writing("a.txt"),
    permission: () => {
      isAsked();
      return new Promise((resolve) => {
        answerLate = resolve;
      });
    },
  });
  const { host, cwd, agent } = bench;
  const { sessionId } = await host.request("session/new", { cwd, mcpServers: [] });
  const running = host.request("session/prompt", { sessionId, prompt: PROMPT });
  await begun;
  const startedAt = performance.now();
  await host.notify("session/cancel", { sessionId });
  expect(await running).toMatchObject({ stopReason: "cancelled" });
  expect(performance.now() - startedAt).toBeLessThan(3_000);
  answerLate(answer("allow_once"));
  const { events } = await agent.store.read(sessionId);
  expect(decisions(events)).toEqual([["cancelled", "user"]]);
  const next = await host.request("session/prompt", { sessionId, prompt: PROMPT });
  expect(next).toMatchObject({ stopReason: "end_turn" });
  expect(bench.faults).toEqual([]);
});

test("a permission that the host answers with cancelled ends the turn", async () => {
  await using bench = await hostBench({
    steps: writing("a.txt"),
    permission: () => ({ outcome: { outcome: "cancelled" } }),
  });
  const { stopReason } = await ask(bench);
  expect(stopReason).toBe("cancelled");
  const end = bench.updates.findLast(({ sessionUpdate }) => sessionUpdate === "tool_call_update");
  expect(end).toMatchObject({ toolCallId: "c1", status: "failed" });
  expect(bench.model.calls).toHaveLength(1);
});

test("a protected file has no always", async () => {
  const kinds: string[][] = [];
  await using bench = await hostBench({
    steps: writing("AGENTS.md", "a.txt"),
    permission: ({ options }) => {
      kinds.push(options.map(({ kind }) => kind));
      return answer("allow_once");
    },
  });
  await ask(bench);
  expect(kinds).toEqual([
    ["allow_once", "reject_once"],
    ["allow_once", "allow_always", "reject_once", "reject_always"],
  ]);
});

function answer(optionId: string): RequestPermissionResponse {
  return { outcome: { outcome: "selected", optionId } };
}
