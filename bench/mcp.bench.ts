import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type CodingAgent,
  CodingAgentBuilder,
  type CodingSession,
  DEFAULT_SETTINGS,
  McpConfigManager,
  MemorySessionStore,
  textBlock,
  type Tool,
  WorkspaceTrust,
} from "@acumen/agent";
import { createScriptedModel } from "@acumen/models/testing";
import { misbehavingServer } from "@acumen/testkit";
import { type BenchResult, figure, measure, summarise } from "./bench-result.ts";

const SERVERS = 10;
const CALLS = 500;

/** What MCP servers cost a session: until they are there, per call, and for long lists. */
export async function run(): Promise<BenchResult[]> {
  const folder = await mkdtemp(join(tmpdir(), "acumen-bench-"));
  try {
    const place = await preparedPlace(folder);
    return [
      await connecting(place, 1),
      await connecting(place, SERVERS),
      ...(await calls(place)),
      ...(await longLists(place)),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Place {
  open(servers: Readonly<Record<string, unknown>>): Promise<CodingSession>;
  readonly agent: CodingAgent;
}

async function preparedPlace(folder: string): Promise<Place> {
  const cwd = join(folder, "work");
  await mkdir(cwd);
  const environment = { PATH: process.env["PATH"] };
  const agent = new CodingAgentBuilder({
    home: folder,
    store: new MemorySessionStore(),
    resolveModel: () =>
      Promise.resolve(createScriptedModel({ steps: [{ text: "Done." }], repeatLast: true })),
    settingsFor: () => Promise.resolve(DEFAULT_SETTINGS),
    environment,
    trustOnce: true,
    mcp: new McpConfigManager({
      home: folder,
      environment,
      trust: new WorkspaceTrust({ home: folder, environment }),
    }),
  }).build();
  const place: Place = {
    agent,
    open: (servers) =>
      agent.createSession({
        cwd,
        model: "scripted/inline",
        mcp: { servers, inherit: false, wait: "settled" },
      }),
  };
  // The SDK is loaded once in a process.
  const first = await place.open(serversOf(1));
  await untilReady(first);
  await first.close();
  return place;
}

function serversOf(count: number, tools = 0): Record<string, unknown> {
  return Object.fromEntries(
    Array.from({ length: count }, (_item, index) => {
      const mode = tools === 0 ? "well" : "many-tools";
      const server = misbehavingServer(mode, { prefix: `s${index}_`, count: tools });
      return [`server-${index}`, { ...server }];
    }),
  );
}

async function untilReady(session: CodingSession): Promise<void> {
  await session.mcp?.ready(new AbortController().signal);
  const bad = session.mcp?.status().find(({ state }) => state !== "connected");
  if (bad !== undefined) throw new Error(JSON.stringify(bad));
}

/** From the start of a session until every server has listed its tools. */
async function connecting({ open }: Place, count: number): Promise<BenchResult> {
  const times: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    const started = performance.now();
    const session = await open(serversOf(count));
    await untilReady(session);
    times.push(performance.now() - started);
    await session.close();
  }
  return figure(
    `${count} MCP ${count === 1 ? "server" : "servers"}, until connected and listed`,
    "ms",
    summarise(times),
    "small servers in Node over stdio, side by side; most of it is the start of Node",
  );
}

async function calls({ open }: Place): Promise<BenchResult[]> {
  const session = await open(serversOf(1));
  await untilReady(session);
  const tool = session.tools().find(({ tool: { name } }) => name === "s0_echo")?.tool;
  if (tool === undefined) throw new Error("no tool");
  await measure(() => callOf(tool, "warm"), 50);
  const small = await measure(() => callOf(tool, "hello"), CALLS);
  const large = await measure(() => callOf(tool, "x".repeat(40_000)), CALLS / 5);
  await session.close();
  const note = "arguments checked, result typed, bounded and redacted; over stdio";
  return [
    figure("MCP call, there and back", "ms", small, note),
    figure("the same with 40 kB each way", "ms", large, note),
  ];
}

async function callOf(tool: Tool, text: string): Promise<void> {
  const { signal } = new AbortController();
  const prepared = await tool.prepare({ text }, { signal });
  if (!prepared.ok) throw new Error(prepared.message);
  const ids = { sessionId: "bench", turnId: "bench", callId: "bench", seq: 0 };
  const { status } = await prepared.run({ ...ids, signal });
  if (status !== "completed") throw new Error("the call failed");
}

async function longLists({ open, agent }: Place): Promise<BenchResult[]> {
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const started = performance.now();
    const session = await open(serversOf(1, 1_000));
    await untilReady(session);
    times.push(performance.now() - started);
    await session.close();
  }
  const session = await open(serversOf(SERVERS, 100));
  await untilReady(session);
  const looking = await measure(() => session.tools(), 50);
  const turn = await measure(() => agent.runtime.runPrompt(session, [textBlock("Go.")]), 20);
  await session.close();
  return [
    figure(
      "1 MCP server with 1,000 tools, until connected and listed",
      "ms",
      summarise(times),
      "listed, read, schemas converted, names claimed",
    ),
    figure(
      "tools of this moment, 1,000 of 10 servers",
      "ms",
      looking,
      "asked for before each model call; 128 at most are given to the model",
    ),
    figure("turn of one scripted answer with them", "ms", turn, "no network"),
  ];
}
