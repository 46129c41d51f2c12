import { silentLogger, systemClock } from "@acumen/core";
import { type MisbehavingMode, type MisbehavingOptions, misbehavingServer } from "@acumen/testkit";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import type { McpServerDefinition } from "../../../../src/mcp/config/server-definition.ts";
import type {
  CallAnswer,
  CallOptions,
  ConnectionFailure,
  McpConnection,
} from "../../../../src/mcp/connection/mcp-connection.ts";
import {
  type ConnectContext,
  openConnection,
} from "../../../../src/mcp/connection/open-connection.ts";
import { childEnvironment } from "../../../../src/process/child-environment.ts";
import { ProcessGuard } from "../../../../src/process/process-guard.ts";
import { createRedactor } from "../../../../src/redaction/redactor.ts";

const COMMON = {
  timeoutMs: 20_000,
  startupTimeoutMs: 20_000,
  onConflict: "reject",
  trustReadOnlyHint: false,
} as const;

export function stdio(
  modes: MisbehavingMode | readonly MisbehavingMode[],
  overrides: Partial<McpServerDefinition> = {},
  options: MisbehavingOptions = {},
): McpServerDefinition {
  const { command, args } = misbehavingServer(modes, options);
  return {
    ...COMMON,
    transport: "stdio",
    command,
    args,
    env: {},
    ...overrides,
  } as McpServerDefinition;
}

/** A server of the tests here, written in plain Node. */
export function script(
  name: string,
  args: readonly string[] = [],
  overrides: Partial<McpServerDefinition> = {},
): McpServerDefinition {
  const file = fileURLToPath(new URL(`${name}.mjs`, import.meta.url));
  return {
    ...COMMON,
    transport: "stdio",
    command: process.execPath,
    args: [file, ...args],
    env: {},
    ...overrides,
  } as McpServerDefinition;
}

export function remote(
  url: string,
  overrides: Partial<McpServerDefinition> = {},
): McpServerDefinition {
  return { ...COMMON, transport: "http", url, headers: {}, ...overrides } as McpServerDefinition;
}

export interface Connections extends AsyncDisposable {
  readonly context: ConnectContext;
  open(
    definition: McpServerDefinition,
    overrides?: Partial<ConnectContext>,
  ): ReturnType<typeof openConnection>;
  /** Fails the test when there is no connection. */
  connect(
    definition: McpServerDefinition,
    overrides?: Partial<ConnectContext>,
  ): Promise<McpConnection>;
  /** Fails the test when there is one. */
  fail(
    definition: McpServerDefinition,
    overrides?: Partial<ConnectContext>,
  ): Promise<ConnectionFailure>;
}

/** `await using`: what was opened is closed at the end. */
export function connections(): Connections {
  const opened: McpConnection[] = [];
  const guard = new ProcessGuard();
  const context: ConnectContext = {
    cwd: tmpdir(),
    environment: childEnvironment(process.env),
    guard,
    redact: createRedactor(),
    signal: new AbortController().signal,
    clock: systemClock,
    logger: silentLogger,
  };
  const open: Connections["open"] = async (definition, overrides = {}) => {
    const answer = await openConnection({ name: "peer", definition }, { ...context, ...overrides });
    if (answer.ok) opened.push(answer.connection);
    return answer;
  };
  return {
    context,
    open,
    connect: async (definition, overrides) => {
      const answer = await open(definition, overrides);
      if (!answer.ok) throw new Error(`${answer.failure.kind}: ${answer.failure.message}`);
      return answer.connection;
    },
    fail: async (definition, overrides) => {
      const answer = await open(definition, overrides);
      if (answer.ok) throw new Error("There is a connection where none was expected.");
      return answer.failure;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(opened.map((connection) => connection.close()));
      guard.close();
    },
  };
}

export function call(
  connection: McpConnection,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  options: Partial<CallOptions> = {},
): Promise<CallAnswer> {
  const signal = new AbortController().signal;
  return connection.callTool(name, args, { signal, timeoutMs: 20_000, ...options });
}

/** The first text of a result; fails the test when there is no result. */
export function textOf(answer: CallAnswer): string {
  if (!answer.ok) throw new Error(`${answer.kind}: ${answer.message}`);
  const [block] = answer.result["content"] as readonly { readonly text: string }[];
  return block?.text ?? "";
}

export function closedOf(connection: McpConnection): Promise<ConnectionFailure> {
  return new Promise((resolve) => connection.onClosed(resolve));
}
