import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { saveSkillbook, Skillbook } from "@acumen/ace";
import { atMost, type BenchResult, figure, measure, summarise } from "./bench-result.ts";
import { ended, LineProcess } from "./line-process.ts";
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
    const server = new AceProcess({});
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
  const server = new AceProcess({
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

/** `ace-mcp` as the benches use it. */
class AceProcess extends LineProcess {
  constructor(env: Readonly<Record<string, string>>) {
    super([BIN], { env });
  }

  async initialize(): Promise<void> {
    const clientInfo = { name: "bench", version: "1" };
    await this.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo,
    });
    this.notify("notifications/initialized");
  }

  async call(name: string, args: object): Promise<void> {
    const response = await this.request("tools/call", { name, arguments: args });
    const { isError } = (response["result"] ?? {}) as { isError?: boolean };
    if (isError === true) throw new Error(`${name} failed: ${JSON.stringify(response)}`);
  }
}
