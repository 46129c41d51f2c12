import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tempFolder } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import {
  aceMcpCommand,
  ROOT,
  samplesOf,
  serverEnvironment,
  startAceMcp,
  TOOLS,
} from "./support/ace-mcp.ts";
import { bookText } from "./support/skillbook-files.ts";
import { startWireClient, type WireClient } from "./support/wire-client.ts";

/**
 * Bugs that other MCP servers in TypeScript were reported for, each tried on ours over stdio. The reports are listed in
 * docs/decisions/0005-field-reports-on-mcp-servers.md, with the reason where one cannot occur here.
 */

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly [key: string]: unknown;
}

interface Tool {
  readonly name: string;
  readonly inputSchema: Schema;
  readonly outputSchema: Schema;
}

async function toolsOf(client: WireClient): Promise<readonly Tool[]> {
  const reply = await client.request("tools/list");
  return reply.result?.["tools"] as readonly Tool[];
}

function keysOf(schema: Schema): string[] {
  const own = Object.entries(schema.properties ?? {});
  const items = schema.items === undefined ? [] : keysOf(schema.items);
  return [...own.flatMap(([key, inner]) => [key, ...keysOf(inner)]), ...items];
}

function contract(): Readonly<Record<string, { request: Schema; response: Schema }>> {
  const path = `${ROOT}packages/ace/src/integrations/mcp/tool-schemas.json`;
  return (
    JSON.parse(readFileSync(path, "utf8")) as {
      tools: Record<string, { request: Schema; response: Schema }>;
    }
  ).tools;
}

describe("names", () => {
  test("report 1, report 2: hosts that refuse dots get names every host accepts, and both spellings are served", async () => {
    await using client = await startAceMcp({ env: { ACE_MCP_TOOL_NAMES: "underscore" } });
    const names = (await toolsOf(client)).map((tool) => tool.name);
    expect(names).toEqual(TOOLS.map((name) => name.replaceAll(".", "_")));
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    for (const name of ["ace_ask", "ace.ask"])
      expect((await client.call(name, { session_id: "s", question: "q" })).isError).toBe(false);
  });

  test("report 3: every tool name starts with a letter", async () => {
    await using client = await startAceMcp();
    for (const tool of await toolsOf(client)) expect(tool.name).toMatch(/^[a-z]/);
  });

  test("report 14: every property key fits the pattern of the model APIs", async () => {
    await using client = await startAceMcp();
    const tools = await toolsOf(client);
    const keys = tools.flatMap((tool) => [
      ...keysOf(tool.inputSchema),
      ...keysOf(tool.outputSchema),
    ]);
    expect(keys.length).toBeGreaterThan(30);
    for (const key of keys) expect(key).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/);
  });
});

describe("schemas", () => {
  test("report 10, report 12: what is published is the contract, and its properties reach the handler", async () => {
    await using client = await startAceMcp();
    const schemas = contract();
    for (const tool of await toolsOf(client)) {
      expect(tool.inputSchema).toEqual(schemas[tool.name]?.request);
      expect(tool.outputSchema).toEqual(schemas[tool.name]?.response);
      expect(Object.keys(tool.inputSchema.properties ?? {})).not.toEqual([]);
    }
    const get = await client.call("ace.learn.sample", {
      session_id: "s",
      samples: samplesOf(2),
      epochs: 2,
    });
    expect(get.body).toMatchObject({ session_id: "s", processed: 2 });
  });

  test("report 13: every root is a plain object, without union or reference", async () => {
    await using client = await startAceMcp();
    for (const tool of await toolsOf(client)) {
      for (const schema of [tool.inputSchema, tool.outputSchema]) {
        expect(schema.type).toBe("object");
        for (const keyword of ["anyOf", "oneOf", "allOf", "not", "$ref", "$defs"])
          expect(schema).not.toHaveProperty(keyword);
      }
    }
  });

  test("report 15: objects that a host sends as JSON text are read; text that is no JSON is told what to send", async () => {
    await using client = await startAceMcp();
    const learned = await client.call("ace.learn.sample", {
      session_id: "s",
      samples: JSON.stringify(samplesOf(3)),
      session_config: "{}",
    });
    expect(learned.body).toMatchObject({ processed: 3, failed: 0 });
    const asked = await client.call("ace.ask", { session_id: "s", question: "q", metadata: "{}" });
    expect(asked.isError).toBe(false);
    const bad = await client.call("ace.ask", {
      session_id: "s",
      question: "q",
      metadata: "no object",
    });
    expect(bad.body).toMatchObject({ code: "ACE_MCP_VALIDATION_ERROR" });
    expect(JSON.stringify(bad.body)).toMatch(/metadata.*object/);
  });
});

