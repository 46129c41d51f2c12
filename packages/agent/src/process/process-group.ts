import { errnoOf } from "@acumen/core";
import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { MarkedProcesses } from "./marked-processes.ts";
import type { ProgramCommand, WrapCommand } from "../tools/operations.ts";
import type { ProcessGuard } from "./process-guard.ts";

/** From the request to end to the order that nothing survives. */
const TERM_MS = 500;
const POLL_MS = 20;
/** What a kill takes at most to be seen. */
export const KILL_MS = 200;

export interface GroupExit {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
}

type Stdio = "pipe" | "ignore" | number;

export interface GroupCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** The whole environment, but for a mark. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdio: readonly [Stdio, Stdio, Stdio];
  /** Ends the group when this process is killed. */
  readonly guard: ProcessGuard;
  /** What is started instead. */
  readonly wrap?: WrapCommand;
  /** For {@link GroupCommand.wrap}. Default: a command. */
  readonly purpose?: ProgramCommand["purpose"];
}

/** In a shell of its own, because a guard that has ended would end the writer with SIGPIPE. `$$` is the outer one, and stays the command's. */
const ANNOUNCE = '(echo "+ $$" >&3) 2>/dev/null; exec 3>&-; exec "$0" "$@"';

/** What a shell would drop or replace on the way. */
const NOT_THROUGH_SHELL =
  /^(?:(?![A-Za-z_]\w*$)[^]*|IFS|PWD|OLDPWD|OPTIND|PPID|SHLVL|_|PS[1-4]|BASH\w*|SHELLOPTS|ENV)$/;

function wrapped({ program: file, args, cwd, wrap, purpose = "command" }: GroupCommand): {
  readonly file: string;
  readonly args: readonly string[];
} {
  return wrap?.({ purpose, file, args, cwd }) ?? { file, args };
}

/** A program in a process group of its own. */
export class ProcessGroup {
  readonly child: ChildProcess;
  /** Of the first process, and the number of the group. */
  readonly pid: number;
  /** Resolves when the first process has ended; what it left behind may still run. */
  readonly exited: Promise<GroupExit>;
  readonly #marked: MarkedProcesses;
  readonly #guard: ProcessGuard;
  #exit: GroupExit | undefined;
  /** Nothing of the group was left: its number may be another one's by now. */
  #gone = false;

  private constructor(
    child: ChildProcess,
    pid: number,
    marked: MarkedProcesses,
    guard: ProcessGuard,
  ) {
    this.child = child;
    this.pid = pid;
    this.#marked = marked;
    this.#guard = guard;
    this.exited = new Promise((resolve) => {
      child.once("exit", (exitCode, signal) => {
        this.#exit = { exitCode, signal };
        resolve(this.#exit);
      });
    });
  }

  /** @throws the system's error when it cannot be started */
  static async start(command: GroupCommand): Promise<ProcessGroup> {
    const { cwd, env, stdio, guard } = command;
    const { file: program, args } = wrapped(command);
    const exact = Object.keys(env).some((name) => NOT_THROUGH_SHELL.test(name));
    const announcements = exact ? undefined : guard.announcements;
    const announced = announcements !== undefined;
    const marked = new MarkedProcesses();
    const child = spawn(
      announced ? "/bin/sh" : program,
      announced ? ["-c", ANNOUNCE, program, ...args] : args,
      {
        cwd,
        env: { ...env, ...marked.environment },
        detached: true,
        stdio: [...stdio, ...(announced ? [announcements] : [])],
      },
    );
    const { pid } = child;
    if (pid === undefined) {
      throw await new Promise<Error>((resolve) => child.once("error", resolve));
    }
    guard.watch(pid, { announced });
    return new ProcessGroup(child, pid, marked, guard);
  }

  /** What its children have in their environment, see {@link MarkedProcesses}. */
  get mark(): string {
    return this.#marked.mark;
  }

  /** Undefined: the first process still runs. */
  get exit(): GroupExit | undefined {
    return this.#exit;
  }

  /** @returns false: nothing of the group is left */
  signal(signal: NodeJS.Signals | 0): boolean {
    if (this.#gone) return false;
    try {
      return process.kill(-this.pid, signal);
    } catch (error) {
      this.#gone = errnoOf(error) === "ESRCH";
      return false;
    }
  }

  /** Ends the group and what left it: politely, then by force within a second. */
  async terminate(): Promise<void> {
    this.signal("SIGTERM");
    // A stopped process cannot hear it.
    this.signal("SIGCONT");
    const deadline = performance.now() + TERM_MS;
    const outside = await this.#marked.signal(["SIGTERM", "SIGCONT"], this.pid);
    const waiting = (): boolean =>
      this.#exit === undefined || this.signal(0) || outside.some((pid) => this.#marked.has(pid));
    while (waiting() && performance.now() < deadline) await delay(POLL_MS);
    this.signal("SIGKILL");
    await this.#marked.end(this.pid, KILL_MS);
  }

  /**
   * Ends what is left of the group by force, and waits until that is seen.
   * @param seen what else is waited for at most as long, such as the end of the output
   */
  async kill(seen: () => Promise<unknown>): Promise<void> {
    const deadline = performance.now() + KILL_MS;
    let left = this.signal("SIGKILL");
    await seen();
    while (left && performance.now() < deadline) {
      await delay(POLL_MS / 4);
      left = this.signal(0);
    }
  }

  /** Nobody needs to end it any more. */
  forget(): void {
    this.#guard.forget(this.pid);
  }
}
