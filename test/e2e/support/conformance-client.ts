import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CodingAgentBuilder,
  DEFAULT_SETTINGS,
  McpConfigManager,
  MemorySessionStore,
  type Tool,
  WorkspaceTrust,
} from "@acumen/agent";
import { createScriptedModel } from "@acumen/models/testing";

/**
 * What the conformance suite of MCP tests: a session of the coding agent that has one server, whose address is the last argument. It
 * connects, lists, and calls every tool, or those that the suite names, and ends with 0.
 */
interface Context {
  readonly toolCalls?: readonly {
    readonly name: string;
    readonly arguments?: Readonly<Record<string, unknown>>;
  }[];
}

const url = process.argv.at(-1) ?? "";
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as Context;
const folder = await realpath(await mkdtemp(join(tmpdir(), "acumen-conformance-")));
const environment = { PATH: process.env["PATH"] };
const agent = new CodingAgentBuilder({
  home: folder,
  store: new MemorySessionStore(),
  resolveModel: () => Promise.resolve(createScriptedModel({ steps: [{ text: "Ready." }] })),
  settingsFor: () => Promise.resolve(DEFAULT_SETTINGS),
  environment,
  trustOnce: true,
  mcp: new McpConfigManager({
    home: folder,
    environment,
    trust: new WorkspaceTrust({ home: folder, environment }),
  }),
}).build();
try {
  const session = await agent.createSession({
    cwd: folder,
    model: "scripted/inline",
    mcp: { servers: { suite: { type: "http", url } }, inherit: false, wait: "settled" },
  });
  await agent.runtime.runPrompt(session, [{ type: "text", text: "Connect." }]);
  const status = session.mcp?.status()[0];
  process.stderr.write(`${JSON.stringify(status)}\n`);
  if (status?.state !== "connected") process.exitCode = 1;
  const tools = session.tools().flatMap(({ tool }) => (tool.origin.type === "mcp" ? [tool] : []));
  for (const { tool, input } of wantedCalls(tools)) await call(tool, input);
} finally {
  await agent.close();
  await rm(folder, { recursive: true, force: true });
}

function wantedCalls(tools: readonly Tool[]): { tool: Tool; input: unknown }[] {
  const named = context.toolCalls;
  if (named === undefined) return tools.map((tool) => ({ tool, input: inputFor(tool) }));
  return named.flatMap(({ name, arguments: input = {} }) => {
    const tool = tools.find((each) => each.name === name);
    return tool === undefined ? [] : [{ tool, input: withoutNulls(input) }];
  });
}

/** A model that has nothing for a property leaves it out; null is refused before the server sees it. */
function withoutNulls(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}

/** Something of the right kind for each property that is required. */
function inputFor({ inputSchema }: Tool): Record<string, unknown> {
  const { properties = {}, required = [] } = inputSchema as {
    properties?: Readonly<Record<string, { type?: string }>>;
    required?: readonly string[];
  };
  return Object.fromEntries(
    required.map((name) => {
      const type = properties[name]?.type;
      return [name, type === "number" || type === "integer" ? 2 : type === "boolean" ? true : "x"];
    }),
  );
}

async function call(tool: Tool, input: unknown): Promise<void> {
  const { signal } = new AbortController();
  const prepared = await tool.prepare(input, { signal });
  if (!prepared.ok) {
    process.stderr.write(`${tool.name}: ${prepared.message}\n`);
    return;
  }
  const place = { sessionId: "suite", turnId: "suite", callId: "suite", seq: 0 };
  const outcome = await prepared.run({ ...place, signal });
  process.stderr.write(`${tool.name}: ${JSON.stringify(outcome)}\n`);
}