describe("stdio", () => {
  test("report 4: not one byte on stdout before the first request, even beside a .env file", async () => {
    await using folder = await tempFolder("acumen-env");
    writeFileSync(
      folder.join(".env"),
      "ACE_MCP_SAFE_MODE=true\nACE_MCP_DEFAULT_MODEL=from-dotenv\n",
    );
    await using client = startWireClient(aceMcpCommand(), {
      cwd: folder.path,
      env: serverEnvironment({ env: { ACE_MCP_LOG_LEVEL: "DEBUG" } }),
    });
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(client.process.stdout()).toBe("");
    await client.initialize();
    // A file in the working folder must not configure the server either.
    const learned = await client.call("ace.learn.sample", {
      session_id: "s",
      samples: samplesOf(1),
    });
    expect(learned.isError).toBe(false);
    for (const line of client.process.stdout().trimEnd().split("\n"))
      expect(JSON.parse(line)).toHaveProperty("jsonrpc", "2.0");
  });

  test("report 9: an error result carries no structured content", async () => {
    await using client = await startAceMcp({ env: { ACE_MCP_SAFE_MODE: "true" } });
    for (const [name, args] of [
      ["ace.ask", {}],
      ["ace.learn.sample", { session_id: "s", samples: samplesOf(1) }],
      ["ace.skillbook.get", { session_id: "nobody" }],
    ] as const) {
      const reply = await client.call(name, args);
      expect(reply.isError).toBe(true);
      expect(reply.result).not.toHaveProperty("structuredContent");
    }
  });
});

describe("files", () => {
  test("report 19: neither a link nor a folder with the same beginning leads out of the root", async () => {
    await using folder = await tempFolder("acumen-root");
    const root = folder.join("root");
    mkdirSync(root);
    mkdirSync(folder.join("root-evil"));
    mkdirSync(folder.join("outside"));
    writeFileSync(folder.join("outside/book.json"), bookText(3, "outside"));
    writeFileSync(folder.join("root-evil/book.json"), bookText(3, "evil"));
    symlinkSync(folder.join("outside"), `${root}/link`);
    symlinkSync(folder.join("outside/book.json"), `${root}/linked.json`);
    await using client = await startAceMcp({ root });
    await client.call("ace.learn.sample", { session_id: "s", samples: samplesOf(4) });
    const paths = [
      "../outside/book.json",
      "link/book.json",
      "linked.json",
      folder.join("root-evil/book.json"),
      "../root-evil/book.json",
      folder.join("outside/book.json"),
    ];
    for (const path of paths) {
      for (const tool of ["ace.skillbook.load", "ace.skillbook.save"]) {
        const reply = await client.call(tool, { session_id: "s", path });
        expect(reply.isError, `${tool} ${path}`).toBe(true);
        expect(reply.body["code"]).toBe("ACE_MCP_VALIDATION_ERROR");
      }
    }
    expect(readFileSync(folder.join("outside/book.json"), "utf8")).toBe(bookText(3, "outside"));
    expect(readdirSync(folder.join("outside"))).toEqual(["book.json"]);
    expect(readdirSync(folder.join("root-evil"))).toEqual(["book.json"]);
  });

  test("report 21: a key never shows in logs or replies", async () => {
    // The shape of a key, but no key.
    const key = ["sk", "proj", "q1w2e3r4t5y6u7i8o9p0"].join("-");
    await using client = await startAceMcp({
      // Nobody listens there: the call fails without leaving this machine.
      env: {
        OPENAI_API_KEY: key,
        OPENAI_BASE_URL: `http://user:${key}@127.0.0.1:9/v1`,
        ACE_MCP_LOG_LEVEL: "DEBUG",
      },
    });
    const failed = await client.call("ace.ask", {
      session_id: "s",
      question: `My key is ${key}, is it good?`,
      session_config: { model: "openai/gpt-4o-mini" },
    });
    expect(failed.body).toMatchObject({ code: "ACE_MCP_PROVIDER_ERROR" });
    await client.call("ace.ask", { session_id: "t", question: `Again ${key}` });
    await client.call("ace.skillbook.load", { session_id: "t", path: `/no/such/${key}.json` });
    await client.close();
    expect(client.process.stderr()).not.toBe("");
    expect(client.process.stderr()).not.toContain("q1w2e3r4");
    expect(JSON.stringify(failed.body)).not.toContain("q1w2e3r4");
  });
});
