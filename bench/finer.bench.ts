import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { scorers } from "@acumen/ace";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { atLeast, type BenchResult, figure, summarise } from "./bench-result.ts";
import { randomFrom } from "./lessons.ts";

const BIN = fileURLToPath(new URL("../packages/ace/bin/ace-mcp.js", import.meta.url));
const DATA = fileURLToPath(new URL("../../shared/data/", import.meta.url));
/** Samples that one `ace.learn.sample` call takes. */
const CALL_SAMPLES = 25;
const STAGES = [100, 500, 1_000, 2_000];
/** What a plain nearest-neighbour classifier reaches on the same questions after as many samples (see the data's README). */
const BASELINE = [0.18, 0.4, 0.43, 0.45];
const SHUFFLED_QUESTIONS = 400;

interface Question {
  readonly question: string;
  readonly context?: string;
  readonly ground_truth: string;
}

/**
 * What `builtin/recall` learns from real questions, taught and asked over MCP like any model: which of 139 tags fits a number in a
 * sentence of a filing (FiNER, graded by `exact`), and financial formulas (graded by `numeric`; recall cannot compute). Runs `dist`.
 */
export async function run(): Promise<BenchResult[]> {
  if (!existsSync(DATA)) {
    console.log(`skipped: ${DATA} is absent`);
    return [];
  }
  return [...(await finer()), ...(await shuffled()), ...(await formula())];
}

async function finer(): Promise<BenchResult[]> {
  const [learn, test] = [read("finer_learn"), read("finer_test")];
  await using student = await Student.start();
  const results: BenchResult[] = [];
  const empty = await student.exam(test.slice(0, SHUFFLED_QUESTIONS), "exact");
  results.push(share("FiNER, nothing learned", empty));
  let seconds = 0;
  for (const [i, stage] of STAGES.entries()) {
    seconds += await student.learn(learn.slice(STAGES[i - 1] ?? 0, stage));
    const marks = await student.exam(test, "exact");
    const note = `baseline ${BASELINE[i]}; ${await student.skills()} skills`;
    const result = share(`FiNER, ${stage} learned`, marks, note);
    results.push(stage === 2_000 ? atLeast(0.45, result) : result);
    if (stage === 2_000) {
      results.push(figure("ace.ask, 2,000 learned", "ms", summarise(marks.times)));
    }
  }
  results.push(figure("learning 2,000 samples", "s", summarise([seconds]), "calls of 25"));
  return results;
}

/** With the answers dealt out at random there is nothing to learn but which answers are frequent. */
async function shuffled(): Promise<BenchResult[]> {
  const learn = read("finer_learn");
  const random = randomFrom(5);
  const answers = learn
    .map(({ ground_truth }) => ({ ground_truth, key: random() }))
    .toSorted((a, b) => a.key - b.key);
  await using student = await Student.start();
  await student.learn(learn.map((sample, i) => ({ ...sample, ...answers[i] })));
  const marks = await student.exam(read("finer_test").slice(0, SHUFFLED_QUESTIONS), "exact");
  return [share("FiNER, 2,000 learned with shuffled answers", marks)];
}

async function formula(): Promise<BenchResult[]> {
  await using student = await Student.start();
  await student.learn(read("formula_learn"));
  const marks = await student.exam(read("formula_test"), "numeric");
  return [share("Formula, 500 learned", marks, "recall cannot compute")];
}

function read(name: string): Question[] {
  const lines = readFileSync(`${DATA}${name}.jsonl`, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Question);
}

function share(name: string, { right, times }: Marks, note?: string): BenchResult {
  const accuracy = right / times.length;
  return figure(name, "accuracy", { ...summarise([accuracy]), runs: times.length }, note);
}

interface Marks {
  readonly right: number;
  /** Milliseconds of each `ace.ask`. */
  readonly times: readonly number[];
}

/** One session of a running `ace-mcp` with the embedded model. */
class Student {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  static async start(): Promise<Student> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [BIN],
      env: { ACE_MCP_DEFAULT_MODEL: "builtin/recall" },
    });
    const client = new Client({ name: "finer-bench", version: "1" });
    await client.connect(transport);
    return new Student(client);
  }

  /** Returns the seconds that it took. */
  async learn(questions: readonly Question[]): Promise<number> {
    const started = performance.now();
    for (let at = 0; at < questions.length; at += CALL_SAMPLES) {
      const samples = questions
        .slice(at, at + CALL_SAMPLES)
        .map(({ question, context, ground_truth }) => ({
          question,
          ground_truth,
          ...(context !== undefined && { context }),
        }));
      const { failed } = await this.#call("ace.learn.sample", { samples });
      if (failed !== 0) throw new Error(`${String(failed)} samples failed`);
    }
    return (performance.now() - started) / 1_000;
  }

  async exam(questions: readonly Question[], scorer: "exact" | "numeric"): Promise<Marks> {
    const times: number[] = [];
    let right = 0;
    for (const { question, context = "", ground_truth } of questions) {
      const started = performance.now();
      const { answer } = await this.#call("ace.ask", { question, context });
      times.push(performance.now() - started);
      right += scorers[scorer](String(answer), ground_truth) === 1 ? 1 : 0;
    }
    return { right, times };
  }

  async skills(): Promise<string> {
    const { stats } = await this.#call("ace.skillbook.get", { limit: 1 });
    return String((stats as { skills?: unknown }).skills);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
  }

  async #call(name: string, args: object): Promise<Readonly<Record<string, unknown>>> {
    const reply = await this.#client.callTool({ name, arguments: { session_id: "s", ...args } });
    if (reply.isError === true || reply.structuredContent === undefined) {
      throw new Error(`${name} failed: ${JSON.stringify(reply.content)}`);
    }
    return reply.structuredContent as Readonly<Record<string, unknown>>;
  }
}
