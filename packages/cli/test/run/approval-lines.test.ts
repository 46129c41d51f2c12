import type { ApprovalRequest } from "@acumen/agent";
import { expect, test } from "vitest";
import { approvalChoices, approvalLines } from "../../src/run/approval-lines.ts";
import { createTerminal } from "../../src/terminal/terminal.ts";

const REQUEST: ApprovalRequest = {
  sessionId: "s",
  turnId: "t",
  callId: "c",
  tool: "bash",
  origin: { type: "builtin" },
  kind: "execute",
  risk: "execute",
  title: "npm test",
  command: "npm test\n  -- --watch",
  cwd: "/work/site",
  paths: [],
  diff: [],
  input: '{"command":"npm test"}',
  options: ["allow_once", "allow_always", "reject_once", "reject_always"],
  alwaysCovers: "exactly this command",
  reason: "mode safe asks for commands",
};

function shown(request: Partial<ApprovalRequest>): string {
  const terminal = createTerminal({ write: () => true }, { color: false });
  return approvalLines({ ...REQUEST, ...request }, terminal).join("\n");
}

test("a command is shown whole, with its folder and why it is asked", () => {
  expect(shown({})).toBe(
    [
      "bash wants to run a command",
      "  mode safe asks for commands",
      "  $ npm test",
      "  $   -- --watch",
      "  in /work/site",
    ].join("\n"),
  );
});

test("a command that is started says that it goes on running", () => {
  expect(shown({ background: true }).split("\n")[0]).toBe(
    "bash wants to start a command in the background, which goes on running",
  );
});

test("an edit is shown as a diff with nothing hidden in it", () => {
  const { command: _command, cwd: _cwd, ...edit } = REQUEST;
  const terminal = createTerminal({ write: () => true }, { color: false });
  const text = approvalLines(
    {
      ...edit,
      tool: "edit",
      risk: "write",
      paths: ["/work/site/a.ts"],
      diff: [{ path: "/work/site/a.ts", old_text: "one\ntwo\n", new_text: "one\n\u202Ethree\n" }],
    },
    terminal,
  ).join("\n");
  expect(text).toContain("edit wants to change files");
  expect(text).toContain("  @@ -1,2 +1,2 @@\n   one\n  -two\n  +\\u{202e}three");
});

test("a call of another kind shows its whole input and its server", () => {
  const { command: _command, cwd: _cwd, ...call } = REQUEST;
  const terminal = createTerminal({ write: () => true }, { color: false });
  const origin = { type: "mcp", server: "github", identity: "x", trustedReadOnly: false } as const;
  const request = {
    ...call,
    origin,
    tool: "open",
    input: '{\n  "id": 1\n}',
    risk: "network",
  } as const;
  const text = approvalLines(request, terminal).join("\n");
  expect(text).toContain("open wants to call a tool of the MCP server github");
  expect(text).toContain('  {\n    "id": 1\n  }');
});

test("only the answers that the request allows, and what `always` covers", () => {
  expect(approvalChoices(REQUEST).map(({ value, label }) => [value, label])).toEqual([
    ["allow_once", "Yes, this once"],
    ["allow_always", "Yes, always in this session: exactly this command"],
    ["reject_once", "No, not now"],
    ["reject_always", "No, never in this session: exactly this command"],
  ]);
  const options = ["allow_once", "reject_once"] as const;
  expect(approvalChoices({ ...REQUEST, options })).toHaveLength(2);
});
