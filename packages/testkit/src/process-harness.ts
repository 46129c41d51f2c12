import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Command } from "./source-command.ts";

export interface StartOptions {
  readonly cwd?: string;
  /** The child's whole environment beside PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A child process under test: its output as text, and ways to wait for it. */
export interface TestProcess extends AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams;
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** Resolves with the exit; it has happened when stdout and stderr are closed too. */
  readonly exited: Promise<ProcessExit>;
  /** Resolves when the stream's text holds `pattern`; rejects after `timeoutMs` (default 45,000) showing what came. */
  waitFor(stream: "stdout" | "stderr", pattern: RegExp | string, timeoutMs?: number): Promise<void>;
  kill(signal?: NodeJS.Signals): void;
}

/** Starts a real child process with an environment of its own. `await using` ends it by SIGKILL if it still runs. */
export function startProcess(command: Command, options: StartOptions = {}): TestProcess {
  const child = spawn(command.command, [...command.args], {
    cwd: options.cwd,
    env: childEnvironment(options.env),
    stdio: "pipe",
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  // A child that has gone away makes writes fail with EPIPE; tests look at `exited` instead.
  child.stdin.on("error", () => undefined);
  const exited = new Promise<ProcessExit>((resolve, reject) => {
    child.on("close", (code, signal) => resolve({ code, signal }));
    child.on("error", reject);
  });
  const running = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    child,
    pid: child.pid ?? -1,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    exited,
    waitFor: (stream, pattern, timeoutMs = 45_000) =>
      waitForText(() => output[stream], child, pattern, timeoutMs),
    kill: (signal = "SIGTERM") => {
      if (running()) child.kill(signal);
    },
    [Symbol.asyncDispose]: async () => {
      if (running()) child.kill("SIGKILL");
      await exited.catch(() => undefined);
    },
  };
}

/** PATH and HOME of this process plus what the test gives: no key or setting of the machine leaks into a child. */
export function childEnvironment(
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const inherited: Record<string, string> = {};
  for (const name of ["PATH", "HOME"]) {
    const value = process.env[name];
    if (value !== undefined) inherited[name] = value;
  }
  return { ...inherited, ...extra };
}

async function waitForText(
  read: () => string,
  child: ChildProcessWithoutNullStreams,
  pattern: RegExp | string,
  timeoutMs: number,
): Promise<void> {
  const found = (): boolean =>
    typeof pattern === "string" ? read().includes(pattern) : pattern.test(read());
  const deadline = performance.now() + timeoutMs;
  while (!found()) {
    const ended = child.exitCode !== null || child.signalCode !== null;
    if (ended || performance.now() > deadline) {
      throw new Error(
        `${ended ? "The process ended" : "Time ran out"} before ${String(pattern)} came. Output so far:\n${read()}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
