import { Writable } from "node:stream";
import { format } from "node:util";
import type { Logger } from "@acumen/core";
import type { CommandContext } from "../command-context.ts";
import type { TextStream } from "../terminal/terminal.ts";

/** The real stdout, for the protocol alone. */
export interface PrivateOutput {
  readonly stream: Writable;
  /** Undoes everything. */
  release(): void;
}

const CONSOLE = { log: "info", info: "info", debug: "debug", warn: "warn", error: "warn" } as const;

/**
 * From now on what anybody else writes to stdout goes to stderr, and what is printed through `console` becomes a line of the log: one
 * stray word would break the protocol.
 */
export function takeOutput(
  { stdout, stderr }: Pick<CommandContext, "stdout" | "stderr">,
  logger: Logger,
): PrivateOutput {
  const { console } = globalThis;
  const methods = Object.keys(CONSOLE) as (keyof typeof CONSOLE)[];
  const printed = Object.fromEntries(methods.map((method) => [method, console[method]]));
  for (const method of methods) {
    console[method] = (...words: unknown[]) =>
      logger[CONSOLE[method]](format(...words), { origin: "console" });
  }
  const own = Object.getOwnPropertyDescriptor(stdout, "write");
  const write = stdout.write.bind(stdout) as Write;
  const divert = (...args: Parameters<Write>): unknown => (stderr.write as Write)(...args);
  Object.defineProperty(stdout, "write", { value: divert, configurable: true, writable: true });
  return {
    stream: streamOver(write, stdout),
    release: () => {
      Object.assign(console, printed);
      if (own === undefined) Reflect.deleteProperty(stdout, "write");
      else Object.defineProperty(stdout, "write", own);
    },
  };
}

type Write = (text: Uint8Array | string, ...more: unknown[]) => unknown;

/** Each text counts as unread until the real stream has passed it on. */
function streamOver(write: Write, target: TextStream): Writable {
  if (!(target instanceof Writable)) {
    return new Writable({
      decodeStrings: false,
      write: (text: string, _encoding, done) => {
        write(text);
        done();
      },
    });
  }
  const stream = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => void write(text, done),
  });
  target.once("error", (error: Error) => stream.destroy(error));
  target.once("close", () => stream.destroy());
  return stream;
}
