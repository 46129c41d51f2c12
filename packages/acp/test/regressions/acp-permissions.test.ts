import type { PermissionOptionKind, RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { type HostBench, hostBench } from "../support/host-bench.ts";

// Reports on other agents of the protocol; the numbers are those of the list that was gathered before the server was built.

function calls(...commands: string[]): unknown[] {
  return [
    ...commands.map((command, index) => ({
      toolCalls: [{ id: `c${index + 1}`, tool: "bash", input: { command } }],
    })),
    { text: "Done." },
  ];
}

interface Answered extends AsyncDisposable {
  readonly bench: HostBench;
  readonly asked: readonly RequestPermissionRequest[];
  readonly stopReason: unknown;
  readonly statuses: readonly unknown[];
}

/** A host that always takes the first option of a kind. */
async function answered(kind: PermissionOptionKind, steps: unknown[]): Promise<Answered> {
  const asked: RequestPermissionRequest[] = [];
  const bench = await hostBench({
    steps,
    permission: (request) => {
      asked.push(request);
      const optionId = request.options.find((option) => option.kind === kind)?.optionId ?? "none";
      return { outcome: { outcome: "selected", optionId } };
    },
  });
  const { host, cwd, updates } = bench;
  const { sessionId } = await host.request("session/new", { cwd, mcpServers: [] });
  const prompt = [{ type: "text" as const, text: "Work." }];
  const answer = await host.request("session/prompt", { sessionId, prompt });
  expect(bench.faults).toEqual([]);
  const ends = updates.flatMap((update) =>
    update.sessionUpdate === "tool_call_update" && update.status !== "in_progress"
      ? [update.status]
      : [],
  );
  return {
    bench,
    asked,
    stopReason: (answer as { stopReason: unknown }).stopReason,
    statuses: ends,
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  };
}

test("report 40: always holds for the same command, and for nothing else", async () => {
  await using turn = await answered("allow_always", calls("echo a", "echo a", "echo b"));
  expect(turn.asked.map(({ toolCall }) => toolCall.title)).toEqual(["echo a", "echo b"]);
  expect(turn.statuses).toEqual(["completed", "completed", "completed"]);
});

test("report 40: a rejection for always is remembered too", async () => {
  await using turn = await answered("reject_always", calls("echo a", "echo a"));
  expect(turn.asked).toHaveLength(1);
  expect(turn.statuses).toEqual(["failed", "failed"]);
});

test("report 41: that something was selected is no consent", async () => {
  await using turn = await answered("reject_once", calls("touch made.txt"));
  expect(turn.statuses).toEqual(["failed"]);
  expect(turn.stopReason).toBe("end_turn");
});

test("report 42: a refusal is always offered, and refusing does not end the turn", async () => {
  await using turn = await answered("reject_once", calls("echo a", "echo $(date)"));
  for (const { options } of turn.asked) {
    const kinds = options.map(({ kind }) => kind);
    expect(kinds).toContain("reject_once");
    expect(new Set(kinds).size).toBe(kinds.length);
  }
  expect(turn.asked).toHaveLength(2);
  expect(turn.stopReason).toBe("end_turn");
});
