import { spawn } from "node:child_process";
import { childEnvironment } from "@acumen/testkit";

export interface RunResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly tookMs: number;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Text for stdin, which is closed afterwards. */
  readonly input?: string;
  readonly timeoutMs?: number;
}

/** Runs a command to its end. Only PATH and HOME are inherited. A command over its time is killed and reported as such. */
export function runCommand(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<RunResult> {
  const started = performance.now();
  const child = spawn(command, [...args], {
    cwd: options.cwd,
    env: childEnvironment(options.env),
    stdio: "pipe",
    ...(options.timeoutMs !== undefined && { timeout: options.timeoutMs, killSignal: "SIGKILL" }),
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.input ?? "");
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) =>
      resolve({ code, signal, ...output, tookMs: performance.now() - started }),
    );
  });
}

/** Runs a command that must succeed; the error shows its output. */
export async function mustRun(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<RunResult> {
  const result = await runCommand(command, args, options);
  if (result.code !== 0) {
    throw new Error(
      `${command} ${args.join(" ")} ended with ${result.code ?? result.signal}:\n${result.stdout.slice(-3_000)}\n${result.stderr.slice(-3_000)}`,
    );
  }
  return result;
}
