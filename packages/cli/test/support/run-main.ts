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
  readonly stdin?: string;
  readonly stdinIsTTY?: boolean;
}

/** Runs one command line in this process, with an environment of its own. */
export async function runMain(args: readonly string[], options: RunOptions): Promise<Outcome> {
  const out = { stdout: "", stderr: "" };
  const input = Object.assign(Readable.from([options.stdin ?? ""]), {
    isTTY: options.stdinIsTTY === true,
  });
  const code = await main(args, {
    stdout: { write: (text) => (out.stdout += text) },
    stderr: { write: (text) => (out.stderr += text) },
    stdin: () => input as unknown as NodeJS.ReadableStream,
    variables: { PATH: process.env["PATH"] ?? "", ...options.variables, ACUMEN_HOME: options.home },
    signal: new AbortController().signal,
  });
  return { code, ...out };
}

/** The last line of stdout, as machines read it. */
export function lastRecord({ stdout }: Pick<Outcome, "stdout">): Record<string, unknown> {
  return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as Record<string, unknown>;
}
