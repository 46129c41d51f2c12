import { expect, test } from "vitest";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import type { JsonObject } from "../../src/envelope/json-value.ts";

const facade = new AcpLocalFacade();

async function ask(operation: string, params: JsonObject) {
  const { status, data } = await facade.dispatch({ operation, params });
  expect(status).toBe("ok");
  return data as {
    readonly tools: readonly { readonly name: string; readonly input_schema: JsonObject }[];
    readonly resources: readonly { readonly name: string; readonly type_name: string }[];
    readonly next_cursor: string | null;
  };
}

test("a list of tools has their schemas, comes in pages, and none of its filters does nothing", async () => {
  const all = await ask("registry.list_tools", {});
  expect(all.tools.length).toBeGreaterThan(5);
  for (const tool of all.tools) expect(tool.input_schema).toMatchObject({ type: "object" });
  const names: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await ask("registry.list_tools", { limit: 2, ...(cursor !== null && { cursor }) });
    expect(page.tools.length).toBeLessThanOrEqual(2);
    names.push(...page.tools.map(({ name }) => name));
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(names).toEqual(all.tools.map(({ name }) => name));
  for (const filter of [{ namespace: "none" }, { namespace: "mcp" }, { query: "zzzz" }]) {
    expect((await ask("registry.list_tools", filter)).tools).toEqual([]);
  }
  expect((await ask("registry.list_tools", { query: "bash" })).tools.length).toBeLessThan(
    all.tools.length,
  );
});

test("a list of resources has the project, comes in pages, and none of its filters does nothing", async () => {
  const all = await ask("registry.list_resources", {});
  expect(all.resources.length).toBeGreaterThan(0);
  const first = await ask("registry.list_resources", { limit: 1 });
  expect(first.resources).toEqual(all.resources.slice(0, 1));
  for (const filter of [{ type_name: "mcp-server" }, { name_prefix: "none/" }]) {
    expect((await ask("registry.list_resources", filter)).resources).toEqual([]);
  }
});
