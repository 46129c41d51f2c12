import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import type { ModelReply } from "@acumen/testkit";
import type { McpServer, SessionUpdate } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { aceMcpCommand } from "./support/ace-mcp.ts";
import { type AcpHost, type AcpHostOptions, startAcpHost } from "./support/acp-host.ts";
import { acumenCommand, type AgentPlace, agentPlace, untilNoneIn } from "./support/agent-cli.ts";

const MIB = 1024 * 1024;

const EDIT: ModelReply = {
  text: "I mend it.",
  toolCalls: [
    { name: "write_file", input: { path: "limit.js", content: "export const limit = 11;\n" } },
  ],
};
const DONE: ModelReply = { text: "Mended." };

function host(
  place: AgentPlace,
  cwd: string,
  options: Partial<AcpHostOptions> = {},
  args: readonly string[] = [],
): Promise<AcpHost> {
  return startAcpHost(acumenCommand(["acp", ...args]), { cwd, env: place.env, ...options });
}

function textIn(updates: readonly SessionUpdate[], kind: string): string {
  return updates
    .flatMap((update) =>
      update.sessionUpdate === kind && "content" in update && "text" in (update.content as object)
        ? [(update.content as { text: string }).text]
        : [],
    )
    .join("");
}

async function codeOf(refused: Promise<unknown>): Promise<{ code: number; data: unknown }> {
  return refused.then(
    () => expect.fail("it was not refused"),
    (error: { code: number; data: unknown }) => error,
  );
}

