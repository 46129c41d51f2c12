import { errnoOf } from "@acumen/core";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { MarkedProcesses } from "./marked-processes.ts";
import type { ProcessGuard } from "./process-guard.ts";
import { openSystemPipes, type SystemPipes } from "./system-pipes.ts";

/** From the request to end to the order that nothing survives. */
const TERM_MS = 500;
/** After the shell has ended: for output on its way, then for what it left running. */
const DRAIN_MS = 250;
const QUIET_MS = 500;
const LINGER_MS = 1500;
const POLL_MS = 20;
/** What a kill takes at most to be seen. */
const KILL_MS = 200;

const BASH = "/bin/bash";

export interface ShellExit {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export interface ShellOptions {
  readonly command: string;
  /** Absolute. */
  readonly cwd: string;
  /** The whole environment, but for a mark. */
  readonly env: Readonly<Record<string, string>>;
  /** Without it the command reads an empty input. */
  readonly openInput?: boolean;
  /** Ends the group when this process is killed. */
  readonly guard: ProcessGuard;
  /** stdout and stderr in their order; reading waits for the returned promise. */
  readonly onData: (chunk: Uint8Array) => void | Promise<void>;
}

interface OurEnds {
  readonly outputs: readonly Readable[];
  readonly input: Writable | null | undefined;
}

/** A command in a process group of its own, which ends as a whole; {@link ShellProcess.terminate} also ends what left the group. */
export class ShellProcess {
  readonly pid: number;
  /** Resolves when the command's own shell has ended; what it left behind may still run. */
  readonly exited: Promise<ShellExit>;
  readonly #outputs: readonly Readable[];
  readonly #input: Writable | null | undefined;
  readonly #options: ShellOptions;
  readonly #marked: MarkedProcesses;
  /** The last of the output was read: nobody holds it any more. */
  readonly #drained: Promise<unknown>;
  #open = true;
  #lastData = performance.now();
  #exit: ShellExit | undefined;
  /** Nothing of the group was left: its number may be another one's by now. */
  #groupGone = false;
  #ending: Promise<void> | undefined;

