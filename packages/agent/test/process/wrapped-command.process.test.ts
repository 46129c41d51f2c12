import { expect, test } from "vitest";
import type { ProgramCommand, WrapCommand } from "../../src/index.ts";
import { ChangingSource } from "../mcp/live/changing-source.ts";
import { expectGone, liveServers } from "../mcp/live/live-servers.ts";
import { payloadsOf, testAgent } from "../turn/test-agent.ts";

const bash = (input: object): object => ({ toolCalls: [{ tool: "bash", input }] });

test("every program of a session is started through the host's wrap: waited for, beside it, and of servers", async () => {
  await using live = await liveServers();
  const source = new ChangingSource([await live.server("notes", { tools: ["add_note"] })]);
  const seen: ProgramCommand[] = [];
  const wrapCommand: WrapCommand = (command) => {
    seen.push(command);
    return { file: "/usr/bin/env", args: ["WRAPPED=yes", command.file, ...command.args] };
  };
  await using one = await testAgent({
    steps: [
      bash({ command: "echo exec $WRAPPED" }),
      bash({ action: "start", command: "echo start $WRAPPED; exit 3" }),
      bash({ action: "logs", process_id: "bg_1" }),
      { text: "done" },
    ],
    permissions: { allow: ["mcp(*/*)"] },
    agent: { mcp: { sourceFor: () => source } },
    session: { mcp: { wait: "settled" }, operations: { wrapCommand } },
  });
  await one.prompt("go");
  const results = payloadsOf(one.session.events, "TOOL_RESULT").map(({ output }) =>
    JSON.stringify(output),
  );
  expect(results[0]).toContain("exec yes");
  expect(results[2]).toContain("start yes");
  expect(seen.map(({ purpose }) => purpose).toSorted()).toEqual([
    "command",
    "command",
    "mcp_server",
  ]);
  expect(seen.every(({ cwd }) => cwd === one.cwd)).toBe(true);
  await one.session.close();
  expectGone(await live.starts("notes"));
});

test("a wrap that fails starts nothing", async () => {
  await using one = await testAgent({
    steps: [bash({ command: "touch made" }), { text: "done" }],
    session: {
      operations: {
        wrapCommand: () => {
          throw new Error("no boundary");
        },
      },
    },
  });
  await one.prompt("go");
  const [result] = payloadsOf(one.session.events, "TOOL_RESULT");
  expect(result?.status).toBe("failed");
  expect(JSON.stringify(result?.output)).toContain("no boundary");
});
