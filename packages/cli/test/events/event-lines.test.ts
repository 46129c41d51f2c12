import type { EventPayload } from "@acumen/agent";
import pc from "picocolors";
import { expect, test } from "vitest";
import { serverLines } from "../../src/events/event-lines.ts";

const LOOK = { colours: pc.createColors(false), width: 80 };

test.each<[Partial<EventPayload<"MCP_STATUS">>, string[]]>([
  [{ state: "connecting" }, []],
  [{ state: "disabled" }, []],
  [{ state: "connected", previous: "connecting" }, ["  MCP server files: connected"]],
  [{ state: "disabled", previous: "connected" }, ["  MCP server files: disabled"]],
  [{ state: "disabled", reason: "Not trusted." }, ["  MCP server files: disabled. Not trusted."]],
  [{ state: "paused", previous: "connected" }, ["  MCP server files: paused"]],
  [{ state: "missing", reason: "Define it." }, ["  MCP server files: missing. Define it."]],
  [
    { state: "error", reason: `It ended.\nstderr: \u001B[2J${"word ".repeat(14)}` },
    [
      "  MCP server files: error. It ended. stderr: [2Jword word word word word word",
      "  word word word word word word word word",
    ],
  ],
])("the state of a server, %j", (payload, expected) => {
  const event = { server: "files", state: "error", previous: null, reason: null, ...payload };
  expect(serverLines(event, LOOK)).toEqual(expected);
});

test("trouble is yellow, everything else is dim", () => {
  const look = { colours: pc.createColors(true), width: 80 };
  const base = { server: "files", previous: "connecting", reason: null };
  expect(serverLines({ ...base, state: "error" }, look)[0]).toContain("\u001B[33m");
  expect(serverLines({ ...base, state: "connected" }, look)[0]).toContain("\u001B[2m");
});
