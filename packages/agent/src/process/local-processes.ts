import { throwIfAborted } from "@acumen/core";
import type { ExecRequest, ExecResult, WrapCommand } from "../tools/operations.ts";
import type { ProcessGuard } from "./process-guard.ts";
import { type ShellExit, ShellProcess } from "./shell-process.ts";

/** Of a process that the system could not end yet, such as one that waits for a disk. */
const KILLED: ShellExit = { exitCode: null, signal: "SIGKILL" };

type Cause = "exit" | "timeout" | "abort";

/** Commands as process groups of this machine. */
export class LocalProcesses {
  readonly #guard: ProcessGuard;
  readonly #wrap: WrapCommand | undefined;

  /** @param wrap what is started instead of the shell of each command */
  constructor(guard: ProcessGuard, wrap?: WrapCommand) {
    this.#guard = guard;
    this.#wrap = wrap;
  }

  async exec(request: ExecRequest): Promise<ExecResult> {
    const { command, cwd, env, timeoutMs, signal, onData } = request;
    throwIfAborted(signal);
    const shell = await ShellProcess.start({
      command,
      cwd,
      env,
      onData,
      guard: this.#guard,
      ...(this.#wrap !== undefined && { wrap: this.#wrap }),
    });
    const cause = await firstOf(shell.exited, timeoutMs, signal);
    await (cause === "exit" ? shell.settle(signal) : shell.terminate());
    return { ...(shell.exit ?? KILLED), timedOut: cause === "timeout" };
  }
}

function firstOf(exited: Promise<unknown>, timeoutMs: number, signal: AbortSignal): Promise<Cause> {
  return new Promise((resolve) => {
    const settle = (cause: Cause): void => {
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
