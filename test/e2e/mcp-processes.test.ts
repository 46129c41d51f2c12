import { mkdir, readFile, writeFile } from "node:fs/promises";
import { WorkspaceTrust } from "@acumen/agent";
import {
  childEnvironment,
  type MisbehavingMode,
  misbehavingServer,
  sourceCommand,
  startProcess,
  type TestProcess,
} from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { processesIn, untilNoneIn } from "./support/agent-cli.ts";
import { asDefinition, calling } from "./support/mcp-session.ts";
import { chatPlace, HAS_SCRIPT } from "./support/pseudo-terminal.ts";

const BIN = new URL("../../packages/cli/src/bin.ts", import.meta.url);
/** The contract says two seconds; a busy machine gets some more. */
const GONE_WITHIN_MS = 5_000;
const START_MS = 60_000;

/** Servers that do not want to end, with everything that they start. */
const STUBBORN: readonly MisbehavingMode[] = [
  "ignores-sigterm",
  "ignores-stdin-end",
  "grandchild",
  "grandchild-that-ignores-sigterm",
  "launcher",
];
/** One of each, and what they started. */
const STUBBORN_PROCESSES = STUBBORN.length + 3;
const HANGS = calling(["hang_echo"]);

type Place = Awaited<ReturnType<typeof chatPlace>> & { readonly log: string };

/** A trusted workspace with stubborn servers, and one whose tool `hang_echo` never answers. */
async function stubbornPlace(steps: readonly object[]): Promise<Place> {
  const place = await chatPlace({ steps });
  const log = `${place.home}/hang.log`;
  const servers = Object.fromEntries(
    STUBBORN.map((mode) => [mode, asDefinition(misbehavingServer(mode, { prefix: `${mode}_` }))]),
  );
  const hang = asDefinition(misbehavingServer("hang-in-call", { prefix: "hang_", log }));
  const choice = { enabledMcpServers: [...STUBBORN, "hang"] };
  await mkdir(`${place.workspace}/.acumen`);
  await mkdir(place.home, { recursive: true });
  await writeFile(`${place.home}/mcp.json`, JSON.stringify({ mcpServers: { ...servers, hang } }));
  await writeFile(`${place.workspace}/.acumen/workspace.json`, JSON.stringify(choice));
  const trust = new WorkspaceTrust({ home: place.home, environment: childEnvironment() });
  await trust.trust(place.workspace);
  return { ...place, log };
}

function environmentOf({ home, model }: Place): Record<string, string> {
  return { ACUMEN_HOME: home, ACUMEN_MODEL: model };
}

function startRun(place: Place): TestProcess {
  const run = startProcess(sourceCommand(BIN, ["run", "--mode", "auto", "Go."]), {
    cwd: place.workspace,
    env: environmentOf(place),
  });
  run.child.stdin.end();
  return run;
}

/** Resolves when the server has the call, and every process is there. */
async function untilHanging(place: Place, others: number): Promise<void> {
  const noted = (): Promise<string> => readFile(place.log, "utf8").catch(() => "");
  await expect.poll(noted, { timeout: START_MS }).toContain('"tools/call"');
  const processes = await processesIn(place.workspace);
  // The loader of the sources may have one of its own.
  expect(processes.length).toBeGreaterThanOrEqual(STUBBORN_PROCESSES + 1 + others);
}

test("acumen run leaves nothing of its servers behind when it is done", async () => {
  await using place = await stubbornPlace([
    calling(["launcher_echo", { text: "hello" }]),
    { text: "Done.", expect: { toolResultIncludes: "hello" } },
  ]);
  const run = startRun(place);
  expect(await run.exited, run.stderr()).toEqual({ code: 0, signal: null });
  await untilNoneIn(place.workspace, GONE_WITHIN_MS);
});

describe.each([
  { signal: "SIGINT", code: 130 },
  { signal: "SIGTERM", code: 143 },
  { signal: "SIGHUP", code: 129 },
] as const)("$signal", ({ signal, code }) => {
  test("in a call that hangs ends acumen run, its servers, and all that they started", async () => {
    await using place = await stubbornPlace([HANGS]);
    await using run = startRun(place);
    await untilHanging(place, 1);
    run.kill(signal);
    expect((await run.exited).code, run.stderr()).toBe(code);
    await untilNoneIn(place.workspace, GONE_WITHIN_MS);
    // The server was told, not only ended.
    const noted = await readFile(place.log, "utf8");
    expect(noted).toContain('"event":"cancelled"');
  });
});

test("kill -9 of acumen run in a call: its servers end, and all that they started", async () => {
  await using place = await stubbornPlace([HANGS]);
  await using run = startRun(place);
  await untilHanging(place, 1);
  run.kill("SIGKILL");
  await run.exited;
  await untilNoneIn(place.workspace, GONE_WITHIN_MS);
});

test("kill -9 of acumen run while its servers start: they end too", async () => {
  await using place = await stubbornPlace([HANGS]);
  for (let round = 0; round < 4; round += 1) {
    await using run = startRun(place);
    const count = async (): Promise<number> => (await processesIn(place.workspace)).length;
    // Itself, and the first ones of its servers.
    await expect.poll(count, { timeout: START_MS, interval: 5 }).toBeGreaterThan(1 + round);
    run.kill("SIGKILL");
    await run.exited;
    await untilNoneIn(place.workspace, GONE_WITHIN_MS);
  }
});

test.skipIf(!HAS_SCRIPT)(
  "kill -9 of the shell from which acumen runs: it ends, and its servers too (needs the program script)",
  async () => {
    await using place = await stubbornPlace([HANGS]);
    const { command, args } = sourceCommand(BIN, ["run", "--mode", "auto", "Go."]);
    const line = [command, ...args].map((word) => `'${word}'`).join(" ");
    // A shell that waits for its command, as one at a prompt does.
    await using terminal = startProcess(
      { command: "script", args: ["-qefc", `${line}; true`, "/dev/null"] },
      {
        cwd: place.workspace,
        env: { ...environmentOf(place), TERM: "xterm-256color", SHELL: "/bin/sh" },
      },
    );
    // The program script, its shell, and acumen.
    await untilHanging(place, 3);
    const { pid } = terminal;
    const shell = (await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).trim();
    expect(await readFile(`/proc/${shell}/comm`, "utf8")).toBe("sh\n");
    process.kill(Number(shell), "SIGKILL");
    await untilNoneIn(place.workspace, GONE_WITHIN_MS);
  },
);
