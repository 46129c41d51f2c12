import { createRequire } from "node:module";
import type { pino, Logger as PinoLogger } from "pino";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

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

/** JSON lines on stderr; stdout belongs to the protocol. pino (20 ms of import) is loaded with the first line only. */
export function createStderrLogger(options: {
  readonly name: string;
  readonly level: LogLevel;
}): Logger {
  const threshold = LOG_LEVELS.indexOf(options.level);
  let sink: PinoLogger | undefined;
  const open = (): PinoLogger => {
    const require = createRequire(import.meta.url);
    const createPino = require("pino") as typeof pino;
    return createPino(
      {
        level: options.level,
        base: { name: options.name },
        formatters: { level: (label) => ({ level: label }) },
        timestamp: createPino.stdTimeFunctions.isoTime,
      },
      createPino.destination({ fd: 2, sync: true }),
    );
  };
  const write =
    (level: LogLevel): Logger["info"] =>
    (message, fields = {}) => {
      if (LOG_LEVELS.indexOf(level) < threshold) return;
      try {
        sink ??= open();
        sink[level](fields, message);
      } catch {
        // A closed stderr must never end the work that wanted to log.
      }
    };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}
