import type { Model } from "@acumen/models";
import type { ModelServer, WireName } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { refusedTools } from "../../src/turn/refused-tools.ts";
import { modelError } from "@acumen/models";
import type { Tool, ToolInputSchema, ToolSource } from "../../src/index.ts";
import { serve, SUBJECTS } from "../wires/subjects.ts";
import { answers, payloadsOf, testAgent, type TestAgent, toolOf } from "./test-agent.ts";

const FINE: ToolInputSchema = { type: "object", properties: { at: { type: "string" } } };

interface Bad {
  readonly name?: string;
  readonly schema?: ToolInputSchema;
  /** What the service says about it. */
  readonly says: string;
}

/** What no conversion mends, for each service. */
const BAD: Readonly<Record<WireName, Bad>> = {
  anthropic: {
    schema: { type: "object", properties: { "$.xgafv": { type: "string" } } },
    says: "Property keys should match pattern",
  },
  "openai-chat": {
    schema: { type: "object", properties: {}, required: null },
    says: "None is not of type 'array'",
  },
  "openai-responses": {
    schema: { type: "object", properties: { at: [] } },
    says: "[] is not of type 'object', 'boolean'",
  },
  "openai-compatible": { name: "made.up", says: "string does not match pattern" },
  google: { name: "1st_tool", says: "Invalid function name" },
};

function serverTool(name: string, inputSchema = FINE, server = "notes"): Tool {
  return {
    ...toolOf(name, answers("done")),
    origin: { type: "mcp", server, identity: name, trustedReadOnly: false },
    inputSchema,
  };
}

/** A source that converts nothing and leaves out what it is told to. */
class RawSource implements ToolSource {
  readonly leftOut = new Map<string, string>();
  readonly #tools: readonly Tool[];

  constructor(tools: readonly Tool[]) {
    this.#tools = tools;
  }

  tools(): { exposedName: string; tool: Tool }[] {
    return this.#tools
      .filter(({ name }) => !this.leftOut.has(name))
      .map((tool) => ({ exposedName: tool.name, tool }));
  }

  quarantine(exposedName: string, reason: string): boolean {
    this.leftOut.set(exposedName, reason);
    return true;
  }

