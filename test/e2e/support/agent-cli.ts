import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, readlink } from "node:fs/promises";
import {
  type Command,
  type ModelScript,
  type ModelServer,
  startModelServer,
  startProcess,
  type TempFolder,
  tempFolder,
  type TestProcess,
} from "@acumen/testkit";
import { ROOT } from "./ace-mcp.ts";

const BUILT = `${ROOT}packages/cli/dist/bin.js`;
export const ACUMEN_BIN = `${ROOT}packages/cli/bin/acumen.js`;

/** The built `acumen`, as people run it. @throws Error when it is not built */
export function acumenCommand(args: readonly string[]): Command {
  if (!existsSync(BUILT)) {
    throw new Error("acumen is not built: run `npm run build` (or `npm run test:slow`) first");
  }
  return { command: process.execPath, args: [ACUMEN_BIN, ...args] };
}

/** The built `acumen` beside a model service on the loopback interface that checks what it is sent. */
export interface AgentPlace extends AsyncDisposable {
  readonly folder: TempFolder;
  readonly home: string;
  readonly server: ModelServer;
  /** Everything that `acumen` needs to know. */
  readonly env: Readonly<Record<string, string>>;
  /** A new folder to work in. */
  workspace(name: string): Promise<string>;
  /** Its stdin stays open; most commands wait for its end. */
  start(args: readonly string[], cwd: string): TestProcess;
}

export async function agentPlace(script: ModelScript): Promise<AgentPlace> {
  const folder = await tempFolder("acumen-agent");
  const server = await startModelServer({ wire: "openai-compatible", script });
  const home = folder.join("home");
  const env = {
    ACUMEN_HOME: home,
    ACUMEN_MODEL: "openai_compatible/test-model",
    OPENAI_COMPATIBLE_BASE_URL: server.baseUrl,
  };
  return {
    folder,
    home,
    server,
    env,
    workspace: async (name) => {
      const path = folder.join("work", name);
      await mkdir(path, { recursive: true });
      return path;
    },
    start: (args, cwd) => startProcess(acumenCommand(args), { cwd, env }),
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await folder.remove();
    },
  };
}

/** Lines of a `--json` run that came whole. */
export function recordsIn(output: string): Record<string, unknown>[] {
  return output
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Processes that work in this folder, whoever started them. */
export async function processesIn(folder: string): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const places = await Promise.all(
    // Of another user, or gone meanwhile.
    pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => "")),
  );
  return pids.filter((_pid, index) => places[index] === folder);
}

/** Resolves when no process works in the folder any more. @throws Error after `withinMs` with those that do */
export async function untilNoneIn(folder: string, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const left = await processesIn(folder);
    if (left.length === 0) return;
    if (performance.now() > deadline) {
      const named = await Promise.all(left.map(commandLineOf));
      throw new Error(`Still there: ${named.join("; ")}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function commandLineOf(pid: string): Promise<string> {
  const words = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "gone meanwhile");
  return `${pid} ${words.replaceAll("\0", " ").trim()}`;
}
