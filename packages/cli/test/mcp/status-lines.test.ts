import type { McpServerStatus } from "@acumen/agent";
import pc from "picocolors";
import { expect, test } from "vitest";
import { fileLines, noteLines, problemLines, statusLines } from "../../src/mcp/status-lines.ts";

const LOOK = { colours: pc.createColors(false), width: 80 };

function status(more: Partial<McpServerStatus> & Pick<McpServerStatus, "server">): McpServerStatus {
  return {
    source: "machine",
    transport: "stdio",
    state: "connected",
    tool_count: 0,
    enabled: true,
    paused: false,
    conflicts: [],
    quarantined: [],
    since: "2026-01-01T00:00:00.000Z",
    protocol_version: null,
    ...more,
  };
}

test("each server is a line with name, state, transport and tools, and what there is to say below", () => {
  const servers = [
    status({ server: "memory", tool_count: 1 }),
    status({ server: "a-longer-name", transport: "http", tool_count: 12 }),
    status({ server: "gone", transport: null, state: "missing", reason: "Define it." }),
    status({
      server: "files",
      state: "error",
      reason: "Its names are taken.",
      conflicts: [
        { tool: "read_file", owner: "built-in", resolution: "rejected" },
        { tool: "find", owner: "memory", resolution: "mcp__files__find" },
      ],
      quarantined: [{ tool: "odd", reason: "its schema is a list" }],
    }),
  ];
  expect(statusLines(servers, LOOK)).toEqual([
    "memory         connected   stdio  1 tool",
    "a-longer-name  connected   http   12 tools",
    "gone           missing     -",
    "  Define it.",
    "files          error       stdio",
    "  Its names are taken.",
    "  The name find is taken (memory); the tool is called mcp__files__find.",
    "  odd is left out: its schema is a list",
  ]);
});

test("tools that are left out for one reason are one remark, and not all of them are named", () => {
  const quarantined = Array.from({ length: 81 }, (_, index) => ({
    tool: `t${index}`,
    reason: "too many",
  }));
  const odd = { tool: "odd", reason: "its schema is a list" };
  expect(
    statusLines([status({ server: "big", quarantined: [...quarantined, odd] })], LOOK),
  ).toEqual([
    "big  connected   stdio  0 tools",
    "  t0, t1, t2, t3, t4, 76 more are left out: too many",
    "  odd is left out: its schema is a list",
  ]);
});

test("many names that are taken are one remark with their count", () => {
  const conflicts = Array.from({ length: 18 }, (_, index) => ({
    tool: `t${index}`,
    owner: index === 0 ? "built-in" : "memory",
    resolution: `mcp__files__t${index}`,
  }));
  expect(statusLines([status({ server: "files", tool_count: 18, conflicts })], LOOK)).toEqual([
    "files  connected   stdio  18 tools",
    "  18 names are taken (built-in, memory); those tools have longer names, such as",
    "  mcp__files__t0.",
  ]);
});

test("people read the first line of a reason, which holds the telling line of what a server wrote", () => {
  const reason = "It exited. It wrote to stderr: Error: no\nThe end of its stderr:\n  at a\n  at b";
  expect(statusLines([status({ server: "x", state: "error", reason })], LOOK)).toEqual([
    "x  error       stdio",
    "  It exited. It wrote to stderr: Error: no",
  ]);
});

test("what definitions say in vain is a marked line for each", () => {
  const notes = [
    { server: "one", text: "first" },
    { server: "two", text: "second" },
  ];
  expect(noteLines(notes, LOOK)).toEqual(["note: one: first", "note: two: second"]);
  expect(noteLines(notes, LOOK, "two")).toEqual(["note: two: second"]);
});

test("nothing is wider than the terminal, and no text drives it", () => {
  const long = "word\u001B[2J ".repeat(60);
  const lines = [
    ...statusLines(
      [
        status({
          server: "n".repeat(64),
          state: "error",
          reason: long,
          conflicts: [{ tool: long, owner: long, resolution: long }],
          quarantined: [{ tool: long, reason: long }],
        }),
        status({ server: "short", state: "disabled" }),
      ],
      LOOK,
    ),
    ...fileLines({ machine: `/${"m".repeat(200)}`, workspace: "/w" }, LOOK),
    ...problemLines([long], LOOK),
  ];
  for (const line of lines) {
    expect(line.length).toBeLessThanOrEqual(80);
    expect(line).not.toContain("\u001B");
  }
});

test("both files are named, and what cannot be read of them is wrong, with the remedy", () => {
  expect(problemLines(["bad", "ill Until it is mended, more."], LOOK)).toEqual([
    "wrong: bad Mend it there; nothing of that file counts until then.",
    "wrong: ill Until it is mended, more. Mend it there.",
  ]);
  expect(fileLines({ machine: "/h/mcp.json", workspace: "/w/x.json" }, LOOK)).toEqual([
    "machine: /h/mcp.json",
    "workspace: /w/x.json",
  ]);
});
