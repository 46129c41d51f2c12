import { execFileSync, spawn } from "node:child_process";
import { closeSync, constants, openSync, readFileSync, readSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import {
  childEnvironment,
  misbehavingServer,
  type ModelScript,
  type TestProcess,
} from "@acumen/testkit";
import type { McpServer } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { type AcpHost, startAcpHost } from "./support/acp-host.ts";
import {
  acumenCommand,
  type AgentPlace,
  agentPlace,
  processesIn,
  untilNoneIn,
} from "./support/agent-cli.ts";

/** The product's own limit. */
const ENDED_WITHIN_MS = 3_000;
/** So many times what a process with nothing to do takes beside it is the machine's share, not the product's. */
const NOISE_TIMES = 3;

const ENDS = [
  ["EOF", 0],
  ["SIGTERM", 143],
  ["SIGINT", 130],
  ["SIGHUP", 129],
] as const;
type End = (typeof ENDS)[number][0];

/** A shell that ignores SIGTERM and has a child of its own. */
const STUBBORN = "trap '' TERM HUP; sleep 300 & wait; sleep 300";

interface Phase {
  readonly name: string;
  /** Default: EOF and SIGTERM. */
  readonly ends?: readonly End[];
  readonly script: ModelScript;
  readonly servers?: readonly McpServer[];
  /** Brings the process there; what it began goes on. */
  readonly reach?: (it: AcpHost, sessionId: string, cwd: string) => Promise<void>;
  /** Refuses or forgets the question. */
  readonly silent?: boolean;
}

const deaf = misbehavingServer("never-initializes");
const stubborn = misbehavingServer("never-reads");
const server = (name: string, { command, args }: typeof deaf): McpServer => ({
  name,
  command,
  args: [...args],
  env: [],
});

function prompt(it: AcpHost, sessionId: string): void {
  // Nobody answers it any more.
  it.agent
    .request("session/prompt", { sessionId, prompt: [{ type: "text", text: "Go." }] })
    .catch(() => undefined);
}

const PHASES: readonly Phase[] = [
  { name: "with an idle session", script: [] },
  {
    name: "in a turn",
    ends: ["EOF", "SIGTERM", "SIGINT", "SIGHUP"],
    script: () => ({ text: "word ".repeat(5_000), chunkSize: 5, delayMs: 10 }),
    reach: async (it, sessionId) => {
      prompt(it, sessionId);
      await it.untilUpdate(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk");
    },
  },
  {
    name: "while a question is open",
    script: () => ({ toolCalls: [{ name: "bash", input: { command: "sleep 300" } }] }),
    silent: true,
    reach: async (it, sessionId) => {
      prompt(it, sessionId);
      await until(() => it.permissions.length > 0);
    },
  },
  {
    name: "while a command runs that ignores signals",
    script: () => ({ toolCalls: [{ name: "bash", input: { command: STUBBORN } }] }),
    reach: async (it, sessionId, cwd) => {
      prompt(it, sessionId);
      await until(async () => (await commandsIn(cwd)).some((line) => line.startsWith("sleep")));
    },
  },
  {
    name: "while MCP servers connect",
    script: [],
    servers: [server("deaf", deaf), server("stubborn", stubborn)],
    reach: async (it, sessionId, cwd) => {
      prompt(it, sessionId);
      await until(async () => (await processesIn(cwd)).length >= 3);
    },
  },
];

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error("It did not come to that.");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function commandsIn(folder: string): Promise<string[]> {
  const pids = await processesIn(folder);
  const read = (pid: string): Promise<string> =>
    readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return Promise.all(pids.map(async (pid) => (await read(pid)).replaceAll("\0", " ")));
}

/** How long a process lives that does nothing: 50 ms on an idle machine, seconds on one that has no time for anybody. */
async function idleProcessMs(): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, ["-e", "0"], { stdio: "ignore" });
  await new Promise((resolve) => child.once("exit", resolve));
  return performance.now() - started;
}

/** Resolves when a process has used next to no time of a processor for a second. */
async function untilQuiet(pid: number): Promise<void> {
  const usedMs = (): number => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return 10 * (Number(fields[11]) + Number(fields[12]));
  };
  await until(async () => {
    const before = usedMs();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return usedMs() - before <= 30;
  });
}

/** Expects the limit, with what a busy machine adds to it. */
async function expectInTime(ms: number, before: number): Promise<void> {
  const noise = Math.max(before, await idleProcessMs());
  expect(ms, `with ${Math.round(noise)} ms for an idle process`).toBeLessThan(
    ENDED_WITHIN_MS + NOISE_TIMES * noise,
  );
}

async function ended(child: TestProcess, end: End): Promise<{ code: unknown; ms: number }> {
  const started = performance.now();
  if (end === "EOF") child.child.stdin.end();
  else child.kill(end);
  const { code, signal } = await child.exited;
  return { code: code ?? signal, ms: performance.now() - started };
}

async function hostIn(
  place: AgentPlace,
  cwd: string,
  { servers = [], silent = false }: Pick<Phase, "servers" | "silent">,
): Promise<{ it: AcpHost; sessionId: string }> {
  const it = await startAcpHost(acumenCommand(["acp"]), {
    cwd,
    env: place.env,
    ...(silent && { permission: () => new Promise(() => undefined) }),
  });
  const mcpServers = [...servers];
  const { sessionId } = await it.agent.request("session/new", { cwd, mcpServers });
  return { it, sessionId };
}

const CASES = ENDS.flatMap(([end, code]) =>
  PHASES.filter(({ ends = ["EOF", "SIGTERM"] }) => ends.includes(end)).map((phase) => ({
    end,
    code,
    phase,
    name: phase.name,
  })),
);

