import { Readable } from "node:stream";
import { main } from "../../src/main.ts";

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** ACUMEN_HOME of the run; there is no run without one. */
  readonly home: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly stdin?: string | readonly Uint8Array[];
  readonly stdinIsTTY?: boolean;
  readonly stdoutIsTTY?: boolean;
  readonly signal?: AbortSignal;
  /** Sees what is written to stdout while it is. */
  readonly onStdout?: (text: string) => void;
  readonly onStderr?: (text: string) => void;
}

/** Runs one command line in this process, with an environment of its own. */
export async function runMain(args: readonly string[], options: RunOptions): Promise<Outcome> {
  const out = { stdout: "", stderr: "" };
  const { stdin = "" } = options;
  const input = Object.assign(Readable.from(typeof stdin === "string" ? [stdin] : stdin), {
    isTTY: options.stdinIsTTY === true,
  });
  const code = await main(args, {
    stdout: {
      isTTY: options.stdoutIsTTY === true,
      write: (text) => {
        out.stdout += text;
        options.onStdout?.(text);
      },
    },
    stderr: {
      write: (text) => {
        out.stderr += text;
        options.onStderr?.(text);
      },
    },
    stdin: () => input as unknown as NodeJS.ReadableStream,
    variables: { PATH: process.env["PATH"] ?? "", ...options.variables, ACUMEN_HOME: options.home },
    signal: options.signal ?? new AbortController().signal,
  });
  return { code, ...out };
}

/** The last line of stdout, as machines read it. */
export function lastRecord(outcome: Pick<Outcome, "stdout">): Record<string, unknown> {
  return recordsOf(outcome).at(-1) ?? {};
}

/** Every line of stdout, as machines read it. */
export function recordsOf({ stdout }: Pick<Outcome, "stdout">): Record<string, unknown>[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
