import { ProtocolError } from "@modelcontextprotocol/client";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";
import { describe, expect, it } from "vitest";
import schemas from "../../../src/integrations/mcp/tool-schemas.json" with { type: "json" };
import { TOOL_NAMES } from "../../../src/integrations/mcp/tool-names.ts";
import { connectInMemory } from "./support/in-memory.ts";
import { textOf } from "./support/server-process.ts";
import { learnReport, stubFactory, untilAbort } from "./support/stub-runner.ts";

const ASK = { session_id: "s", question: "q" };
const SAMPLES = { session_id: "s", samples: [{ question: "q" }] };

describe("tools/list", () => {
  it("5.5 #33: the server is called ace-mcp-server and lists exactly the six names, in a fixed order", async () => {
    await using connection = await connectInMemory();
    expect(connection.client.getServerVersion()?.name).toBe("ace-mcp-server");
    for (let round = 0; round < 2; round += 1) {
      const { tools } = await connection.client.listTools();
      expect(tools.map(({ name }) => name)).toEqual([...TOOL_NAMES]);
    }
    expect(connection.client.getServerCapabilities()?.tools?.listChanged ?? false).toBe(false);
  });

  it("publishes the contract's schemas for input and output", async () => {
    await using connection = await connectInMemory();
    const { tools } = await connection.client.listTools();
    for (const tool of tools) {
      const contract = Object.entries(schemas.tools).find(([name]) => name === tool.name)?.[1];
      expect(tool.inputSchema).toEqual(contract?.request);
      expect(tool.outputSchema).toEqual(contract?.response);
    }
  });

  it("5.5 #34: no $ref or $defs; key properties present; texts name no editor product", async () => {
    await using connection = await connectInMemory();
    const { tools } = await connection.client.listTools();
    const text = JSON.stringify(tools);
    expect(text).not.toMatch(/\$ref|\$defs/);
    expect(text).not.toMatch(/cursor|windsurf|claude|vs ?code|zed|copilot/i);
    for (const tool of tools) {
      expect(Object.keys(tool.inputSchema.properties ?? {})).toContain("session_id");
      expect(tool.title).not.toBe("");
      expect(tool.description?.length).toBeGreaterThan(80);
    }
  });

  it("sets every hint on every tool", async () => {
    await using connection = await connectInMemory();
    const { tools } = await connection.client.listTools();
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
    const read = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
    const learns = { readOnlyHint: false, destructiveHint: false, idempotentHint: false };
    const replaces = { readOnlyHint: false, destructiveHint: true, idempotentHint: true };
    expect(hints).toMatchObject({
      "ace.ask": read,
      "ace.learn.sample": learns,
      "ace.learn.feedback": learns,
      "ace.skillbook.get": read,
      "ace.skillbook.save": replaces,
      "ace.skillbook.load": replaces,
    });
    for (const tool of tools) expect(typeof tool.annotations?.openWorldHint).toBe("boolean");
  });

  it("raises the published limits with the configuration, and never lowers them", async () => {
    await using raised = await connectInMemory({
      config: { maxSamplesPerCall: 40, maxPromptChars: 200_000 },
    });
    const schemaOf = (tools: { name: string; inputSchema: unknown }[], name: string): unknown =>
      tools.find((tool) => tool.name === name)?.inputSchema;
    const up = (await raised.client.listTools()).tools;
    expect(schemaOf(up, "ace.ask")).toMatchObject({
      properties: { question: { maxLength: 200_000 } },
    });
    expect(schemaOf(up, "ace.learn.sample")).toMatchObject({
      properties: { samples: { maxItems: 40 } },
    });
    const samples = Array.from({ length: 40 }, () => ({ question: "q" }));
    await raised.reply("ace.learn.sample", { session_id: "s", samples });
    await using lowered = await connectInMemory({
      config: { maxSamplesPerCall: 2, maxPromptChars: 10 },
    });
    const down = (await lowered.client.listTools()).tools;
    expect(schemaOf(down, "ace.ask")).toEqual(schemas.tools["ace.ask"].request);
    expect(schemaOf(down, "ace.learn.sample")).toEqual(schemas.tools["ace.learn.sample"].request);
  });

  it("shows one spelling and serves both", async () => {
    await using connection = await connectInMemory({
      createRunner: stubFactory().create,
      config: { toolNames: "underscore" },
    });
    const { tools } = await connection.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      TOOL_NAMES.map((name) => name.replaceAll(".", "_")),
    );
    expect(JSON.stringify(tools)).not.toMatch(/ace\.[a-z]/);
    for (const name of ["ace.ask", "ace_ask"])
      expect(await connection.reply(name, ASK)).toMatchObject({ answer: "42" });
  });
});

