import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  type CodingAgent,
  CodingAgentBuilder,
  DEFAULT_SETTINGS,
  EventLog,
  FileSessionStore,
  MemorySessionStore,
  type SessionMeta,
  type SessionStore,
  textBlock,
} from "@acumen/agent";
import { createId, systemClock } from "@acumen/core";
import type { Model } from "@acumen/models";
import { createScriptedModel } from "@acumen/models/testing";
import {
  atLeast,
  atMost,
  type BenchResult,
  figure,
  type Measurement,
  summarise,
} from "./bench-result.ts";

const ACUMEN = fileURLToPath(new URL("../packages/cli/bin/acumen.js", import.meta.url));
const CHUNKS = 10_000;
const SESSIONS = 100;

/** The bars of the turn loop: cost per chunk, many sessions, the log, what stays the same between steps, first sign of life. */
export async function run(): Promise<BenchResult[]> {
  const folder = await mkdtemp(join(tmpdir(), "acumen-bench-"));
  try {
    return [
      ...(await chunks(folder)),
      ...(await sideBySide(folder)),
      ...(await appends(folder)),
      await stablePrefix(folder),
      ...(await firstLine(folder)),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function agentWith(model: Model, home: string, store: SessionStore): CodingAgent {
  return new CodingAgentBuilder({
    home,
    store,
    resolveModel: () => Promise.resolve(model),
    settingsFor: () => Promise.resolve(DEFAULT_SETTINGS),
    environment: { PATH: process.env["PATH"] },
    trustOnce: true,
  }).build();
}

/** The same stream read by nobody but the clock, and by a turn with a watcher, in turns. */
async function chunks(folder: string): Promise<BenchResult[]> {
  const cwd = join(folder, "chunks");
  await mkdir(cwd);
  const text = "word ".repeat(CHUNKS);
  const script = { steps: [{ text, chunkSize: 5 }], repeatLast: true };
  const bare: number[] = [];
  const turn: number[] = [];
  const agent = agentWith(
    createScriptedModel(script),
    join(folder, "home"),
    new MemorySessionStore(),
  );
  let shown = 0;
  for (let round = 0; round < 12; round += 1) {
    const alone = createScriptedModel(script);
    const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "go" }] }];
    const begun = performance.now();
    for await (const _part of alone.stream({ messages })) shown += 0;
    bare.push(((performance.now() - begun) * 1_000) / CHUNKS);
    const session = await agent.createSession({ cwd, model: "scripted/inline" });
    const started = performance.now();
    await agent.runtime.runPrompt(session, [textBlock("go")], {
      sink: {
        event: () => undefined,
        update: () => {
          shown += 1;
        },
      },
    });
    turn.push(((performance.now() - started) * 1_000) / CHUNKS);
    await session.close();
  }
  await agent.close();
  // The first rounds are the compiler's.
  const pairs = turn.map((each, index) => each - (bare[index] ?? 0)).slice(3);
  const note = `${CHUNKS} chunks of 5 characters, ${Math.round(shown / turn.length)} shown, redacted`;
  return [
    figure("stream of the model alone, per chunk", "µs", summarise(bare.slice(3)), note),
    atMost(50, figure("turn loop, per chunk beside the model", "µs", summarise(pairs), note)),
  ];
}

async function sideBySide(folder: string): Promise<BenchResult[]> {
  const collect = collector();
  const cwds = Array.from({ length: SESSIONS }, (_item, index) => join(folder, `side-${index}`));
  for (const [index, cwd] of cwds.entries()) {
    await mkdir(cwd);
    await writeFile(join(cwd, "name.txt"), `session ${index}\n`);
  }
  const script = {
    steps: [
      { text: "I look.", toolCalls: [{ tool: "read_file", input: { path: "name.txt" } }] },
      { text: "word ".repeat(400), chunkSize: 5 },
    ],
  };
  const agent = agentWith(
    createScriptedModel(script),
    join(folder, "home"),
    new FileSessionStore({ home: join(folder, "home") }),
  );
  // Code and caches that every process has once.
  const first = await agent.createSession({ cwd: folder, model: "scripted/inline" });
  await agent.runtime.runPrompt(first, [textBlock("go")]);
  const before = await collect();
  const started = performance.now();
  const sessions = await Promise.all(
    cwds.map((cwd) => agent.createSession({ cwd, model: "scripted/inline" })),
  );
  const mixed: string[] = [];
  await Promise.all(
    sessions.map(async (session, index) => {
      await agent.runtime.runPrompt(session, [textBlock(`prompt ${index}`)]);
      const log = JSON.stringify(session.events);
      const others = log.matchAll(/session (\d+)|prompt (\d+)/g);
      for (const [found, read, asked] of others) {
        if (Number(read ?? asked) !== index) mixed.push(`${index}: ${found}`);
      }
    }),
  );
  const took = performance.now() - started;
  const memory = ((await collect()) - before) / SESSIONS / 2 ** 20;
  await agent.close();
  if (mixed.length > 0) throw new Error(`sessions saw each other: ${mixed.slice(0, 3).join(", ")}`);
  const note = `${SESSIONS} sessions in one process, open at the same time; none saw another's texts`;
  return [
    atMost(4, figure("memory of a session after a turn", "MB", once(memory), note)),
    figure(`${SESSIONS} turns of two steps side by side`, "ms", once(took), note),
  ];
}

