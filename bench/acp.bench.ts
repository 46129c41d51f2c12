import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { atMost, type BenchResult, figure, measure, summarise } from "./bench-result.ts";

const BIN = fileURLToPath(new URL("../packages/cli/bin/acumen.js", import.meta.url));
const SPAWNS = 15;

/** The bars of the design that concern editors: from the start of `acumen acp` to the answers that they wait for. Runs `dist`. */
export async function run(): Promise<BenchResult[]> {
  const home = await mkdtemp(join(tmpdir(), "acumen-bench-"));
  try {
    const bare = await measure(() => ended(spawn(process.execPath, ["-e", "0"])), SPAWNS);
    const greeted: number[] = [];
    const opened: number[] = [];
    const left: number[] = [];
    const memory: number[] = [];
    for (let round = 0; round < SPAWNS; round += 1) {
      const started = performance.now();
      const host = new LineHost(home);
      await host.request("initialize", { protocolVersion: 1 });
      greeted.push(performance.now() - started);
      await host.request("session/new", { cwd: home, mcpServers: [] });
      opened.push(performance.now() - started);
      memory.push(await host.residentMb());
      const ending = performance.now();
      await host.close();
      left.push(performance.now() - ending);
    }
    return [
      figure("node -e 0, for comparison", "ms", bare),
      atMost(300, figure("acumen acp, start to initialize", "ms", summarise(greeted))),
      figure("acumen acp, start to session/new", "ms", summarise(opened), "the agent is loaded"),
      figure("acumen acp, end after EOF", "ms", summarise(left), "one open session"),
      figure("acumen acp resident memory", "MB", summarise(memory), "one open session"),
    ];
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function ended(child: ChildProcessWithoutNullStreams): Promise<void> {
  await new Promise<void>((resolve) => child.once("exit", () => resolve()));
}

type Response = Readonly<Record<string, unknown>>;

/** JSON-RPC lines without a client library, whose own work is not what is measured. */
class LineHost {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, (response: Response) => void>();
  #lastId = 0;

  constructor(home: string) {
    const { PATH = "", HOME = "" } = process.env;
    this.#child = spawn(process.execPath, [BIN, "acp", "--model", "ollama/bench"], {
      cwd: home,
      env: { PATH, HOME, ACUMEN_HOME: home },
    });
    this.#child.stderr.pipe(process.stderr);
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      const response = JSON.parse(line) as Response;
      this.#waiting.get(Number(response["id"]))?.(response);
    });
  }

  async request(method: string, params: object): Promise<void> {
    this.#lastId += 1;
    const id = this.#lastId;
    const response = new Promise<Response>((resolve) => this.#waiting.set(id, resolve));
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const { error } = await response;
    if (error !== undefined) throw new Error(`${method} failed: ${JSON.stringify(error)}`);
  }

  /** Resident memory as Linux tells it; NaN elsewhere. */
  async residentMb(): Promise<number> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, "utf8").catch(() => "");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1_024;
  }

  async close(): Promise<void> {
    this.#child.stdin.end();
    if (this.#child.exitCode === null) await ended(this.#child);
  }
}
