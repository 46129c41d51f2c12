import { abortError, throwIfAborted } from "@acumen/core";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { Readable, Writable } from "node:stream";
import { setImmediate as nextRound, setTimeout as delay } from "node:timers/promises";
import { type GroupExit, KILL_MS, ProcessGroup } from "../../process/process-group.ts";
import type { StdioDefinition } from "../config/server-definition.ts";
import { ByteTail } from "./byte-tail.ts";
import { faultOfFormat, findProgram } from "./find-program.ts";
import { MessageLines } from "./message-lines.ts";
import { notSentError } from "./not-sent.ts";
import type { TransportContext, TransportEnd } from "./opened-transport.ts";
import { readMessages } from "./read-messages.ts";
import { SkippedLines } from "./skipped-lines.ts";

/** The SDK's own, which is loaded late. */
export interface MessageForms {
  serializeMessage(message: JSONRPCMessage): string;
}

const MIB = 1024 * 1024;
const MAX_LINE_BYTES = 64 * MIB;
const STDERR_BYTES = 8 * 1024;
/** Sent and not taken yet: up to here nobody waits, and from there on nothing more is taken. */
const EASY_BYTES = MIB;
const MAX_WAITING_BYTES = 16 * MIB;
/** A server that is told by the end of its input ends itself. */
const FAREWELL_MS = 500;
/** After the end of the process: for output on its way. */
const DRAIN_MS = 250;
const MAX_DRAIN_MS = 1000;
const POLL_MS = 25;
/** Between the end of the output and that of the process. */
const GRACE_MS = 500;
/** What shells and the system say for a file that cannot be run. */
const UNUSABLE_CODES = new Set([2, 126, 127]);

const UNKNOWN = { exitCode: null, signal: null } as const;

