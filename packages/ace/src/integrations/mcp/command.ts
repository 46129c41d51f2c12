import {
  AcumenError,
  createStderrLogger,
  LOG_FORMATS,
  type LogFormat,
  type Logger,
} from "@acumen/core";
import type { Readable, Writable } from "node:stream";
import { CONFIG_ROWS, logLevelOf, type McpServerConfig, parseConfig } from "./config.ts";
import { isModelFailure, providerEnvelope } from "./errors.ts";
import { packageVersion, type RunningServer, serve, serverFactory } from "./server.ts";
import { createService } from "./service.ts";

/** The process around the command, so that tests can bring their own. */
export interface CommandHost {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Told when the server stands, to end it on signals. */
  readonly onServing?: (server: RunningServer, logger: Logger) => void;
}

const USAGE = "usage: ace-mcp [--log-format json|pretty] [--help | --version | --check]";
const USAGE_EXIT = 2;
const FAILURE_EXIT = 1;

/**
 * The command `ace-mcp`. Resolves with the exit code when everything is done: 0 served or shown, 1 failed, 2 bad settings
 * or arguments. Messages of failures are one paragraph on stderr, without stack.
 */
export async function runCommand(host: CommandHost): Promise<number> {
  try {
    const { format, rest } = withoutLogFormat(host.args);
    const [only] = rest;
    if (format !== undefined && rest.length === 0) return await serveUntilClosed(host, format);
    if (format !== undefined && rest.length === 1) {
      if (only === "--help" || only === "-h") return await print(host, helpText());
      if (only === "--version") return await print(host, packageVersion());
      if (only === "--check") return await check(host, format);
    }
    await write(host.stderr, `ace-mcp: cannot use arguments ${host.args.join(" ")}\n${USAGE}`);
    return USAGE_EXIT;
  } catch (error) {
    if (!AcumenError.isInstance(error)) throw error;
    const message = isModelFailure(error) ? providerEnvelope(error).message : error.message;
    await write(host.stderr, `ace-mcp: ${message}`);
    return error.code === "ACE_MCP_CONFIG_INVALID" ? USAGE_EXIT : FAILURE_EXIT;
  }
}

/** Takes `--log-format json|pretty` out of the arguments; the format is `undefined` when it is none of these. */
function withoutLogFormat(args: readonly string[]): {
  readonly format: LogFormat | undefined;
  readonly rest: readonly string[];
} {
  const at = args.findIndex((arg) => arg === "--log-format" || arg.startsWith("--log-format="));
  const option = args[at];
  if (option === undefined) return { format: "json", rest: args };
  const [, inline] = option.split("=");
  const word = inline ?? args[at + 1];
  return {
    format: LOG_FORMATS.find((format) => format === word),
    rest: args.toSpliced(at, inline === undefined ? 2 : 1),
  };
}

async function serveUntilClosed(host: CommandHost, format: LogFormat): Promise<number> {
  const config = parseConfig(host.env);
  const logger = createLogger(config, format);
  const { stdin, stdout, env } = host;
  const server = await serve({ config, logger, stdin, stdout, env });
  host.onServing?.(server, logger);
  await server.closed;
  return 0;
}

/** Does what the first calls would do, without serving: loads the SDK and builds the model; asks it nothing. */
async function check(host: CommandHost, format: LogFormat): Promise<number> {
  const { env } = host;
  const config = parseConfig(env);
  const logger = createLogger(config, format);
  const create = await serverFactory({ config, logger }, createService({ config, logger, env }));
  await create().close();
  const { aceRunner } = await import("./engine.ts");
  const { Skillbook } = await import("../../skillbook/skillbook.ts");
  const { modelFacts } = await import("./model-facts.ts");
  const build = aceRunner({ config, env });
  await build({ model: config.defaultModel }, { skillbook: new Skillbook(), logger });
  const facts = [
    `ace-mcp ${packageVersion()}: ready`,
    ...(await modelFacts(config.defaultModel, env)),
    `skillbook root: ${config.skillbookRoot ?? "none (any path of this user)"}`,
    `safe mode: ${config.safeMode}`,
    `autosave: ${config.autosave}`,
  ];
  return await print(host, facts.join("\n"));
}

function createLogger(config: McpServerConfig, format: LogFormat): Logger {
  return createStderrLogger({ name: "ace-mcp", level: logLevelOf(config), format });
}

async function print(host: CommandHost, text: string): Promise<number> {
  await write(host.stdout, text);
  return 0;
}

/** The process ends right after, so the text must be out by then. */
async function write(stream: Writable, text: string): Promise<void> {
  await new Promise<void>((resolve) => stream.write(`${text}\n`, () => resolve()));
}

function helpText(): string {
  const rows = CONFIG_ROWS.map(
    (row) =>
      `  ${row.variable} (${row.default.replaceAll("`", "")})\n${indented(row.description.replaceAll("`", ""))}`,
  );
  return [
    USAGE,
    "",
    "Serves a skillbook engine over the Model Context Protocol on stdin and stdout.",
    "",
    "  --check       build the default model, report, and exit without serving",
    "  --version     print the version",
    "  --log-format  how lines on stderr look: json (default), or pretty for people",
    "",
    "Settings are environment variables (defaults in brackets):",
    ...rows,
  ].join("\n");
}

/** Lines of at most 80 columns, the width of a plain terminal, six of them indent. */
function indented(text: string): string {
  return text.replaceAll(/(.{1,74})(?: |$)/g, "      $1\n").trimEnd();
}
