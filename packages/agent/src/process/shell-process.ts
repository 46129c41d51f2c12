import { existsSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { WrapCommand } from "../tools/operations.ts";
import type { ProcessGuard } from "./process-guard.ts";
import { type GroupExit, KILL_MS, ProcessGroup } from "./process-group.ts";
import { openSystemPipes, type SystemPipes } from "./system-pipes.ts";

/** After the shell has ended: for output on its way, then for what it left running. */
const DRAIN_MS = 250;
const QUIET_MS = 500;
const LINGER_MS = 1500;
const POLL_MS = 20;

const BASH = "/bin/bash";

export type ShellExit = GroupExit;

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
  /** What is started instead of the shell. */
  readonly wrap?: WrapCommand;
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
  readonly #group: ProcessGroup;
  /** The last of the output was read: nobody holds it any more. */
  readonly #drained: Promise<unknown>;
  #open = true;
  #lastData = performance.now();
  #ending: Promise<void> | undefined;

  private constructor(group: ProcessGroup, ends: OurEnds, options: ShellOptions) {
    this.pid = group.pid;
    this.exited = group.exited;
    this.#outputs = ends.outputs;
    this.#input = ends.input;
    this.#options = options;
    this.#group = group;
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
      const group = await launch(options, pipes?.descriptors);
      const { child } = group;
      const ends =
        pipes === undefined
          ? {
              outputs: [child.stdout, child.stderr].flatMap((end) => end ?? []),
              input: child.stdin,
            }
          : { outputs: [pipes.output], input: pipes.input };
      return new ShellProcess(group, ends, options);
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
    return this.#group.mark;
  }

  /** Undefined: it still runs. */
  get exit(): ShellExit | undefined {
    return this.#group.exit;
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
    if (this.#open) this.#group.signal("SIGTERM");
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
    this.#ending ??= this.#group.terminate().then(() => this.#kill());
    return this.#ending;
  }

  async #kill(): Promise<void> {
    // What was written before the end is in the pipe.
    await this.#group.kill(() => this.#within(KILL_MS, Promise.all([this.exited, this.#drained])));
    for (const stream of [...this.#outputs, this.#input]) stream?.destroy();
    this.#group.forget();
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

function launch(
  { command, cwd, env, guard, wrap, openInput = false }: ShellOptions,
  descriptors: SystemPipes["descriptors"] | undefined,
): Promise<ProcessGroup> {
  const output = descriptors?.output ?? "pipe";
  return ProcessGroup.start({
    program: existsSync(BASH) ? BASH : "/bin/sh",
    args: ["-c", command],
    cwd,
    env,
    stdio: [openInput ? (descriptors?.input ?? "pipe") : "ignore", output, output],
    guard,
    ...(wrap !== undefined && { wrap }),
  });
}