describe("tools/call", () => {
  it("5.5 #35: answers with the reply as JSON text and as structured content", async () => {
    await using connection = await connectInMemory({ createRunner: stubFactory().create });
    const result = await connection.call("ace.ask", ASK);
    expect(result.isError ?? false).toBe(false);
    expect(JSON.parse(textOf(result))).toEqual({ session_id: "s", answer: "42", skill_count: 3 });
    expect(result.structuredContent).toEqual(JSON.parse(textOf(result)));
  });

  it("5.5 #36, deliberately different: an unknown tool is the protocol's error -32602", async () => {
    await using connection = await connectInMemory();
    for (const name of ["ace.unknown", "toString", "__proto__", ""]) {
      await expect(connection.call(name, {})).rejects.toSatisfy(
        (error) => error instanceof ProtocolError && error.code === -32_602,
      );
    }
  });

  it("5.5 #5: every failure is the contract's error envelope as text, without structured content", async () => {
    const validate = new AjvJsonSchemaValidator().getValidator(schemas.error);
    await using connection = await connectInMemory({
      config: { allowSaveLoad: false, defaultModel: "gpt-4o-mini" },
    });
    const failures = [
      await connection.call("ace.ask", {}),
      await connection.call("ace.ask", ASK),
      await connection.call("ace.skillbook.get", { session_id: "none" }),
      await connection.call("ace.skillbook.save", { session_id: "s", path: "a.json" }),
    ];
    const codes = failures.map((result) => {
      expect(result.isError).toBe(true);
      expect(result).not.toHaveProperty("structuredContent");
      const envelope = JSON.parse(textOf(result)) as { code: string };
      expect(validate(envelope).valid).toBe(true);
      return envelope.code;
    });
    expect(codes).toEqual([
      "ACE_MCP_VALIDATION_ERROR",
      "ACE_MCP_PROVIDER_ERROR",
      "ACE_MCP_SESSION_NOT_FOUND",
      "ACE_MCP_SAVE_LOAD_DISABLED",
    ]);
    expect(validate({ code: "x", message: "y", other: 1 }).valid).toBe(false);
  });

  it("names the way to work offline when the default model cannot be built", async () => {
    await using connection = await connectInMemory({ config: { defaultModel: "gpt-4o-mini" } });
    const error = await connection.failure("ace.ask", ASK);
    expect(error.message).toContain("ACE_MCP_DEFAULT_MODEL=builtin/recall");
    expect(error.details).toEqual({
      provider: "openai",
      model: "gpt-4o-mini",
      kind: "auth",
      retryable: false,
    });
  });

  it("sends progress when the client asks for it, strictly increasing", async () => {
    const stub = stubFactory(() => ({
      learn: async (_samples, { onProgress }) => {
        for (const done of [1, 2, 3]) onProgress?.({ done, total: 3, failed: 0, skillCount: done });
        return learnReport;
      },
    }));
    await using connection = await connectInMemory({ createRunner: stub.create });
    const seen: number[] = [];
    await connection.client.callTool(
      { name: "ace.learn.sample", arguments: { ...SAMPLES, epochs: 3 } },
      { onprogress: ({ progress }) => seen.push(progress) },
    );
    expect(seen).toEqual([1, 2, 3]);
  });

  it("stops the work of a call that the client cancels, and frees the session", async () => {
    let stopped = false;
    const stub = stubFactory(() => ({
      learn: async (_samples, { signal }) => {
        await untilAbort(signal).catch(() => undefined);
        stopped = true;
        return { ...learnReport, aborted: true };
      },
    }));
    await using connection = await connectInMemory({ createRunner: stub.create });
    const controller = new AbortController();
    const learning = connection.client.callTool(
      { name: "ace.learn.sample", arguments: SAMPLES },
      { signal: controller.signal },
    );
    await expect.poll(() => stub.count("learn")).toBe(1);
    controller.abort();
    await expect(learning).rejects.toThrow();
    await expect.poll(() => stopped).toBe(true);
    expect(await connection.reply("ace.ask", ASK)).toMatchObject({ answer: "42" });
  });
});
