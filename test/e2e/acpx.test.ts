import { mkdir, readFile, writeFile } from "node:fs/promises";
import {
  childEnvironment,
  type ModelScript,
  startProcess,
  type TestProcess,
} from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { aceMcpCommand } from "./support/ace-mcp.ts";
import { acumenCommand, type AgentPlace, agentPlace, untilNoneIn } from "./support/agent-cli.ts";
import { ACPX, installPeers } from "./support/peers.ts";
import { runCommand, type RunResult } from "./support/run-command.ts";

/** acpx needs a newer Node.js than the project; a package of Linux alone. */
const NODE = `${ACPX}/node_modules/node-linux-${process.arch}/bin/node`;
const CLI = `${ACPX}/node_modules/acpx/dist/cli.js`;

/** What a refusal makes acpx end with. */
const REFUSED = 5;

const missing = await installPeers(ACPX, "install").then(
  () => undefined,
  (error: Error) => `acpx is not tested: ${error.message} (about 230 MB).`,
);
if (missing !== undefined) console.warn(missing);

interface Acpx extends AsyncDisposable {
  readonly place: AgentPlace;
  readonly cwd: string;
  run(args: readonly string[]): Promise<RunResult>;
  /** Without waiting for its end. */
  start(args: readonly string[]): TestProcess;
}

/** acpx with a home of its own, for the built `acumen acp` in a new folder. */
async function acpx(script: ModelScript): Promise<Acpx> {
  const place = await agentPlace(script);
  const cwd = await place.workspace("project");
  const home = place.folder.join("acpx-home");
  await mkdir(home);
  const { command, args: agentArgs } = acumenCommand(["acp"]);
  const agent = [command, ...agentArgs].map((word) => `'${word}'`).join(" ");
  const own = [CLI, "--agent", agent, "--cwd", cwd];
  const env = childEnvironment({ ...place.env, HOME: home });
  const run: Acpx["run"] = (args) =>
    runCommand(NODE, [...own, ...args], { cwd, env, timeoutMs: 120_000 });
  return {
    place,
    cwd,
    run,
    start: (args) => startProcess({ command: NODE, args: [...own, ...args] }, { cwd, env }),
    [Symbol.asyncDispose]: async () => {
      // A persistent prompt leaves a process of acpx behind, which has the agent as its child.
      await run(["sessions", "close"]);
      await untilNoneIn(cwd, 10_000);
      await place[Symbol.asyncDispose]();
    },
  };
}

const EDIT = {
  toolCalls: [{ name: "write_file", input: { path: "note.txt", content: "written\n" } }],
};

