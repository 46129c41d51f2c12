import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Duplex, Readable, Writable } from "node:stream";

/** From the request to end to the order that nothing survives. */
const TERM_MS = 500;
/** After the shell has ended: for output on its way, then for what it left running. */
const DRAIN_MS = 250;
const QUIET_MS = 700;
const LINGER_MS = 1500;
const POLL_MS = 20;
/** What a kill takes at most to be seen. */
const KILL_MS = 200;

const BASH = "/bin/bash";

/**
 * Runs before the command, in its group. First: whoever started it may be killed without a chance to end it, and then
 * descriptor 3 closes. The watcher is no child of the command's shell, so `wait` and `jobs` do not see it.
 */
const WATCH = `( ( read -r _ <&3; trap '' TERM; kill -TERM -$$; sleep 1; kill -KILL -$$ ) >/dev/null 2>&1 </dev/null & )
`;
/**
 * Node's pipes are sockets, which `> /dev/stderr` cannot open; behind `cat` there is a real pipe, and both streams
 * keep their order. It outlives a polite signal, so that last words arrive.
 */
const PIPE = `exec 3<&- > >(trap '' HUP INT QUIT TERM; exec cat) 2>&1
`;
const NO_PIPE = `exec 3<&- 2>&1
`;
const RUN = `exec "$1" -c "$2"`;

export interface ShellExit {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export interface ShellOptions {
  readonly command: string;
  /** Absolute. */
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Without it the command reads an empty input. */
  readonly openInput?: boolean;
  /** stdout and stderr in their order; reading waits for the returned promise. */
  readonly onData: (chunk: Uint8Array) => void | Promise<void>;
}

/** A command in a process group of its own, which ends as a whole, also when this process is killed. */
export class ShellProcess {
  readonly pid: number;
  /** Resolves when the command's own shell has ended; what it left behind may still run. */
  readonly exited: Promise<ShellExit>;
  readonly #child: ChildProcess;
  readonly #output: Readable;
  /** The last of the output was read. */
  readonly #drained: Promise<void>;
  #open = true;
  #lastData = performance.now();
  #exit: ShellExit | undefined;
  #ending: Promise<void> | undefined;

  private constructor(child: ChildProcess, output: Readable, pid: number, options: ShellOptions) {
    this.#child = child;
    this.#output = output;
    this.pid = pid;
    this.exited = new Promise((resolve) => {
      child.once("exit", (exitCode, signal) => {
        this.#exit = { exitCode, signal };
        resolve(this.#exit);
      });
    });
    output.on("data", (chunk: Buffer) => this.#onData(chunk, options.onData));
    this.#drained = new Promise((resolve) => {
      output.once("close", () => {
        this.#open = false;
        resolve();
      });
    });
    for (const stream of [output, this.#input, this.#leash]) {
      // A broken pipe is what the exit tells anyway.
      stream?.on("error", () => undefined);
    }
  }

  /** @throws the system's error when the shell cannot be started */
  static async start(options: ShellOptions): Promise<ShellProcess> {
    const bash = existsSync(BASH);
    const shell = bash ? BASH : "/bin/sh";
    const script = `${WATCH}${bash ? PIPE : NO_PIPE}${RUN}`;
    const child = spawn(shell, ["-c", script, "acumen", shell, options.command], {
      cwd: options.cwd,
      env: options.env,
      detached: true,
      stdio: [options.openInput === true ? "pipe" : "ignore", "pipe", "ignore", "pipe"],
    });
    const { pid, stdout } = child;
    if (pid === undefined || stdout === null) {
      throw await new Promise<Error>((resolve) => child.once("error", resolve));
    }
    return new ShellProcess(child, stdout, pid, options);
  }

  /** Resolves when the system has taken the text. Rejects when the command reads no more. */
  write(text: string): Promise<void> {
    const input = this.#input;
    return new Promise((resolve, reject) => {
      if (input === null || !input.writable) reject(new Error("its input is closed"));
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

  /** Ends the whole group: politely, then by force within a second. May be called twice. */
  terminate(): Promise<void> {
    this.#ending ??= (async () => {
      this.#signal("SIGTERM");
      // A stopped process cannot hear it.
      this.#signal("SIGCONT");
      const deadline = performance.now() + TERM_MS;
      const waiting = (): boolean => this.#exit === undefined || this.#signal(0);
      while (waiting() && performance.now() < deadline) await delay(POLL_MS);
      await this.#kill();
    })();
    return this.#ending;
  }

  /** Undefined: it still runs. */
  get exit(): ShellExit | undefined {
    return this.#exit;
  }

  async #kill(): Promise<void> {
    this.#signal("SIGKILL");
    // What was written before the end is in the pipe.
    await this.#within(KILL_MS, Promise.all([this.exited, this.#drained]));
    for (const stream of [this.#output, this.#input, this.#leash]) stream?.destroy();
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
    try {
      return process.kill(-this.pid, signal);
    } catch {
      return false;
    }
  }

  #onData(chunk: Buffer, take: ShellOptions["onData"]): void {
    this.#lastData = performance.now();
    const taken = take(chunk);
    if (taken === undefined) return;
    this.#output.pause();
    const resume = (): void => {
      this.#lastData = performance.now();
      this.#output.resume();
    };
    void taken.then(resume, resume);
  }

  get #input(): Writable | null {
    return this.#child.stdin;
  }

  /** Closes when this process ends, however it ends. */
  get #leash(): Duplex | undefined {
    return this.#child.stdio[3] as Duplex | undefined;
  }
}