/** A server as a child process that reads and writes lines. Ends with everything that it started. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  readonly ended: Promise<TransportEnd>;
  readonly #definition: StdioDefinition;
  readonly #context: TransportContext;
  readonly #forms: MessageForms;
  readonly #lines = new MessageLines(MAX_LINE_BYTES, (line) => this.#onLine(line));
  readonly #stderr: ByteTail;
  readonly #skipped: SkippedLines;
  #resolveEnded: (end: TransportEnd) => void = () => undefined;
  #launching: Promise<ProcessGroup> | undefined;
  #input: Writable | undefined;
  #outputs: readonly Readable[] = [];
  #started = false;
  /** Nothing is sent or delivered any more. */
  #over = false;
  #spoke = false;
  #lastData = 0;
  #closing: Promise<void> | undefined;
  #draining: { promise: Promise<void>; reject: (error: Error) => void } | undefined;

  constructor(definition: StdioDefinition, context: TransportContext, forms: MessageForms) {
    this.#definition = definition;
    this.#context = context;
    this.#forms = forms;
    this.#stderr = new ByteTail(STDERR_BYTES, context.redact);
    this.#skipped = new SkippedLines(context.redact);
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
  }

  stderrTail(): string {
    return this.#stderr.text();
  }

  skippedTail(): string {
    return this.#skipped.text();
  }

  async start(): Promise<void> {
    if (this.#started) throw new Error(this.#says("was started already"));
    this.#started = true;
    const { signal } = this.#context;
    const onAbort = (): void => void this.close();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await this.#launch();
    } catch (error) {
      if (signal.aborted) {
        await this.close();
        throw abortError(signal);
      }
      const known = error instanceof Error ? error : new Error(String(error));
      this.#finish({ kind: "not_started", ...UNKNOWN, error: known });
      throw known;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Resolves when it is on its way. Rejects when the server has ended, or reads nothing and too much waits for it. */
  async send(message: JSONRPCMessage): Promise<void> {
    const input = this.#input;
    if (input === undefined || this.#over || !input.writable) {
      throw notSentError(this.#says("is not connected"));
    }
    if (input.writableLength > MAX_WAITING_BYTES) {
      throw notSentError(this.#says(`does not read: ${input.writableLength} bytes wait for it`));
    }
    input.write(this.#forms.serializeMessage(message));
    if (input.writableLength > EASY_BYTES) await this.#drained(input);
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut();
    return this.#closing;
  }

  async #launch(): Promise<void> {
    const { command, args, env: own, cwd = this.#context.cwd } = this.#definition;
    const { environment, guard, signal, wrap } = this.#context;
    throwIfAborted(signal);
    const mark = environment["ACUMEN_AGENT"] ?? "1";
    const env: Record<string, string> = { ...environment, ...own, ACUMEN_AGENT: mark };
    const program = await findProgram(command, cwd, env["PATH"]);
    if (!program.ok) throw new Error(program.message);
    if (this.#closing !== undefined) throw new Error(this.#says("was closed while it started"));
    this.#launching = ProcessGroup.start({
      program: program.path,
      args,
      cwd,
      env,
      stdio: ["pipe", "pipe", "pipe"],
      guard,
      purpose: "mcp_server",
      ...(wrap !== undefined && { wrap }),
    }).catch((error: unknown) => {
      throw new Error(unstartable(command, error), { cause: error });
    });
    this.#follow(await this.#launching, program.path);
  }

  #follow(group: ProcessGroup, path: string): void {
    const { stdin, stdout, stderr } = group.child;
    if (stdin === null || stdout === null || stderr === null) return;
    this.#input = stdin;
    this.#outputs = [stdout, stderr];
    for (const stream of [stdout, stderr]) stream.on("error", () => undefined);
    stdin.on("error", () => void this.#onLoss(group, "input"));
    stderr.on("data", (chunk: Buffer) => {
      this.#lastData = performance.now();
      this.#stderr.append(chunk);
    });
    stdout.on("data", (chunk: Buffer) => {
      this.#lastData = performance.now();
      if (!this.#over && !this.#lines.push(chunk)) {
        this.#break(`sent a message of more than ${MAX_LINE_BYTES / MIB} MiB`);
      }
    });
    stdout.once("close", () => void this.#onLoss(group, "output"));
    void group.exited.then((exit) => this.#onExit(exit, path));
  }

  async #onExit(exit: GroupExit, path: string): Promise<void> {
    await this.#settleOutputs();
    if (!this.#over) this.#lines.end();
    const kind = this.#closing === undefined ? "exited" : "closed";
    const unusable =
      kind === "exited" && !this.#spoke && UNUSABLE_CODES.has(exit.exitCode ?? -1)
        ? await faultOfFormat(path)
        : undefined;
    if (unusable === undefined) this.#finish({ kind, ...exit });
    else this.#finish({ kind: "not_started", ...exit, error: new Error(unusable) });
    // What it left behind.
    void this.close();
  }

  /** A server that cannot hear or answer any more has ended, even if it lives on. */
  async #onLoss(group: ProcessGroup, what: "input" | "output"): Promise<void> {
    await within(GRACE_MS, group.exited);
    // A busy process may see the time run out before it sees the exit.
    await nextRound();
    if (group.exit === undefined) this.#break(`closed its ${what} while it went on running`);
  }

  #break(how: string): void {
    if (this.#over || this.#closing !== undefined) return;
    this.#finish({ kind: "broken", ...UNKNOWN, error: new Error(this.#says(how)) });
    for (const output of this.#outputs) output.destroy();
    void this.close();
  }

  /** What was written before the end is in the pipes, which something else may hold open. */
  async #settleOutputs(): Promise<void> {
    const begin = performance.now();
    const open = (): boolean => this.#outputs.some((output) => !output.closed);
    const since = (moment: number): number => performance.now() - moment;
    while (open() && since(begin) < MAX_DRAIN_MS) {
      if (since(begin) > DRAIN_MS && since(this.#lastData) > DRAIN_MS) return;
      await delay(POLL_MS);
    }
  }

  async #shut(): Promise<void> {
    const group = await this.#launching?.catch(() => undefined);
    if (group !== undefined) {
      this.#input?.end();
      await within(FAREWELL_MS, group.exited);
      await group.terminate();
      await group.kill(() => within(KILL_MS, group.exited));
      for (const stream of [this.#input, ...this.#outputs]) stream?.destroy();
      group.forget();
    }
    this.#finish({ kind: "closed", ...(group?.exit ?? UNKNOWN) });
  }

  /** The first one counts. */
  #finish(end: TransportEnd): void {
    if (this.#over) return;
    this.#over = true;
    this.#draining?.reject(new Error(this.#says("ended while something was sent to it")));
    this.#resolveEnded(end);
    this.#guarded(() => this.onclose?.());
  }

  #onLine(line: string): void {
    if (this.#over) return;
    const { messages } = readMessages(line);
    if (messages.length === 0) this.#skipped.add(line);
    for (const message of messages) {
      this.#spoke = true;
      this.#guarded(() => this.onmessage?.(message));
    }
  }

  #drained(input: Writable): Promise<void> {
    if (this.#draining === undefined) {
      const { promise, resolve, reject } = deferred();
      this.#draining = { promise, reject };
      input.once("drain", () => {
        this.#draining = undefined;
        resolve();
      });
    }
    return this.#draining.promise;
  }

  /** A listener that throws must not end this process. */
  #guarded(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #says(what: string): string {
    return `The MCP server ${JSON.stringify(this.#context.name)} ${what}.`;
  }
}

function unstartable(command: string, error: unknown): string {
  const code = (error as { code?: unknown }).code;
  // Messages of Node repeat arguments and variables.
  const reason =
    code === "ERR_INVALID_ARG_VALUE"
      ? "its arguments or variables hold a character that cannot be passed on"
      : typeof code === "string"
        ? code
        : "unknown reason";
  return `The command ${JSON.stringify(command)} cannot be run: ${reason}.`;
}

async function within(milliseconds: number, event: Promise<unknown>): Promise<void> {
  const ended = new AbortController();
  const timer = delay(milliseconds, undefined, { signal: ended.signal });
  await Promise.race([event, timer.catch(() => undefined)]);
  ended.abort();
}

function deferred(): {
  promise: Promise<void>;
  resolve: () => void;
  reject: (error: Error) => void;
} {
  let resolve: () => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
