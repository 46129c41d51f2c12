import { createRequire } from "node:module";
import type { pino } from "pino";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_FORMATS = ["json", "pretty"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Structured log lines. Fields hold sizes, ids and codes; never payloads, keys or headers. */
export interface Logger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

type Fields = Readonly<Record<string, unknown>>;
type Sink = (level: LogLevel, message: string, fields: Fields) => void;

/** `12:30:05.123 WARN  ace-mcp: message size=3`: one line, whatever the texts hold. */
function prettyLine(time: Date, level: LogLevel, text: string, fields: Fields): string {
  const parts = Object.entries(fields).map(([name, value]) => `${name}=${shown(value)}`);
  const line = [time.toISOString().slice(11, -1), level.toUpperCase().padEnd(5), text, ...parts];
  // A terminal obeys control characters.
  return `${line.join(" ").replace(/\p{C}|[\u2028\u2029]/gu, "\ufffd")}\n`;
}

function shown(value: unknown): string {
  if (typeof value === "string" && /^[^\s"=]+$/.test(value)) return value;
  return JSON.stringify(value) ?? "undefined";
}

/**
 * Lines on stderr; stdout belongs to the protocol. `json` (default) is for programs; `pretty` is for people: time, level,
 * name, message, fields, without colour. pino (20 ms of import) is loaded with the first line only.
 */
export function createStderrLogger(options: {
  readonly name: string;
  readonly level: LogLevel;
  readonly format?: LogFormat;
}): Logger {
  const threshold = LOG_LEVELS.indexOf(options.level);
  let sink: Sink | undefined;
  const open = (): Sink => {
    const require = createRequire(import.meta.url);
    const createPino = require("pino") as typeof pino;
    const stderr = createPino.destination({ fd: 2, sync: true });
    if (options.format === "pretty") {
      return (level, message, fields) =>
        void stderr.write(prettyLine(new Date(), level, `${options.name}: ${message}`, fields));
    }
    const logger = createPino(
      {
        level: options.level,
        base: { name: options.name },
        formatters: { level: (label) => ({ level: label }) },
        timestamp: createPino.stdTimeFunctions.isoTime,
      },
      stderr,
    );
    return (level, message, fields) => logger[level](fields, message);
  };
  const write =
    (level: LogLevel): Logger["info"] =>
    (message, fields = {}) => {
      if (LOG_LEVELS.indexOf(level) < threshold) return;
      try {
        sink ??= open();
        sink(level, message, fields);
      } catch {
        // A closed stderr must never end the work that wanted to log.
      }
    };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}