describe("acumen acp as a child of a host", () => {
  test("new session, prompt with a permission round trip and a diff, load in a new process, list", async () => {
    await using place = await agentPlace([EDIT, DONE]);
    const cwd = await place.workspace("project");
    await writeFile(`${cwd}/limit.js`, "export const limit = 10;\n");
    await using first = await host(place, cwd);
    const { sessionId } = await first.agent.request("session/new", { cwd, mcpServers: [] });
    expect(first.updates).toEqual([]);
    const answer = await first.agent.request("session/prompt", {
      sessionId,
      prompt: [{ type: "text", text: "Raise the limit." }],
    });
    expect(answer.stopReason).toBe("end_turn");
    expect(await readFile(`${cwd}/limit.js`, "utf8")).toBe("export const limit = 11;\n");
    const [asked] = first.permissions;
    expect(asked?.toolCall.content?.[0]).toMatchObject({
      type: "diff",
      oldText: "export const limit = 10;\n",
      newText: "export const limit = 11;\n",
    });
    const live = first.updatesOf(sessionId);
    const call = live.find(({ sessionUpdate }) => sessionUpdate === "tool_call");
    expect(call).toMatchObject({ status: "pending", toolCallId: asked?.toolCall.toolCallId });
    expect(textIn(live, "agent_message_chunk")).toBe("I mend it.Mended.");
    expect(first.strayLines()).toEqual([]);
    first.process.child.stdin.end();
    expect(await first.process.exited, first.process.stderr()).toEqual({ code: 0, signal: null });

    await using second = await host(place, cwd);
    const { sessions } = await second.agent.request("session/list", { cwd });
    expect(sessions).toMatchObject([{ sessionId, cwd, title: "Raise the limit." }]);
    await second.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
    const replayed = second.updatesOf(sessionId);
    expect(textIn(replayed, "user_message_chunk")).toBe("Raise the limit.");
    expect(textIn(replayed, "agent_message_chunk")).toBe("I mend it.Mended.");
    expect(replayed.filter(({ sessionUpdate }) => sessionUpdate === "tool_call")).toHaveLength(1);
    expect(second.strayLines()).toEqual([]);
  });

  test("a cancelled prompt is answered `cancelled`, and the next one is served", async () => {
    let asked = 0;
    await using place = await agentPlace(() => {
      asked += 1;
      return asked === 1
        ? { text: "word ".repeat(2_000), chunkSize: 5, delayMs: 20 }
        : { text: "Still here." };
    });
    const cwd = await place.workspace("project");
    await using it = await host(place, cwd);
    const { sessionId } = await it.agent.request("session/new", { cwd, mcpServers: [] });
    const prompt = (text: string): Promise<{ stopReason: string }> =>
      it.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
    const running = prompt("Go on for long.");
    await it.untilUpdate(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk");
    const started = performance.now();
    await it.agent.notify("session/cancel", { sessionId });
    expect(await running).toEqual({ stopReason: "cancelled" });
    expect(performance.now() - started).toBeLessThan(3_000);
    expect(await prompt("And now?")).toEqual({ stopReason: "end_turn" });
  });

  test("a session that another process has open is locked, not served twice", async () => {
    await using place = await agentPlace([DONE]);
    const cwd = await place.workspace("project");
    await using first = await host(place, cwd);
    const { sessionId } = await first.agent.request("session/new", { cwd, mcpServers: [] });
    await using second = await host(place, cwd);
    const load = { sessionId, cwd, mcpServers: [] };
    const refused = await codeOf(second.agent.request("session/load", load));
    expect(refused).toMatchObject({ code: -32603, data: { code: "SESSION_LOCKED" } });
    await first.agent.request("session/close", { sessionId });
    await second.agent.request("session/load", load);
  });

  test("an MCP server that the host brings is used, and ends with the session", async () => {
    let asked = false;
    await using place = await agentPlace((request) => {
      const ask = request.tools.find(({ name }) => name.endsWith("ace_ask"));
      if (ask === undefined) return { text: "Not yet." };
      if (asked) return { text: "Asked." };
      asked = true;
      const input = { session_id: "s", question: "Which team?" };
      return { toolCalls: [{ name: ask.name, input }] };
    });
    const cwd = await place.workspace("project");
    await using it = await host(place, cwd);
    const { command, args } = aceMcpCommand();
    const env = [
      { name: "ACE_MCP_DEFAULT_MODEL", value: "builtin/recall" },
      { name: "ACE_MCP_SKILLBOOK_ROOT", value: place.folder.path },
    ];
    const skills: McpServer = { name: "skills", command, args: [...args], env };
    const { sessionId } = await it.agent.request("session/new", { cwd, mcpServers: [skills] });
    // A prompt waits for servers for two seconds, which a busy machine may need for the start alone.
    const text = (): string => textIn(it.updatesOf(sessionId), "agent_message_chunk");
    while (!text().endsWith("Asked.")) {
      await it.agent.request("session/prompt", {
        sessionId,
        prompt: [{ type: "text", text: "Ask the skills server." }],
      });
    }
    expect(it.permissions).toHaveLength(1);
    expect(
      it
        .updatesOf(sessionId)
        .filter((update) => "status" in update && update.status === "completed"),
    ).toHaveLength(1);
    await it.agent.request("session/close", { sessionId });
    it.connection.close();
    it.process.child.stdin.end();
    expect(await it.process.exited).toMatchObject({ code: 0 });
    await untilNoneIn(cwd, 2_000);
  });

  test("a prompt of 12 MiB is taken, one of 13 MiB refused with -32602, and the process lives", async () => {
    await using place = await agentPlace([DONE, DONE]);
    const cwd = await place.workspace("project");
    await using it = await host(place, cwd);
    const prompt = async (text: string): Promise<{ stopReason: string }> => {
      const { sessionId } = await it.agent.request("session/new", { cwd, mcpServers: [] });
      return it.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
    };
    const refused = await codeOf(prompt("x".repeat(13 * MIB)));
    expect(refused.code).toBe(-32602);
    // Nearly 12 MiB: the rest of the message counts as well. Whatever the model makes of it, it was no bad parameter.
    const taken = await prompt("x".repeat(12 * MIB - 4_096)).catch((error: unknown) => error);
    expect(taken).not.toMatchObject({ code: -32602 });
    expect(await prompt("Short.").then(({ stopReason }) => stopReason, String)).toBe("end_turn");
  });

  test("lines that are no message are answered, logs go to stderr as JSON, and nothing is coloured", async () => {
    await using place = await agentPlace([DONE]);
    const cwd = await place.workspace("project");
    const env = { ...place.env, ACUMEN_LOG: "debug", FORCE_COLOR: "3" };
    await using it = await host(place, cwd, { env });
    const { stdin } = it.process.child;
    stdin.write('{oops\n[]\n42\n\u0000\n{"jsonrpc":"2.0","id":"m","method":"no/such"}\n');
    stdin.write('{"id":5,"method":"initialize","params":{"protocolVersion":1}}\n');
    stdin.write('{"jsonrpc":"2.0","id":99,"result":{}}\n');
    await it.process.waitFor("stdout", '"id":"m"');
    const { sessionId } = await it.agent.request("session/new", { cwd, mcpServers: [] });
    expect(sessionId).not.toBe("");
    const answered = (code: number): number =>
      it.process.stdout().split(`"error":{"code":${code},`).length - 1;
    expect([-32700, -32600, -32601].map(answered)).toEqual([2, 3, 1]);
    expect(it.strayLines()).toEqual([]);
    expect(it.process.stdout()).not.toContain("\u001b");
    const logged = it.process.stderr().split("\n").slice(0, -1);
    expect(logged.filter((line) => !isLogLine(line))).toEqual([]);
    expect(logged.length).toBeGreaterThan(0);
    expect(it.process.stderr()).not.toContain("\u001b");
  });
});

function isLogLine(line: string): boolean {
  const record = JSON.parse(line) as Record<string, unknown>;
  return typeof record["level"] === "string" && typeof record["time"] === "string";
}

test("acumen acp --check needs no host", async () => {
  await using place = await agentPlace([]);
  const cwd = await place.workspace("project");
  await using check = place.start(["acp", "--check"], cwd);
  expect((await check.exited).code).toBe(0);
  expect(check.stdout()).toContain("A host that begins a session here asks openai_compatible/");
  expect(existsSync(`${place.home}/sessions`)).toBe(false);
});
