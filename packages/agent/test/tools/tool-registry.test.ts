import { expect, test } from "vitest";
import { isReservedToolName, RESERVED_TOOL_NAMES } from "../../src/tools/reserved-names.ts";
import { MAX_TOOLS, ToolRegistry } from "../../src/tools/tool-registry.ts";
import type { ToolSource } from "../../src/tools/tool-source.ts";
import type { Tool, ToolOrigin } from "../../src/tools/tool.ts";

function tool(name: string, server?: string): Tool {
  const origin: ToolOrigin =
    server === undefined
      ? { type: "builtin" }
      : { type: "mcp", server, identity: "x", trustedReadOnly: false };
  return {
    name,
    origin,
    description: "",
    inputSchema: {},
    kind: "other",
    risk: "read",
    prepare: () => Promise.resolve({ ok: false, message: "not meant to be called" }),
  };
}

function source(server: string, names: readonly string[]): ToolSource & { closed: boolean } {
  const made = {
    closed: false,
    tools: () => names.map((name) => ({ exposedName: name, tool: tool(`raw-${name}`, server) })),
    ready: () => Promise.resolve(),
    close: () => {
      made.closed = true;
      return Promise.resolve();
    },
  };
  return made;
}

const NEVER = new AbortController().signal;

test("gives built-in tools and those of sources sorted by name, the same each time", () => {
  const registry = new ToolRegistry({
    builtins: [tool("grep"), tool("bash")],
    sources: [source("one", ["zeta", "Alpha"]), source("two", ["beta"])],
  });
  for (const current of [registry.current(), registry.current()]) {
    const names = current.map(({ exposedName }) => exposedName);
    expect(names).toEqual(["Alpha", "bash", "beta", "grep", "zeta"]);
  }
  expect(registry.warnings()).toEqual([]);
  expect(registry.get("zeta")?.name).toBe("raw-zeta");
  expect(registry.get("raw-zeta")).toBeUndefined();
  expect(registry.get("toString")).toBeUndefined();
});

test("no tool of a source takes a name of a built-in tool, in whatever case, nor that of an earlier one", () => {
  const bash = tool("bash");
  const registry = new ToolRegistry({
    builtins: [bash],
    sources: [source("one", ["bash", "BASH", "Write_File", "mine"]), source("two", ["Mine"])],
  });
  expect(registry.current().map(({ exposedName }) => exposedName)).toEqual(["bash", "mine"]);
  expect(registry.get("bash")).toBe(bash);
  expect(registry.get("Mine")).toBeUndefined();
  expect(registry.warnings()).toEqual([
    "The tool bash of the server one is left out: its name belongs to a built-in tool.",
    "The tool BASH of the server one is left out: its name belongs to a built-in tool.",
    "The tool Write_File of the server one is left out: its name belongs to a built-in tool.",
    "The tool Mine of the server two is left out: its name belongs to an earlier tool.",
  ]);
});

test("at most 128 tools; the last of the sources are left out and named", () => {
  const names = Array.from(
    { length: MAX_TOOLS },
    (_, index) => `t${String(index).padStart(3, "0")}`,
  );
  const registry = new ToolRegistry({ builtins: [tool("bash")], sources: [source("one", names)] });
  expect(registry.current()).toHaveLength(MAX_TOOLS);
  expect(registry.get("t127")).toBeUndefined();
  expect(registry.get("t126")).toBeDefined();
  expect(registry.warnings()).toEqual([expect.stringMatching(/128 tools; 1 are left out: t127\./)]);
});

test("a tool that a source has no more is no more called", () => {
  const names = ["one", "two"];
  const changing = source("s", names);
  const registry = new ToolRegistry({ builtins: [], sources: [changing] });
  expect(registry.get("two")).toBeDefined();
  names.pop();
  expect(registry.get("two")).toBeUndefined();
});

test("the same tools are looked through once, others again", () => {
  const entries = [{ exposedName: "one", tool: tool("one", "s") }];
  const still: ToolSource = { ...source("s", []), tools: () => [...entries] };
  const registry = new ToolRegistry({ builtins: [tool("bash")], sources: [still] });
  const before = registry.current();
  expect(registry.current()).toBe(before);
  entries[0] = { exposedName: "one", tool: tool("one", "s") };
  expect(registry.current()).not.toBe(before);
  expect(registry.get("one")).toBe(entries[0].tool);
  entries.pop();
  expect(registry.current()).toHaveLength(1);
});

test("a source explains what it had before", () => {
  const silent = source("one", ["a"]);
  const knows = (name: string): string | undefined =>
    name === "b" ? "It was removed." : undefined;
  const sources = [silent, { ...source("two", []), explain: knows }];
  const registry = new ToolRegistry({ builtins: [tool("bash")], sources });
  expect(registry.explain("b")).toBe("It was removed.");
  expect(registry.explain("c")).toBeUndefined();
});

test("a call goes to the tool that the model was given, whoever has the name by then", () => {
  const names = ["one", "two"];
  const first = source("first", names);
  const second = source("second", ["two"]);
  const registry = new ToolRegistry({ builtins: [], sources: [first, second] });
  registry.give(registry.current());
  names.pop();
  const serverOf = (name: string): unknown => registry.get(name)?.origin;
  expect(serverOf("two")).toMatchObject({ server: "first" });
  registry.give(registry.current());
  expect(serverOf("two")).toMatchObject({ server: "second" });
});

test("waits for every source, and closes every one also when another fails", async () => {
  const good = source("good", []);
  const bad = { ...source("bad", []), close: () => Promise.reject(new Error("stuck")) };
  const registry = new ToolRegistry({ builtins: [], sources: [bad, good] });
  await registry.ready(NEVER);
  await expect(registry.close()).rejects.toThrow("1 tool source(s)");
  expect(good.closed).toBe(true);
});

test("the reserved names are those of the built-in tools", () => {
  expect(RESERVED_TOOL_NAMES.every(isReservedToolName)).toBe(true);
  expect(isReservedToolName("Bash")).toBe(true);
  expect(isReservedToolName("bash2")).toBe(false);
});
