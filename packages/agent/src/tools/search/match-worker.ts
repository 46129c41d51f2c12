import { abortError } from "@acumen/core";
import { Worker } from "node:worker_threads";

export interface SearchPattern {
  readonly source: string;
  readonly flags: string;
}

export interface ReadRequest {
  /** Absolute real paths. */
  readonly paths: readonly string[];
  /** Larger files are not read. */
  readonly maxBytes: number;
  /** ASCII that the files must hold to be of use. */
  readonly literal?: string;
  readonly ignoreCase?: boolean;
}

/** The content; `without`: it does not hold the literal; null: not an ordinary file, or the thread cannot tell. */
export type RawFile = Uint8Array<ArrayBuffer> | "without" | null;

export interface LineRequest {
  readonly texts: readonly string[];
  /** Lines around each match. */
  readonly context: number;
  /** Matches that are given in full; all are counted. */
  readonly limit: number;
}

export interface FoundLine {
  /** From 1. */
  readonly line: number;
  /** Clipped around the match. */
  readonly text: string;
  readonly isMatch: boolean;
}

export interface TextMatches {
  /** Lines that match, all of them. */
  readonly count: number;
  /** In order; matches within the limit and the lines around them. */
  readonly lines: readonly FoundLine[];
}

/** Longer lines are clipped when they are given. */
const CLIP_CHARS = 300;

/**
 * Runs in a thread of its own. A regular expression can take longer than the universe exists, and only a thread can be
 * ended in the midst of it. Plain JavaScript in a text, so that it runs from sources and from the build alike.
 */
const SCRIPT = `
const { parentPort, workerData } = require("node:worker_threads");
const { closeSync, constants, fstatSync, openSync, readlinkSync, readSync } = require("node:fs");
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const patterns = workerData.map(({ source, flags }) => new RegExp(source, flags));
function clip(line, at) {
  if (line.length <= ${CLIP_CHARS}) return line;
  const start = Math.max(0, Math.min(at - ${CLIP_CHARS / 3}, line.length - ${CLIP_CHARS}));
  const end = start + ${CLIP_CHARS};
  const text = line.slice(start, end).replace(/^[\\udc00-\\udfff]|[\\ud800-\\udbff]$/g, "");
  return (start > 0 ? "…" : "") + text + (end < line.length ? "…" : "");
}
function search(pattern, text, context, limit) {
  const lines = [];
  const before = [];
  let count = 0, given = 0, after = 0, number = 0;
  for (let at = 0; at < text.length || number === 0; ) {
    const next = text.indexOf("\\n", at);
    const end = next === -1 ? text.length : next;
    const line = text.slice(at, end > at && text[end - 1] === "\\r" ? end - 1 : end);
    at = next === -1 ? text.length : next + 1;
    number += 1;
    pattern.lastIndex = 0;
    const match = pattern.exec(line);
    if (match !== null) count += 1;
    if (match !== null && given < limit) {
      given += 1;
      lines.push(...before.splice(0), { line: number, text: clip(line, match.index), isMatch: true });
      after = context;
    } else if (after > 0) {
      after -= 1;
      lines.push({ line: number, text: clip(line, 0), isMatch: false });
    } else if (context > 0 && given < limit) {
      before.push({ line: number, text: clip(line, 0), isMatch: false });
      if (before.length > context) before.shift();
    }
  }
  return { count, lines };
}
let scratch = Buffer.alloc(65536);
function read(path, { maxBytes, literal, ignoreCase }) {
  let file;
  try {
    file = openSync(path, OPEN_FLAGS);
    // The kernel says where it lies: a link may have been planted on the way.
    if (readlinkSync("/proc/self/fd/" + file) !== path) return null;
    const stats = fstatSync(file);
    const { size } = stats;
    if (!stats.isFile() || stats.nlink !== 1 || size > maxBytes) return null;
    if (scratch.length <= size) scratch = Buffer.alloc(size * 2);
    if (readSync(file, scratch, 0, size + 1, 0) !== size) return null;
    const bytes = scratch.subarray(0, size);
    return literal === undefined || couldHold(bytes, literal, ignoreCase) ? new Uint8Array(bytes) : "without";
  } catch {
    return null;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
function couldHold(bytes, literal, ignoreCase) {
  const isWide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isWide) return true;
  if (!ignoreCase) return bytes.includes(literal);
  return bytes.toString("latin1").toLowerCase().includes(literal.toLowerCase());
}
parentPort.on("message", ({ kind, which, names, texts, context, limit, ...rest }) => {
  if (kind === "read") {
    const files = rest.paths.map((path) => read(path, rest));
    parentPort.postMessage(files, files.flatMap((file) => file?.buffer ?? []));
    return;
  }
  const pattern = patterns[which];
  if (kind === "names") {
    parentPort.postMessage(names.map((name) => pattern.test(name)));
    return;
  }
  let left = limit;
  parentPort.postMessage(texts.map((text) => {
    const found = search(pattern, text, context, left);
    left = Math.max(0, left - found.count);
    return found;
  }));
});
`;

/** The time that matching may take. */
export class MatchTimeout extends Error {
  override readonly name = "MatchTimeout";
}

/** Matches names and texts against patterns in a thread that can be stopped at any moment. */
export class MatchWorker {
  readonly #worker: Worker;
  readonly #timer: NodeJS.Timeout;
  /** Rejects when the search must not go on. */
  readonly #stopped: Promise<never>;
  #reason: Error | undefined;

  /**
   * @param patterns valid ones; requests name them by their place
   * @param timeoutMs from now to the last answer
   */
  constructor(patterns: readonly SearchPattern[], timeoutMs: number, signal: AbortSignal) {
    this.#worker = new Worker(SCRIPT, {
      eval: true,
      workerData: patterns,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });
    let reject: (error: Error) => void = () => undefined;
    this.#stopped = new Promise((_resolve, fail) => (reject = fail));
    // Whoever waits hears of it; nobody may be waiting.
    this.#stopped.catch(() => undefined);
    const stop = (error: Error): void => {
      this.#reason ??= error;
      reject(error);
    };
    this.#timer = setTimeout(() => stop(new MatchTimeout()), timeoutMs);
    signal.addEventListener("abort", () => stop(abortError(signal)), { once: true });
    this.#worker.on("error", stop);
    if (signal.aborted) stop(abortError(signal));
  }

  /** For work beside the matching. @throws MatchTimeout, the abort's error */
  throwIfStopped(): void {
    if (this.#reason !== undefined) throw this.#reason;
  }

  /** Reads files one after the other, which costs a fifth of what reading them side by side from the main thread does. */
  read(request: ReadRequest): Promise<readonly RawFile[]> {
    return this.#ask({ kind: "read", ...request }) as Promise<readonly RawFile[]>;
  }

  names(which: number, names: readonly string[]): Promise<readonly boolean[]> {
    return this.#ask({ kind: "names", which, names }) as Promise<readonly boolean[]>;
  }

  lines(which: number, request: LineRequest): Promise<readonly TextMatches[]> {
    return this.#ask({ kind: "texts", which, ...request }) as Promise<readonly TextMatches[]>;
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#worker.terminate();
  }

  /** Answers come in the order of the requests. */
  async #ask(request: object): Promise<unknown> {
    const answer = new Promise<unknown>((resolve) => this.#worker.once("message", resolve));
    this.#worker.postMessage(request);
    const value = await Promise.race([answer, this.#stopped]);
    this.throwIfStopped();
    return value;
  }
}
