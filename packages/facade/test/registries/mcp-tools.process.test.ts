import { readFile } from "node:fs/promises";
import { McpRuntimeManager } from "@acumen/agent";
import { silentLogger } from "@acumen/core";
import { misbehavingServer, tempFolder } from "@acumen/testkit";
import { expect, test, vi } from "vitest";
import { toolFragments } from "../../src/context/tool-fragments.ts";
import { CALLER, registryBench } from "./support.ts";

test("tools of the servers that a project chose stand beside the agent's own", async () => {
  await using bench = await registryBench({ Calc: misbehavingServer("well") }, { waitMs: 20_000 });
  await bench.choose("a", "Calc");
  const page = await bench.tools.listTools({ limit: 50, namespace: "mcp" }, CALLER);
  expect(page.servers).toEqual([
    { name: "Calc", state: "connected", reason: null, project: "local/a" },
  ]);
  const echo = page.items.find(({ raw_name: raw }) => raw === "echo");
  expect(echo).toMatchObject({ source: "mcp", server: "Calc", read_only: false });
  expect(echo?.name).toMatch(/^mcp\.calc-[0-9a-f]{8}\/echo$/);
  expect(echo?.input_schema).toMatchObject({ type: "object" });
  const namespace = echo?.name.split("/")[0] ?? "";
  const own = await bench.tools.listTools({ limit: 50, namespace, query: "ECHO" }, CALLER);
  expect(own.items).toEqual([echo]);
  const other = await bench.tools.listTools({ limit: 50, project: "local/b" }, CALLER);
  expect(other.items.every(({ source }) => source === "builtin")).toBe(true);
  expect(other.servers).toEqual([]);
});

test("a tool's schema of results is there when its server gives one", async () => {
  const server = misbehavingServer("output-schema-without-structured-content");
  await using bench = await registryBench({ calc: server }, { waitMs: 20_000 });
  await bench.choose("a", "calc");
  const { items } = await bench.tools.listTools({ limit: 200 }, CALLER);
  const schemas = Object.fromEntries(
    items.map(({ name, output_schema: schema }) => [name, schema] as const),
  );
  expect(schemas).toMatchObject({
    "mcp.calc/typed": { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
    "mcp.calc/echo": null,
    "builtin/bash": null,
  });
});

test("of a project that is not trusted no server is ever started, neither for a list nor for a context", async () => {
  await using logs = await tempFolder("acumen-mcp-log");
  const log = logs.join("log");
  const server = misbehavingServer("well", { log });
  await using bench = await registryBench({ calc: server }, { waitMs: 20_000 });
  await bench.choose("a", "calc");
  await bench.trust.revoke(bench.folder.join("a"));
  const page = await bench.tools.listTools({ limit: 50 }, CALLER);
  expect(page.servers).toMatchObject([{ name: "calc", state: "disabled" }]);
  const project = await bench.projects.find("local/a");
  expect(project.trusted).toBe(false);
  const { warnings } = await toolFragments(bench.tools, project, CALLER);
  expect(warnings).toEqual([expect.stringMatching(/calc .*not trusted/)]);
  await expect(readFile(log, "utf8")).rejects.toMatchObject({ code: "ENOENT" });
  await bench.trust.trust(bench.folder.join("a"));
  await bench.tools.listTools({ limit: 50 }, CALLER);
  expect(await readFile(log, "utf8")).not.toBe("");
});

test("a thousand tools of a server come in pages, each once", async () => {
  const server = misbehavingServer("many-tools", { count: 1_000 });
  await using bench = await registryBench({ calc: server }, { waitMs: 20_000 });
  await bench.choose("a", "calc");
  const names: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof bench.tools.listTools>> = await bench.tools.listTools(
      { limit: 200, namespace: "mcp", ...(cursor !== null && { cursor }) },
      CALLER,
    );
    names.push(...page.items.map(({ name }) => name));
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(names.length).toBeGreaterThanOrEqual(1_000);
  expect(new Set(names).size).toBe(names.length);
});

test("a server that says nothing is waited for no longer than the limit, and has a state", async () => {
  const server = misbehavingServer("never-initializes");
  await using bench = await registryBench({ mute: server }, { waitMs: 200 });
  await bench.choose("a", "mute");
  const started = performance.now();
  const page = await bench.tools.listTools({ limit: 50 }, CALLER);
  expect(performance.now() - started).toBeLessThan(5_000);
  expect(page.servers).toMatchObject([{ name: "mute", state: "connecting" }]);
  expect(page.items.every(({ source }) => source === "builtin")).toBe(true);
});

test("what nobody asks for any more is closed, and comes back for the next one", async () => {
  await using logs = await tempFolder("acumen-mcp-log");
  const log = logs.join("log");
  const server = misbehavingServer("well", { log });
  const options = { waitMs: 20_000, idleMs: 50 };
  await using bench = await registryBench({ calc: server }, options);
  await bench.choose("a", "calc");
  const listed = () => bench.tools.listTools({ limit: 50, namespace: "mcp.calc" }, CALLER);
  const before = await listed();
  expect(before.items.length).toBeGreaterThan(0);
  await vi.waitFor(async () => expect(await readFile(log, "utf8")).toMatch(/"end|stdin/), {
    timeout: 10_000,
  });
  expect((await listed()).items).toEqual(before.items);
});

test("the close waits also for servers that are being closed because nobody asks", async () => {
  await using logs = await tempFolder("acumen-mcp-log");
  const log = logs.join("log");
  const server = misbehavingServer("ignores-sigterm", { log });
  await using bench = await registryBench({ deaf: server }, { waitMs: 20_000, idleMs: 50 });
  await bench.choose("a", "deaf");
  await bench.tools.listTools({ limit: 50 }, CALLER);
  await vi.waitFor(async () => expect(await readFile(log, "utf8")).toContain("terminated"), {
    timeout: 20_000,
  });
  const [, pid = ""] = /"pid":(\d+)/.exec(await readFile(log, "utf8")) ?? [];
  await bench.mcp.close();
  expect(() => process.kill(Number(pid), 0)).toThrow(/ESRCH/);
}, 60_000);

test("servers that cannot be closed are told to the log, and to nobody else", async () => {
  const told: unknown[] = [];
  const logger = {
    ...silentLogger,
    warn: (message: string, fields?: object) => void told.push([message, fields]),
  };
  await using bench = await registryBench({}, { idleMs: 1, logger });
  await bench.choose("a", "none");
  const close = vi.spyOn(McpRuntimeManager.prototype, "close");
  const error = new Error("It hangs.");
  close.mockRejectedValueOnce(error);
  try {
    await bench.tools.listTools({ limit: 50 }, CALLER);
    await vi.waitFor(() => expect(told).toEqual([[expect.stringContaining("close"), { error }]]));
    await bench.mcp.close();
  } finally {
    close.mockRestore();
  }
});

test("after the close nothing is started", async () => {
  await using bench = await registryBench({ calc: misbehavingServer("well") });
  await bench.choose("a", "calc");
  await bench.mcp.close();
  const page = await bench.tools.listTools({ limit: 50, namespace: "mcp" }, CALLER);
  expect(page.items).toEqual([]);
  expect(page.servers).toMatchObject([
    { state: "disabled", reason: expect.stringMatching(/closed/) },
  ]);
});
