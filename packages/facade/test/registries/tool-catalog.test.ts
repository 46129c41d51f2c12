import { RESERVED_TOOL_NAMES } from "@acumen/agent";
import { expect, test } from "vitest";
import { ResourceNotFoundError } from "../../src/errors/domain-error.ts";
import { ToolCatalog } from "../../src/registries/tool-catalog.ts";
import { CALLER, registryBench } from "./support.ts";

test("without servers there are the agent's own tools, each with its schema", async () => {
  await using bench = await registryBench();
  const { projects } = bench;
  const {
    items,
    servers,
    next_cursor: next,
  } = await new ToolCatalog({ projects }).listTools({ limit: 50 }, CALLER);
  expect(items.map(({ name }) => name)).toEqual(
    RESERVED_TOOL_NAMES.map((name) => `builtin/${name}`).toSorted(),
  );
  for (const { description, input_schema: schema } of items) {
    expect(description).not.toBe("");
    expect(schema).toMatchObject({ type: "object", properties: expect.anything() });
  }
  expect([servers, next]).toEqual([[], null]);
  const readOnly = items.filter(({ read_only: only }) => only).map(({ name }) => name);
  expect(readOnly).toEqual(expect.arrayContaining(["builtin/grep", "builtin/read_file"]));
  expect(readOnly).not.toContain("builtin/bash");
});

test("each filter really filters, and pages follow each other", async () => {
  await using bench = await registryBench();
  const { tools } = bench;
  const names = async (query: object): Promise<readonly string[]> => {
    const { items } = await tools.listTools({ limit: 50, ...query }, CALLER);
    return items.map(({ name }) => name);
  };
  expect(await names({ namespace: "builtin" })).toHaveLength(RESERVED_TOOL_NAMES.length);
  expect(await names({ namespace: "nobody" })).toEqual([]);
  expect(await names({ namespace: "mcp" })).toEqual([]);
  expect(await names({ namespace: "mcp.none" })).toEqual([]);
  expect(await names({ source: "builtin" })).toHaveLength(RESERVED_TOOL_NAMES.length);
  expect(await names({ source: "mcp" })).toEqual([]);
  expect(await names({ query: "GREP" })).toEqual(["builtin/grep"]);
  expect(await names({ query: "no tool says this" })).toEqual([]);
  const first = await tools.listTools({ limit: 5 }, CALLER);
  const rest = await tools.listTools({ limit: 5, cursor: first.next_cursor ?? "" }, CALLER);
  expect([...first.items, ...rest.items].map(({ name }) => name)).toEqual(await names({}));
  await expect(names({ project: "local/other" })).rejects.toThrow(ResourceNotFoundError);
});

test("servers of a project that is not trusted are named and not started", async () => {
  await using bench = await registryBench({ calc: { command: "/nowhere/calc" } });
  await bench.choose("a", "calc");
  const project = await bench.projects.find("local/a");
  const served = await bench.mcp.of({ ...project, trusted: false }, CALLER.signal);
  expect(served.tools).toEqual([]);
  expect(served.servers).toEqual([
    {
      name: "calc",
      state: "disabled",
      reason: expect.stringMatching(/not trusted/),
      project: "local/a",
    },
  ]);
});