async function appends(folder: string): Promise<BenchResult[]> {
  const store = new FileSessionStore({ home: join(folder, "log-home") });
  const now = new Date().toISOString();
  const meta: SessionMeta = {
    format: "acumen.session",
    version: 1,
    session_id: createId(),
    cwd: folder,
    additional_directories: [],
    title: "",
    model: "scripted/inline",
    mode: "safe",
    remembered: [],
    created_at: now,
    updated_at: now,
  };
  const opened = await store.create(meta, []);
  const log = new EventLog(opened, { clock: systemClock });
  const rates: number[] = [];
  const events = 5_000;
  for (let round = 0; round < 7; round += 1) {
    const started = performance.now();
    await Promise.all(
      Array.from({ length: events }, (_item, index) =>
        log.record(
          { type: "TITLE_CHANGED", payload: { title: `title ${round} ${index}` } },
          { turnId: null, step: 0 },
        ),
      ),
    );
    rates.push((events * 1_000) / (performance.now() - started));
  }
  await opened.close();
  const note = `${events} events at once, appended to the file of one session`;
  return [atLeast(20_000, figure("session log, events per second", "1/s", summarise(rates), note))];
}

/** How much of each request is, character by character, the beginning of the next one. */
async function stablePrefix(folder: string): Promise<BenchResult> {
  const cwd = join(folder, "prefix");
  await mkdir(cwd);
  await writeFile(join(cwd, "data.txt"), "line of a file\n".repeat(200));
  const steps = Array.from({ length: 20 }, (_item, index) => ({
    text: `Step ${index}.`,
    toolCalls: [{ tool: "read_file", input: { path: "data.txt", start_line: index + 1 } }],
  }));
  const model = createScriptedModel({ steps: [...steps, { text: "Done." }] });
  const agent = agentWith(model, join(folder, "home"), new MemorySessionStore());
  const session = await agent.createSession({ cwd, model: "scripted/inline", mode: "auto" });
  await agent.runtime.runPrompt(session, [textBlock("Read it twenty times.")]);
  await agent.close();
  const requests = model.calls.map(({ tools, prompt }) =>
    JSON.stringify([tools, prompt.map(({ role, content }) => ({ role, content }))]),
  );
  const shares = requests.slice(1).map((request, index) => {
    const previous = requests[index] ?? "";
    // Without the brackets that close the list.
    const length = previous.length - 2;
    let same = 0;
    while (same < length && previous[same] === request[same]) same += 1;
    return (100 * same) / length;
  });
  const note = `${requests.length} requests of one turn: tools, system prompt, messages`;
  return atLeast(95, figure("request that the next one begins with", "%", summarise(shares), note));
}

async function firstLine(folder: string): Promise<BenchResult[]> {
  const cwd = join(folder, "start");
  await mkdir(cwd);
  const script = join(folder, "script.json");
  await writeFile(script, JSON.stringify({ steps: [{ text: "Hello." }] }));
  const first: number[] = [];
  const whole: number[] = [];
  for (let round = 0; round < 11; round += 1) {
    const started = performance.now();
    const child = spawn(
      process.execPath,
      [ACUMEN, "run", "--model", `scripted/${script}`, "hello"],
      {
        cwd,
        env: { PATH: process.env["PATH"], HOME: folder, ACUMEN_HOME: join(folder, "home") },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    child.stderr.once("data", () => first.push(performance.now() - started));
    await ended(child);
    whole.push(performance.now() - started);
  }
  const note = "spawn of the built command; a terminal or a pipe sees it on stderr";
  return [
    atMost(200, figure("acumen run, first line of progress", "ms", summarise(first), note)),
    figure(
      "acumen run, one scripted answer",
      "ms",
      summarise(whole),
      "until the process has ended",
    ),
  ];
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`acumen run ended with ${code}`));
    });
  });
}

/** Bytes of the heap and of buffers after a full collection. */
function collector(): () => Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  return async () => {
    for (let round = 0; round < 3; round += 1) {
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
      collect();
    }
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
}

function once(value: number): Measurement {
  return { median: value, p99: value, spread: 0, runs: 1 };
}