describe.skipIf(missing !== undefined)(
  `acpx 0.19, a host on the command line${missing === undefined ? "" : ` (${missing})`}`,
  () => {
    test("exec: one prompt, one answer", async () => {
      await using it = await acpx([{ text: "Hello from here." }]);
      const run = await it.run(["--approve-all", "exec", "hi"]);
      expect(run.code, run.stderr).toBe(0);
      expect(run.stdout).toContain("Hello from here.");
      expect(run.stdout).toContain("end_turn");
    });

    test("strict JSON: nothing but messages of the protocol, the answer last", async () => {
      await using it = await acpx([EDIT, { text: "Done." }]);
      const json = ["--format", "json", "--json-strict", "--approve-all"];
      const run = await it.run([...json, "exec", "write"]);
      expect(run.code, run.stderr).toBe(0);
      const lines = run.stdout.trim().split("\n");
      const messages = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(messages.every(({ jsonrpc }) => jsonrpc === "2.0")).toBe(true);
      expect(messages.at(-1)).toMatchObject({ result: { stopReason: "end_turn" } });
      const methods = new Set(messages.map(({ method }) => method));
      expect(methods).toContain("session/request_permission");
      // acpx offers its own file service, which the edit goes through.
      expect(methods).toContain("fs/write_text_file");
      expect(await readFile(`${it.cwd}/note.txt`, "utf8")).toBe("written\n");
    });

    test("deny: the call is refused, the turn goes on, and nothing is written", async () => {
      await using it = await acpx([EDIT, { text: "Then not." }]);
      const run = await it.run(["--deny-all", "exec", "write"]);
      expect(run.code, run.stderr).toBe(REFUSED);
      expect(run.stdout).toContain("Then not.");
      await expect(readFile(`${it.cwd}/note.txt`)).rejects.toThrow("ENOENT");
    });

    test("persistent sessions go on in new processes, keep their mode, and are listed and closed", async () => {
      await using it = await acpx([{ text: "One." }, { text: "Two." }]);
      const opened = await it.run(["sessions", "new"]);
      expect(opened.code, opened.stderr).toBe(0);
      const prompt = ["--approve-all", "--ttl", "1"];
      const first = await it.run([...prompt, "the first question"]);
      expect(first.stdout, first.stderr).toContain("One.");
      const mode = await it.run(["set-mode", "manual"]);
      expect(mode.code, mode.stderr).toBe(0);
      // The process that held the session ends by itself.
      await untilNoneIn(it.cwd, 30_000);
      const second = await it.run([...prompt, "the second question"]);
      expect(second.stdout, second.stderr).toContain("Two.");
      const asked = JSON.stringify(it.place.server.calls[1]);
      expect(asked).toContain("the first question");
      expect(asked).toContain("the second question");
      const list = await it.run(["sessions", "list"]);
      const id = opened.stdout.trim().split("\n").at(-1) ?? "";
      expect(list.stdout).toContain(id);
      // The title is the first line of the first prompt.
      expect(list.stdout).toContain("the first question");
      const shown = it.place.start(["sessions", "show", id, "--json"], it.cwd);
      shown.child.stdin.end();
      await shown.exited;
      expect(shown.stdout()).toContain('"mode":"manual"');
      expect((await it.run(["sessions", "close"])).code).toBe(0);
    });

    test("cancel ends the prompt that runs", async () => {
      await using it = await acpx([{ text: "word ".repeat(3_000), chunkSize: 5, delayMs: 20 }]);
      await it.run(["sessions", "new"]);
      await using running = it.start(["--approve-all", "--ttl", "1", "go on for long"]);
      await running.waitFor("stdout", "word", 60_000);
      const cancel = await it.run(["cancel"]);
      expect(cancel.code, cancel.stderr).toBe(0);
      const { code } = await running.exited;
      expect(code, running.stderr()).toBe(0);
      expect(running.stdout()).toContain("cancelled");
    });

    test("an MCP server that acpx brings is used", async () => {
      let asked = false;
      await using it = await acpx((request) => {
        const ask = request.tools.find(({ name }) => name.endsWith("ace_ask"));
        if (ask === undefined) return { text: "No such tool." };
        if (asked) return { text: "Asked." };
        asked = true;
        const input = { session_id: "s", question: "Which team?" };
        return { toolCalls: [{ name: ask.name, input }] };
      });
      const { command, args } = aceMcpCommand();
      const env = [
        { name: "ACE_MCP_DEFAULT_MODEL", value: "builtin/recall" },
        { name: "ACE_MCP_SKILLBOOK_ROOT", value: it.place.folder.path },
      ];
      const config = it.place.folder.join("mcp.json");
      const mcpServers = [{ name: "skills", type: "stdio", command, args, env }];
      await writeFile(config, JSON.stringify({ mcpServers }));
      const flags = ["--mcp-config", config, "--no-fs", "--no-terminal", "--approve-all"];
      // The first prompt waits for servers for two seconds, which a busy machine may need for the start alone.
      let run = await it.run([...flags, "exec", "ask the server"]);
      if (run.stdout.includes("No such tool.")) run = await it.run([...flags, "exec", "once more"]);
      expect(run.code, run.stderr).toBe(0);
      expect(run.stdout).toContain("Asked.");
    });
  },
);
