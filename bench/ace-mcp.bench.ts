import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { saveSkillbook, Skillbook } from "@acumen/ace";
import { atMost, type BenchResult, figure, measure, summarise } from "./bench-result.ts";
import { randomFrom, sentence } from "./lessons.ts";

const BIN = fileURLToPath(new URL("../packages/ace/bin/ace-mcp.js", import.meta.url));
const SPAWNS = 15;
const SKILLS = 1_000;
const ASKS = 2_000;
const ASKS_PER_LEARN = 20;

/** The `ace-mcp` bars of the design: start, memory, round trip of `ace.ask` with learning in between. Runs `dist`. */
export async function run(): Promise<BenchResult[]> {
  return [...(await starts()), ...(await asks(false)), ...(await asks(true))];
}

async function starts(): Promise<BenchResult[]> {
  const bare = await measure(() => ended(spawn(process.execPath, ["-e", "0"])), SPAWNS);
  const times: number[] = [];
  const memory: number[] = [];
  for (let round = 0; round < SPAWNS; round += 1) {
    const started = performance.now();
    const server = new LineClient({});
    await server.initialize();
    await server.request("tools/list");
    times.push(performance.now() - started);
    memory.push(await server.residentMb());
    await server.close();
  }
  const note = "spawn, initialize, tools/list";
  return [
    figure("node -e 0, for comparison", "ms", bare),
    atMost(250, figure("ace-mcp start", "ms", summarise(times), note)),
    atMost(90, figure("ace-mcp resident memory", "MB", summarise(memory), "after tools/list")),
  ];
}

async function asks(autosave: boolean): Promise<BenchResult[]> {
  const folder = await mkdtemp(join(tmpdir(), "acumen-bench-"));
  const server = new LineClient({
    ACE_MCP_DEFAULT_MODEL: "builtin/recall",
    ACE_MCP_SKILLBOOK_ROOT: folder,
    ACE_MCP_AUTOSAVE: String(autosave),
  });
  try {
    const random = randomFrom(11);
    await saveSkillbook(cases(random), join(folder, "book.json"));
    await server.initialize();
    await server.call("ace.skillbook.load", { session_id: "s", path: "book.json" });
    const ask = async (): Promise<number> => {
      const question = sentence(random, 20);
      const started = performance.now();
      await server.call("ace.ask", { session_id: "s", question });
      return performance.now() - started;
    };
    const learn = async (round: number): Promise<number> => {
      const samples = [{ question: sentence(random, 20), ground_truth: `label ${round % 10}` }];
      const started = performance.now();
      await server.call("ace.learn.sample", { session_id: "s", samples });
      return performance.now() - started;
    };
    const first = await ask();
    for (let round = 0; round < 100; round += 1) await ask();
    const askTimes: number[] = [];
    const learnTimes: number[] = [];
    for (let round = 0; round < ASKS; round += 1) {
      if (round % ASKS_PER_LEARN === 0) learnTimes.push(await learn(round));
      askTimes.push(await ask());
    }
    const mode = `autosave ${autosave ? "on" : "off"}`;
    const note = `${SKILLS} skills, one learn per ${ASKS_PER_LEARN} asks; first ask ${first.toFixed(1)} ms`;
    const round = summarise(askTimes);
    return [
      atMost(3, figure(`ace.ask over stdio, ${mode}`, "ms", round, note)),
      atMost(15, figure(`ace.ask over stdio, ${mode}, 99th`, "ms", round), round.p99),
      figure(`ace.learn.sample over stdio, ${mode}`, "ms", summarise(learnTimes), "one sample"),
    ];
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Lessons as `builtin/recall` stores them: a case and its answer. */
function cases(random: () => number): Skillbook {
  const book = new Skillbook();
  const content = (number: number): string =>
    `${sentence(random, 20)}\nAnswer: label ${number % 10}`;
  book.apply(
    Array.from({ length: SKILLS }, (_, number) => ({
      type: "ADD",
      section: "cases",
      content: content(number),
    })),
  );
  return book;
}

async function ended(child: ChildProcessWithoutNullStreams): Promise<void> {
  await new Promise<void>((resolve) => child.once("exit", () => resolve()));
}

type Response = Readonly<Record<string, unknown>>;

/** JSON-RPC lines without a client library, whose own work is not what is measured. */
class LineClient {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, (response: Response) => void>();
  #lastId = 0;

  constructor(env: Readonly<Record<string, string>>) {
    const { PATH = "", HOME = "" } = process.env;
    this.#child = spawn(process.execPath, [BIN], { env: { PATH, HOME, ...env } });
    this.#child.stderr.pipe(process.stderr);
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      const response = JSON.parse(line) as Response;
      this.#waiting.get(Number(response["id"]))?.(response);
    });
  }

  async initialize(): Promise<void> {
    const clientInfo = { name: "bench", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    await this.request("initialize", params);
    this.#write({ method: "notifications/initialized" });
  }

  async request(method: string, params: object = {}): Promise<Response> {
    this.#lastId += 1;
    const id = this.#lastId;
    const response = new Promise<Response>((resolve) => this.#waiting.set(id, resolve));
    this.#write({ id, method, params });
    const received = await response;
    this.#waiting.delete(id);
    return received;
  }

  async call(name: string, args: object): Promise<void> {
    const response = await this.request("tools/call", { name, arguments: args });
    const { isError } = (response["result"] ?? {}) as { isError?: boolean };
    if (response["error"] !== undefined || isError === true)
      throw new Error(`${name} failed: ${JSON.stringify(response)}`);
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

  #write(message: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}