  ready(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function agentWith(model: Model, source: ToolSource): Promise<TestAgent> {
  return testAgent({ model, session: { toolSources: () => Promise.resolve([source]) } });
}

function sentNames({ requests }: ModelServer, index: number): string {
  return JSON.stringify(requests.at(index)?.body?.["tools"]);
}

describe.each(SUBJECTS)("a tool that the service $wire refuses", (subject) => {
  const { name = "made_up", schema, says } = BAD[subject.wire];

  test("is left out, and the turn and the session go on", async () => {
    await using service = await serve(subject, () => ({ text: "Hello." }));
    const source = new RawSource([serverTool(name, schema), serverTool("zz_fine")]);
    await using host = await agentWith(service.model, source);
    expect(await host.prompt("go")).toMatchObject({ stopReason: "end_turn", text: "Hello." });
    expect([...source.leftOut.keys()]).toEqual([name]);
    expect(source.leftOut.get(name)).toContain(says);
    const errors = payloadsOf(host.session.events, "ERROR");
    expect(errors).toMatchObject([
      { code: "AGENT_TOOL_REFUSED", source: "mcp", retryable: false, attempt: 1 },
    ]);
    expect(errors[0]?.message).toContain(`The tool ${name} of the server notes is left out`);
    expect(sentNames(service.server, 0)).toContain(`"${name}"`);
    expect(sentNames(service.server, 1)).not.toContain(`"${name}"`);
    expect(sentNames(service.server, 1)).toContain('"zz_fine"');
    expect(await host.prompt("more")).toMatchObject({ text: "Hello." });
    expect(service.server.requests.map(({ status }) => status)).toEqual([400, 200, 200]);
  });
});

test.each([
  ["its source cannot leave it out", (tools: readonly Tool[]) => withoutQuarantine(tools), 1],
  ["a fourth one comes up", (tools: readonly Tool[]) => new RawSource(tools), 4],
])("the turn fails as it did when %s", async (_name, sourceOf, requests) => {
  const subject = SUBJECTS.find(({ wire }) => wire === "anthropic");
  if (subject === undefined) throw new Error("no subject");
  await using service = await serve(subject, () => ({ text: "Hello." }));
  const { schema } = BAD.anthropic;
  const bad = ["a1", "b2", "c3", "d4"].map((name) => serverTool(name, schema));
  await using host = await agentWith(service.model, sourceOf(bad));
  await expect(host.prompt("go")).rejects.toMatchObject({ code: "MODEL_FAILED" });
  expect(service.server.requests).toHaveLength(requests);
  expect(payloadsOf(host.session.events, "ERROR").at(-1)).toMatchObject({ code: "MODEL_FAILED" });
  // The next prompt has three more.
  const next = host.prompt("again");
  await (requests === 1
    ? expect(next).rejects.toMatchObject({ code: "MODEL_FAILED" })
    : expect(next).resolves.toMatchObject({ text: "Hello." }));
});

test("each step of a turn has three of its own", async () => {
  const subject = SUBJECTS.find(({ wire }) => wire === "anthropic");
  if (subject === undefined) throw new Error("no subject");
  const { schema } = BAD.anthropic;
  await using service = await serve(subject, [
    { toolCalls: [{ name: "more", input: {} }] },
    { text: "Done." },
  ]);
  const tools = ["a1", "b2"].map((name) => serverTool(name, schema));
  const grow = toolOf("more", () => {
    tools.push(...["c3", "d4"].map((name) => serverTool(name, schema)));
    return answers("grown")();
  });
  tools.push(grow);
  const source = new RawSource(tools);
  await using host = await agentWith(service.model, source);
  expect(await host.prompt("go")).toMatchObject({ text: "Done." });
  expect([...source.leftOut.keys()]).toEqual(["a1", "b2", "c3", "d4"]);
});

function withoutQuarantine(tools: readonly Tool[]): ToolSource {
  return {
    tools: () => tools.map((tool) => ({ exposedName: tool.name, tool })),
    ready: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

describe("which tools a refusal names", () => {
  const sent = [
    { exposedName: "bash", tool: toolOf("bash", answers("")) },
    ...["create_page", "find.page", "list_pages"].map((name) => ({
      exposedName: name,
      tool: serverTool(name),
    })),
  ];
  const named = (text: string, kind: "bad_request" | "rate_limit" = "bad_request"): string[] =>
    refusedTools(modelError(text, { provider: "p", model: "m", kind }), sent).map(
      ({ exposedName }) => exposedName,
    );

  test.each([
    ["tools.2.custom.input_schema: JSON schema is invalid.", ["find.page"]],
    ["Invalid 'tools[3].function.name': string does not match pattern.", ["list_pages"]],
    [
      "* GenerateContentRequest.tools[0].function_declarations[1].parameters.properties[a].items: missing field.",
      ["create_page"],
    ],
    [
      "Unknown name at 'tools[0].function_declarations[1].parameters' and 'tools[0].function_declarations[3]'",
      ["create_page", "list_pages"],
    ],
    [
      "Invalid schema for function 'find.page': [] is not of type 'object', 'boolean'.",
      ["find.page"],
    ],
    ["FunctionDeclaration 'list_pages' in the request exceeds the depth.", ["list_pages"]],
    ["because `list_pages` functionDeclaration `parameters.a` schema", ["list_pages"]],
    ["tools.0.custom.input_schema: a built-in one", []],
    ["tools.99.custom.input_schema: out of range", []],
    ["Invalid schema for function 'bash': a built-in one", []],
    ["messages.2.content: the word list_pages and 'list_pages' somewhere", []],
    ["Invalid 'tools': array too long. Expected 128, but got 3 instead.", []],
  ])("%s", (text, names) => {
    expect(named(text)).toEqual(names);
  });

  test("none when it is no refusal of the request", () => {
    expect(named("tools.2.custom.input_schema", "rate_limit")).toEqual([]);
  });
});