describe("within three seconds", () => {
  test.each(CASES)("$end $name ends everything", async ({ end, code, phase }) => {
    await using place = await agentPlace(phase.script);
    const cwd = await place.workspace("project");
    const { it, sessionId } = await hostIn(place, cwd, phase);
    await using host = it;
    await phase.reach?.(host, sessionId, cwd);
    const noise = await idleProcessMs();
    const outcome = await ended(host.process, end);
    await expectInTime(outcome.ms, noise);
    await untilNoneIn(cwd, 1_000);
    expect(outcome.code, host.process.stderr()).toBe(code);
    expect(host.strayLines()).toEqual([]);
    // The log is whole: each of its lines is a record.
    const log = await logOf(place, sessionId);
    expect(
      log
        .split("\n")
        .slice(0, -1)
        .every((line) => JSON.parse(line)),
    ).toBe(true);
    expect(log.endsWith("\n")).toBe(true);
    if (end !== "EOF") return;
    await using again = await startAcpHost(acumenCommand(["acp"]), { cwd, env: place.env });
    await again.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
  });

  test.each(ENDS)("%s before anything was said ends the process with %i", async (end, code) => {
    await using place = await agentPlace([]);
    const cwd = await place.workspace("project");
    await using child = place.start(["acp"], cwd);
    // Signals of a process that is not up yet have Node's own effect.
    child.child.stdin.write("{oops\n");
    await child.waitFor("stdout", "-32700", 60_000);
    expect((await ended(child, end)).code).toBe(code);
    expect(child.stderr()).not.toContain(" at ");
  });
});

async function logOf(place: AgentPlace, sessionId: string): Promise<string> {
  const files = await readdir(place.home, { recursive: true });
  const [name] = files.filter((file) => file.includes(sessionId) && file.endsWith(".jsonl"));
  return readFile(`${place.home}/${name ?? expect.fail("no log")}`, "utf8");
}

describe("report 59: a host that is gone in other ways", () => {
  test("a closed stdout ends the process quietly", async () => {
    await using place = await agentPlace([]);
    const cwd = await place.workspace("project");
    const { it, sessionId } = await hostIn(place, cwd, {});
    await using host = it;
    host.process.child.stdout.destroy();
    // It is noticed with the next answer.
    for (let id = 0; id < 5; id += 1)
      host.process.child.stdin.write(
        `${JSON.stringify({ jsonrpc: "2.0", id, method: "session/list", params: {} })}\n`,
      );
    await host.process.exited;
    expect(host.process.stderr()).toBe("");
    await using again = await startAcpHost(acumenCommand(["acp"]), { cwd, env: place.env });
    await again.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
  });

  test("SIGKILL leaves a session that another process may open, and no server", async () => {
    await using place = await agentPlace([]);
    const cwd = await place.workspace("project");
    const well = server("well", misbehavingServer("well"));
    const { it, sessionId } = await hostIn(place, cwd, { servers: [well] });
    await using host = it;
    await until(async () => (await processesIn(cwd)).length >= 2);
    host.process.kill("SIGKILL");
    await host.process.exited;
    await untilNoneIn(cwd, 4_000);
    await using again = await startAcpHost(acumenCommand(["acp"]), { cwd, env: place.env });
    await again.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
  });

  test.each(["SIGTERM", "EOF"] as const)(
    "one that never reads a full pipe does not keep the process: %s",
    async (end) => {
      await using place = await agentPlace(() => ({
        text: "word ".repeat(200_000),
        chunkSize: 20_000,
      }));
      const cwd = await place.workspace("project");
      const fifo = place.folder.join("stdout");
      execFileSync("mkfifo", [fifo]);
      const reading = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
      const writing = openSync(fifo, constants.O_WRONLY);
      const { command, args } = acumenCommand(["acp"]);
      const child = spawn(command, args, {
        cwd,
        env: childEnvironment(place.env),
        stdio: ["pipe", writing, "pipe"],
      });
      closeSync(writing);
      const exited = new Promise((resolve) => {
        child.once("exit", (code, signal) => resolve({ code, signal }));
      });
      const send = (id: number, method: string, params: object): void => {
        child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      };
      send(1, "initialize", { protocolVersion: 1 });
      let answers = "";
      const buffer = Buffer.alloc(65_536);
      const untilAnswered = (id: number): Promise<void> =>
        until(() => {
          try {
            answers += buffer.toString("utf8", 0, readSync(reading, buffer));
          } catch {
            // Nothing there yet.
          }
          return answers.includes(`"id":${id},`);
        });
      await untilAnswered(1);
      send(2, "session/new", { cwd, mcpServers: [] });
      await untilAnswered(2);
      const [, sessionId = ""] = /"sessionId":"([^"]+)"/.exec(answers) ?? [];
      const prompt = [{ type: "text", text: "Go." }];
      for (let id = 3; id < 30; id += 1) send(id, "session/prompt", { sessionId, prompt });
      await place.server.untilRequests(1, 60_000);
      for (let id = 30; id < 3_000; id += 1) send(id, "session/list", {});
      // What it can do of all this is the machine's time too, and not part of its end.
      await untilQuiet(child.pid ?? 0);
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
      expect(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024).toBeLessThan(400);
      const noise = await idleProcessMs();
      const started = performance.now();
      if (end === "EOF") child.stdin?.end();
      else child.kill(end);
      const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
      expect(await exited).toEqual({ code: end === "EOF" ? 0 : 143, signal: null });
      clearTimeout(timer);
      await expectInTime(performance.now() - started, noise);
      closeSync(reading);
    },
  );
});
