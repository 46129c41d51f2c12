import type { EventPayload } from "@acumen/agent";
import pc from "picocolors";
import { expect, test } from "vitest";
import { progressLines, serverLines } from "../../src/events/event-lines.ts";

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
    { state: "error", reason: `It ended. \u001B[2J${"word ".repeat(14)}\nstderr: more` },
    [
      "  MCP server files: error. It ended. [2Jword word word word word word word word",
      "  word word word word word word",
    ],
  ],
])("the state of a server, %j", (payload, expected) => {
  const event = { server: "files", state: "error", previous: null, reason: null, ...payload };
  expect(serverLines(event, LOOK)).toEqual(expected);
});

test.each(["failed", "rejected"] as const)(
  "what a tool of a server wrote drives no terminal and turns no text around: %s",
  (status) => {
    const text = "a\u001B[2J\u001B]8;;http://x\u0007b\u009B31m\u202Ec\u2066d\u200B\rover";
    const place = { seq: 1, event_id: "e", session_id: "s", turn_id: "t", step: 1 };
    const lines = progressLines(
      {
        ...place,
        timestamp: "2026-01-01T00:00:00.000Z",
        type: "TOOL_RESULT",
        payload: {
          call_id: "c",
          status,
          output: [{ type: "text", text }],
          exit_code: null,
          duration_ms: 1_000,
          truncated: false,
          diff: [],
        },
      },
      LOOK,
    );
    expect(lines.join("\n")).toContain("over");
    expect(lines.join("\n")).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  },
);

test("trouble is yellow, everything else is dim", () => {
  const look = { colours: pc.createColors(true), width: 80 };
  const base = { server: "files", previous: "connecting", reason: null };
  expect(serverLines({ ...base, state: "error" }, look)[0]).toContain("\u001B[33m");
  expect(serverLines({ ...base, state: "connected" }, look)[0]).toContain("\u001B[2m");
});