  private constructor(
    { child, pid, announced, marked }: Launched,
    ends: OurEnds,
    options: ShellOptions,
  ) {
    this.pid = pid;
    this.#outputs = ends.outputs;
    this.#input = ends.input;
    this.#options = options;
    this.#marked = marked;
    options.guard.watch(pid, { announced });
    this.exited = new Promise((resolve) => {
      child.once("exit", (exitCode, signal) => {
        this.#exit = { exitCode, signal };
        resolve(this.#exit);
      });
    });
    const closed = ends.outputs.map(
      (output) => new Promise<void>((resolve) => output.once("close", resolve)),
    );
    this.#drained = Promise.all(closed).then(() => (this.#open = false));
    for (const output of ends.outputs) {
      output.on("data", (chunk: Buffer) => this.#onData(output, chunk));
    }
    for (const stream of [...ends.outputs, ends.input]) {
      // A broken pipe is what the exit tells anyway.
      stream?.on("error", () => undefined);
    }
  }

  /** @throws the system's error when the shell cannot be started */
  static async start(options: ShellOptions): Promise<ShellProcess> {
    const pipes = await openSystemPipes(options.openInput === true);
    try {
      const launched = await launch(options, pipes?.descriptors);
      const { child } = launched;
      const ends =
        pipes === undefined
          ? {
              outputs: [child.stdout, child.stderr].flatMap((end) => end ?? []),
              input: child.stdin,
            }
          : { outputs: [pipes.output], input: pipes.input };
      return new ShellProcess(launched, ends, options);
    } catch (error) {
      pipes?.output.destroy();
      pipes?.input?.destroy();
      throw error;
    } finally {
      pipes?.handedOver();
    }
  }

  /** What its children have in their environment, see {@link MarkedProcesses}. */
  get mark(): string {
    return this.#marked.mark;
  }

  /** Undefined: it still runs. */
  get exit(): ShellExit | undefined {
    return this.#exit;
  }

  /** Resolves when the system has taken the text. Rejects when the command reads no more. */
  write(text: string): Promise<void> {
    const input = this.#input;
    return new Promise((resolve, reject) => {
      if (input?.writable !== true) reject(new Error("its input is closed"));
      else input.write(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  closeInput(): void {
    this.#input?.end();
  }

  /**
   * After `exited`: waits for the output still on its way, and ends what the command left running.
   * @param signal cuts the waiting short
   */
  async settle(signal?: AbortSignal): Promise<void> {
    await this.#within(DRAIN_MS, this.#drained, signal);
    const deadline = performance.now() + LINGER_MS;
    if (this.#open) this.#signal("SIGTERM");
    this.#lastData = performance.now();
    const waiting = (): boolean =>
      this.#open && performance.now() < Math.min(deadline, this.#lastData + QUIET_MS);
    while (waiting() && signal?.aborted !== true) {
      await this.#within(POLL_MS, this.#drained, signal);
    }
    await this.#kill();
  }

  /** Ends the whole group and what left it: politely, then by force within a second. May be called twice. */
  terminate(): Promise<void> {
    this.#ending ??= (async () => {
      this.#signal("SIGTERM");
      // A stopped process cannot hear it.
      this.#signal("SIGCONT");
      const deadline = performance.now() + TERM_MS;
      const outside = await this.#marked.signal(["SIGTERM", "SIGCONT"], this.pid);
      const waiting = (): boolean =>
        this.#exit === undefined || this.#signal(0) || outside.some((pid) => this.#marked.has(pid));
      while (waiting() && performance.now() < deadline) await delay(POLL_MS);
      this.#signal("SIGKILL");
      await this.#marked.end(this.pid, KILL_MS);
      await this.#kill();
    })();
    return this.#ending;
  }

  async #kill(): Promise<void> {
    const deadline = performance.now() + KILL_MS;
    let left = this.#signal("SIGKILL");
    // What was written before the end is in the pipe.
    await this.#within(KILL_MS, Promise.all([this.exited, this.#drained]));
    while (left && performance.now() < deadline) {
      await delay(POLL_MS / 4);
      left = this.#signal(0);
    }
    for (const stream of [...this.#outputs, this.#input]) stream?.destroy();
    this.#options.guard.forget(this.pid);
  }

  async #within(
    milliseconds: number,
    event: Promise<unknown>,
    signal?: AbortSignal,
  ): Promise<void> {
    const ended = new AbortController();
    const signals = signal === undefined ? [ended.signal] : [ended.signal, signal];
    const timer = delay(milliseconds, undefined, { signal: AbortSignal.any(signals) });
    await Promise.race([event, timer.catch(() => undefined)]);
    ended.abort();
  }

  /** False: nothing of the group is left. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    if (this.#groupGone) return false;
    try {
      return process.kill(-this.pid, signal);
    } catch (error) {
      this.#groupGone = errnoOf(error) === "ESRCH";
      return false;
    }
  }

  #onData(output: Readable, chunk: Buffer): void {
    this.#lastData = performance.now();
    const taken = this.#options.onData(chunk);
    if (taken === undefined) return;
    output.pause();
    const resume = (): void => {
      this.#lastData = performance.now();
      output.resume();
    };
    void taken.then(resume, resume);
  }
}

interface Launched {
  readonly child: ChildProcess;
  readonly pid: number;
  /** It told the guard itself. */
  readonly announced: boolean;
  readonly marked: MarkedProcesses;
}

/** In a shell of its own, because a guard that has ended would end the writer with SIGPIPE. `$$` is the outer one, and stays the command's. */
const ANNOUNCE = '(echo "+ $$" >&3) 2>/dev/null; exec 3>&-; exec "$0" -c "$1"';

async function launch(
  { command, cwd, env, guard, openInput = false }: ShellOptions,
  descriptors: SystemPipes["descriptors"] | undefined,
): Promise<Launched> {
  const output = descriptors?.output ?? "pipe";
  const input = openInput ? (descriptors?.input ?? "pipe") : "ignore";
  const shell = existsSync(BASH) ? BASH : "/bin/sh";
  const { announcements } = guard;
  const announced = announcements !== undefined;
  const marked = new MarkedProcesses();
  const child = spawn(
    announced ? "/bin/sh" : shell,
    ["-c", ...(announced ? [ANNOUNCE, shell, command] : [command])],
    {
      cwd,
      env: { ...env, ...marked.environment },
      detached: true,
      stdio: [input, output, output, ...(announced ? [announcements] : [])],
    },
  );
  const { pid } = child;
  if (pid === undefined) throw await new Promise<Error>((resolve) => child.once("error", resolve));
  return { child, pid, announced, marked };
}
