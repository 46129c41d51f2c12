import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { openOutputPipe, type OutputPipe } from "./output-pipe.ts";
import type { ProcessGuard } from "./process-guard.ts";

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
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Without it the command reads an empty input. */
  readonly openInput?: boolean;
  /** Ends the group when this process is killed. */
  readonly guard: ProcessGuard;
  /** stdout and stderr in their order; reading waits for the returned promise. */
  readonly onData: (chunk: Uint8Array) => void | Promise<void>;
}

/** A command in a process group of its own, which ends as a whole. */
export class ShellProcess {
  readonly pid: number;
  /** Resolves when the command's own shell has ended; what it left behind may still run. */
  readonly exited: Promise<ShellExit>;
  readonly #child: ChildProcess;
  readonly #outputs: readonly Readable[];
  readonly #options: ShellOptions;
  /** The last of the output was read: nobody holds it any more. */
  readonly #drained: Promise<unknown>;
  #open = true;
  #lastData = performance.now();
  #exit: ShellExit | undefined;
  #ending: Promise<void> | undefined;

  private constructor(
    child: ChildProcess,
    pid: number,
    outputs: readonly Readable[],
    options: ShellOptions,
  ) {
    this.pid = pid;
    this.#child = child;
    this.#outputs = outputs;
    this.#options = options;
    options.guard.watch(pid);
    this.exited = new Promise((resolve) => {
      child.once("exit", (exitCode, signal) => {
        this.#exit = { exitCode, signal };
        resolve(this.#exit);
      });
    });
    const closed = outputs.map(
      (output) => new Promise<void>((resolve) => output.once("close", resolve)),
    );
    this.#drained = Promise.all(closed).then(() => (this.#open = false));
    for (const output of outputs) {
      output.on("data", (chunk: Buffer) => this.#onData(output, chunk));
    }
    for (const stream of [...outputs, child.stdin]) {
      // A broken pipe is what the exit tells anyway.
      stream?.on("error", () => undefined);
    }
  }

  /** @throws the system's error when the shell cannot be started */
  static async start(options: ShellOptions): Promise<ShellProcess> {
    const pipe = await openOutputPipe();
    try {
      return await launch(options, pipe);
    } catch (error) {
      pipe?.reader.destroy();
      throw error;
    } finally {
      pipe?.handedOver();
    }

    async function launch(
      { command, cwd, env, openInput = false }: ShellOptions,
      output: OutputPipe | undefined,
    ): Promise<ShellProcess> {
      const out = output?.writer ?? "pipe";
      const child = spawn(existsSync(BASH) ? BASH : "/bin/sh", ["-c", command], {
        cwd,
        env,
        detached: true,
        stdio: [openInput ? "pipe" : "ignore", out, out],
      });
      const { pid, stdout, stderr } = child;
      if (pid === undefined)
        throw await new Promise<Error>((resolve) => child.once("error", resolve));
      const outputs = [output?.reader, stdout, stderr].flatMap((stream) => stream ?? []);
      return new ShellProcess(child, pid, outputs, options);
    }
  }

  /** Undefined: it still runs. */
  get exit(): ShellExit | undefined {
    return this.#exit;
  }

  /** Resolves when the system has taken the text. Rejects when the command reads no more. */
  write(text: string): Promise<void> {
    const { stdin } = this.#child;
    return new Promise((resolve, reject) => {
      if (stdin?.writable !== true) reject(new Error("its input is closed"));
      else stdin.write(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  closeInput(): void {
    this.#child.stdin?.end();
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

  async #kill(): Promise<void> {
    this.#signal("SIGKILL");
    // What was written before the end is in the pipe.
    await this.#within(KILL_MS, Promise.all([this.exited, this.#drained]));
    for (const stream of [...this.#outputs, this.#child.stdin]) stream?.destroy();
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
    try {
      return process.kill(-this.pid, signal);
    } catch {
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
