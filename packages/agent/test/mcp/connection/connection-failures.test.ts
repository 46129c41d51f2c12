import { expect, test } from "vitest";
import {
  endFailure,
  type FailureContext,
  startTimeout,
} from "../../../src/mcp/connection/connection-failures.ts";
import { parseServerDefinition } from "../../../src/mcp/config/parse-server-definition.ts";
import { statusText } from "../../../src/mcp/status-text.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";

function context(raw: object, stderr = "", skipped = ""): FailureContext {
  const parsed = parseServerDefinition(raw, { environment: {}, expand: false });
  if (!parsed.ok) throw new Error(parsed.fault);
  return {
    name: "memory",
    definition: parsed.definition,
    redact: createRedactor(),
    stderrTail: () => stderr,
    skippedTail: () => skipped,
    lastFailure: () => undefined,
  };
}

const TRACE = `node:internal/modules/cjs/loader:1228
  throw err;
  ^

Error: Cannot find module '/srv/index.js'
${"    at Module._load (node:internal/modules/cjs/loader:1104:12)\n".repeat(12)}
  code: 'MODULE_NOT_FOUND'
}

Node.js v20.20.0`;

const EXITED = { kind: "exited", exitCode: 1, signal: null } as const;

test.each([["npx"], ["/usr/bin/npx"], ["uvx"], ["bunx"], ["docker"], ["C:\\bin\\npx.cmd"]])(
  "where %s may have to download, a slow start says how to give it the time",
  (command) => {
    const { kind, message } = startTimeout(context({ command, args: ["-y", "pkg"] }));
    expect(kind).toBe("timeout");
    expect(message).toMatch(/first start with (?:npx|uvx|bunx|docker) may have to download/);
    expect(message).toContain("`acumen mcp test memory --startup-timeout 120000`");
    expect(message).toContain('"startupTimeoutMs"');
  },
);

test.each([[{ command: "node" }], [{ url: "https://example.org/mcp" }]])(
  "elsewhere both the key and the option are named: %j",
  (raw) => {
    const { message } = startTimeout(context(raw));
    expect(message).toContain('"startupTimeoutMs" in its definition (`--startup-timeout`');
    expect(message).not.toContain("download");
  },
);

test("of a stack trace the error comes first, in the first line, and all of it stays behind", () => {
  const { message } = endFailure(EXITED, context({ command: "node" }, TRACE));
  const [first, ...rest] = message.split("\n");
  expect(first).toBe(
    `The MCP server "memory" exited with code 1. It wrote to stderr: Error: Cannot find module '/srv/index.js'`,
  );
  expect(rest[0]).toBe("The end of its stderr:");
  expect(message).toContain("Node.js v20.20.0");
  const shown = statusText(message, (text) => text);
  expect(shown.split("\n")[0]).toBe(first);
  expect(shown.length).toBeLessThanOrEqual(1_000);
});

test("without an error the first line is told, cut; one line is not repeated", () => {
  const long = endFailure(EXITED, context({ command: "node" }, `\n${"x".repeat(900)}\nlast`));
  expect(long.message.split("\n")[0]).toMatch(/stderr: x{300}…$/);
  const one = endFailure(EXITED, context({ command: "node" }, "no config\n", "hello\nagain"));
  expect(one.message).toBe(
    'The MCP server "memory" exited with code 1. It wrote to stderr: no config It wrote to stdout: hello\nThe end of its stdout:\nhello\nagain',
  );
});
