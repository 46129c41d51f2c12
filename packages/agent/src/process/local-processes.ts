import type { ExecRequest, ExecResult, ProcessOperations } from "../tools/operations.ts";
import { throwIfAborted } from "@acumen/core";
import { type ShellExit, ShellProcess } from "./shell-process.ts";

/** Commands as process groups of this machine. */
export const localProcesses: ProcessOperations = { exec };

/** Of a process that the system could not end yet, such as one that waits for a disk. */
const KILLED: ShellExit = { exitCode: null, signal: "SIGKILL" };

async function exec(request: ExecRequest): Promise<ExecResult> {
  const { command, cwd, env, timeoutMs, signal, onData } = request;
  throwIfAborted(signal);
  const shell = await ShellProcess.start({ command, cwd, env, onData });
  const cause = await firstOf(shell.exited, timeoutMs, signal);
  await (cause === "exit" ? shell.settle(signal) : shell.terminate());
  return { ...(shell.exit ?? KILLED), timedOut: cause === "timeout" };
}

function firstOf(
  exited: Promise<unknown>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<"exit" | "timeout" | "abort"> {
  return new Promise((resolve) => {
    const settle = (cause: "exit" | "timeout" | "abort"): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      resolve(cause);
    };
    const onAbort = (): void => settle("abort");
    const timer = setTimeout(settle, timeoutMs, "timeout");
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    void exited.then(() => settle("exit"));
  });
}
