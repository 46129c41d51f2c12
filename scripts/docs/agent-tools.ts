import { tmpdir } from "node:os";
import {
  CodingAgentBuilder,
  DEFAULT_SETTINGS,
  type ExposedTool,
  MemorySessionStore,
} from "@acumen/agent";
import { createScriptedModel } from "@acumen/models/testing";
import { markdownTable } from "./markdown-table.ts";

interface Property {
  readonly description?: string;
  readonly enum?: readonly unknown[];
}

const tools = await builtinTools();

/** The tools of a session without servers, as its model is given them. */
async function builtinTools(): Promise<readonly ExposedTool[]> {
  const agent = new CodingAgentBuilder({
    home: tmpdir(),
    store: new MemorySessionStore(),
    resolveModel: () => Promise.resolve(createScriptedModel({ steps: [] })),
    settingsFor: () => Promise.resolve(DEFAULT_SETTINGS),
    environment: {},
  }).build();
  const session = await agent.createSession({ cwd: tmpdir(), model: "scripted/none" });
  const found = session.tools();
  await agent.close();
  return found;
}

/** One row a tool. */
export function agentToolTable(): string {
  return markdownTable(
    ["tool", "input", "what it can do at worst"],
    tools.map(({ exposedName, tool }) => [
      `\`${exposedName}\``,
      inputOf(tool.inputSchema),
      tool.risk,
    ]),
  );
}

function inputOf(schema: ExposedTool["tool"]["inputSchema"]): string {
  const { properties = {}, required = [] } = schema as {
    readonly properties?: Readonly<Record<string, Property>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties)
    .map(([name, { enum: choices }]) => {
      const mark = required.includes(name) ? "" : "?";
      const values = choices === undefined ? "" : ` (${choices.map(String).join(" / ")})`;
      return `\`${name}${mark}\`${values}`;
    })
    .join(", ");
}
