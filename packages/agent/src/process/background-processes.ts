import { setTimeout as delay } from "node:timers/promises";
import type { RedactionStream, Redactor } from "../redaction/redactor.ts";
import { livingMarks } from "./marked-processes.ts";
import type { WrapCommand } from "../tools/operations.ts";
import type { ProcessGuard } from "./process-guard.ts";
import { type LogPart, RingLog } from "./ring-log.ts";
import { type ShellExit, ShellProcess } from "./shell-process.ts";
import { TerminalText } from "./terminal-text.ts";

/** Of each log, in characters. */
const LOG_CHARS = 512 * 1024;
const MAX_RUNNING = 20;
/** Ended ones that can still be looked at. */
const MAX_ENDED = 50;
/** How long a start waits to see whether the command ends at once. */
const EARLY_END_MS = 300;

export interface BackgroundFacts {
  /** `bg_1`, `bg_2`, … in the order of their start. */
  readonly id: string;
  readonly command: string;
  readonly cwd: string;
  readonly pid: number;
  /** Undefined: it runs. */
  readonly exit: ShellExit | undefined;
}

export interface BackgroundOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly redact: Redactor;
  readonly guard: ProcessGuard;
  /** What is started instead of the shell of each command. */
  readonly wrap?: WrapCommand;
}

/** The commands of one session that run beside it. They end with the session, and with the process of the session. */
export class BackgroundProcesses {
  readonly #options: BackgroundOptions;
  readonly #entries = new Map<string, BackgroundProcess>();
  #started = 0;
  #closed = false;

  constructor(options: BackgroundOptions) {
    this.#options = options;
  }

  /** Undefined: no such process, or it ended long ago. */
  get(id: string): BackgroundProcess | undefined {
    return this.#entries.get(id);
  }

  list(): readonly BackgroundFacts[] {
    return [...this.#entries.values()].map(({ facts }) => facts);
  }

  /**
   * Resolves when it runs, or has ended already.
   * @returns why not, as a text
   * @throws the system's error when the shell cannot be started
   */
  async start(command: string, cwd: string): Promise<BackgroundProcess | string> {
    if (this.#closed) return "the session is closed";
    const running = [...this.#entries.values()].filter(({ facts }) => facts.exit === undefined);
    if (running.length >= MAX_RUNNING)
      return `${MAX_RUNNING} processes run already; stop one of them first`;
    this.#started += 1;
    const id = `bg_${this.#started}`;
    const process = await BackgroundProcess.start(id, command, cwd, this.#options);
    this.#entries.set(id, process);
    this.#forgetEnded();
    // Closed while it was starting.
    if (this.#isClosed()) await process.stop();
    return process;
  }

  /** Ends all of them. May be called twice. */
  async close(): Promise<void> {
    this.#closed = true;
    // Most sessions start none, and looking at every process of the machine takes its time.
    if (this.#entries.size === 0) return;
    const marks = await livingMarks();
    const left = [...this.#entries.values()].filter((process) => process.isLeft(marks));
    await Promise.all(left.map((process) => process.stop()));
  }

  #isClosed(): boolean {
    return this.#closed;
  }

  #forgetEnded(): void {
    const ended = [...this.#entries.values()].filter(({ facts }) => facts.exit !== undefined);
    for (const { facts } of ended.slice(0, -MAX_ENDED)) this.#entries.delete(facts.id);
  }
}

/** One of them. */
export class BackgroundProcess {
  readonly #facts: Omit<BackgroundFacts, "exit">;
  readonly #shell: ShellProcess;
  readonly #log: ReadableLog;
  /** Resolves when nothing of it is left and its log is whole. */
  readonly #ended: Promise<void>;

  private constructor(facts: Omit<BackgroundFacts, "exit">, shell: ShellProcess, log: ReadableLog) {
    this.#facts = facts;
    this.#shell = shell;
    this.#log = log;
    this.#ended = shell.exited.then(() => shell.settle()).then(() => log.end());
  }

  /** @throws the system's error when the shell cannot be started */
  static async start(
    id: string,
    command: string,
    cwd: string,
    { environment, redact, guard, wrap }: BackgroundOptions,
  ): Promise<BackgroundProcess> {
    const log = new ReadableLog(redact);
    const shell = await ShellProcess.start({
      command,
      cwd,
      env: environment,
      openInput: true,
      guard,
      ...(wrap !== undefined && { wrap }),
      onData: (chunk) => log.append(chunk),
    });
    const started = new BackgroundProcess({ id, command, cwd, pid: shell.pid }, shell, log);
    await Promise.race([started.#ended, delay(EARLY_END_MS)]);
    return started;
  }

  get facts(): BackgroundFacts {
    return { ...this.#facts, exit: this.#shell.exit };
  }

  logs(offset: number | undefined, limit: number): LogPart {
    return this.#log.read(offset, limit);
  }

  /** @throws when it reads no more */
  write(text: string): Promise<void> {
    return this.#shell.write(text);
  }

  closeInput(): void {
    this.#shell.closeInput();
  }

  /** It runs, or something that it started does. */
  isLeft(marks: ReadonlySet<string>): boolean {
    return this.#shell.exit === undefined || marks.has(this.#shell.mark);
  }

  /** Ends it and what it started, also when it has ended itself. */
  async stop(): Promise<void> {
    await this.#shell.terminate();
    if (this.#shell.exit !== undefined) await this.#ended;
  }
}

class ReadableLog {
  readonly #text = new TerminalText();
  readonly #redaction: RedactionStream;
  readonly #log = new RingLog(LOG_CHARS);

  constructor(redact: Redactor) {
    this.#redaction = redact.stream();
  }

  append(chunk: Uint8Array): void {
    this.#log.append(this.#redaction.push(this.#text.push(chunk)));
  }

  end(): void {
    this.#log.append(this.#redaction.push(this.#text.end()) + this.#redaction.end());
  }

  read(offset: number | undefined, limit: number): LogPart {
    return this.#log.read(offset, limit);
  }
}
