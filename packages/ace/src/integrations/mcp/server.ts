import type { Logger } from "@acumen/core";
import { readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import type { McpServer } from "@modelcontextprotocol/server";
import type { McpServerConfig } from "./config.ts";
import { startError } from "./errors.ts";
import type { RunnerFactory } from "./runner.ts";
import { createService, type McpService } from "./service.ts";

export interface ServeOptions {
  readonly config: McpServerConfig;
  readonly logger: Logger;
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Default: the engine's own runner for the session's model. */
  readonly createRunner?: RunnerFactory;
  /** Where keys and addresses of models are looked up. Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface RunningServer {
  /** Resolves when the connection has ended (the client went away, or {@link close}) and sessions are saved. */
  readonly closed: Promise<void>;
  /** Ends the connection: calls at work are aborted, finished learning is saved. */
  close(): Promise<void>;
}

const SDK = "@modelcontextprotocol/server";

/**
 * Serves MCP over a pair of streams, hosts of the `initialize` era and stateless ones alike.
 * Rejects with ACE_MCP_SDK_MISSING when the optional package `@modelcontextprotocol/server` is not installed.
 */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { logger } = options;
  const { serveStdio, PatientStdioTransport } = await importSdk(async () => ({
    ...(await import("@modelcontextprotocol/server/stdio")),
    ...(await import("./stdio-transport.ts")),
  }));
  const service = createService(options);
  const create = await serverFactory(options, service);
  const transport = new PatientStdioTransport(options.stdin, options.stdout);
  const handle = serveStdio(create, {
    transport,
    onerror: (error) => logger.warn("protocol trouble", { error: troubleOf(error) }),
  });
  const closed = new Promise<void>((resolve) => {
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
  }).then(() => service.close());
  return {
    closed,
    close: async () => {
      await handle.close();
      await closed;
    },
  };
}

/**
 * Makes protocol servers over one service, for a transport of your own (an in-memory pair, HTTP). Rejects with
 * ACE_MCP_SDK_MISSING when `@modelcontextprotocol/server` is not installed.
 */
export async function serverFactory(
  options: Pick<ServeOptions, "config" | "logger">,
  service: McpService,
): Promise<() => McpServer> {
  const { createMcpServer } = await importSdk(() => import("./adapters.ts"));
  const { config, logger } = options;
  const version = packageVersion();
  return () => createMcpServer({ config, version, call: service.call, logger });
}

/** The version of `@acumen/ace`. */
export function packageVersion(): string {
  const text = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  const { version } = JSON.parse(text) as { version: string };
  return version;
}

/** The message of a schema error may repeat what was sent. */
function troubleOf(error: Error): string {
  return error.name === "Error" ? error.message.slice(0, 200) : error.name;
}

/** Only the missing SDK gets the install hint: a missing file of our own must not look like one. */
async function importSdk<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissing(cause, SDK)) throw cause;
    throw startError(
      "ACE_MCP_SDK_MISSING",
      `serving MCP needs the optional package ${SDK}, which is not installed. Install it: npm install ${SDK}`,
      { cause },
    );
  }
}

function isMissing(error: unknown, name: string): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    error.code === "ERR_MODULE_NOT_FOUND" &&
    error.message.includes(`'${name}'`)
  );
}
