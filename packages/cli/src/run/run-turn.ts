import type { CodingSession, SessionEvent, SessionHost, TurnResult, TurnSink } from "@acumen/agent";
import type { AcumenError } from "@acumen/core";
import { keyHelp } from "../agent/language-model.ts";
import { ignoredText, openAgent, type OpenedAgent } from "../agent/open-agent.ts";
import { codedError, isReaderGone } from "../coded-error.ts";
import type { CommandContext } from "../command-context.ts";
import type { RunFlags } from "../commands/run.ts";
import { blockedText, seconds, stopText } from "../events/event-lines.ts";
import { connectingText } from "../mcp/connecting-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { shortened } from "../terminal/printable.ts";
import { wrap } from "../terminal/wrap.ts";
import { modelText } from "../agent/model-text.ts";
import { readPrompt } from "./prompt-input.ts";
import { isUsed, leaveSession } from "./leave-session.ts";
import { missingText } from "./missing-text.ts";
import { openRunSession } from "./run-session.ts";
import { RunView } from "./run-view.ts";
import { REJECTED_HINT, terminalHost } from "./terminal-host.ts";
import { turnExitCode } from "./turn-exit-code.ts";
import { TurnRecord } from "./turn-record.ts";

const NOTICE_WIDTH = 80;
/** A notice may hold the arguments of a call. */
const NOTICE_CHARS = 400;

export interface RunOptions {
  readonly flags: RunFlags;
  readonly context: CommandContext;
  /** On stderr; silent with `--quiet`. */
  readonly terminal: Terminal;
}

/**
 * One turn from prompt to exit code, with its last line for machines however it ends.
 * @throws whatever kept the turn from ending by itself
 */
export async function runTurn(words: readonly string[], options: RunOptions): Promise<void> {
  const run = new PromptRun(options);
  try {
    await run.turn(words);
  } catch (cause) {
    throw run.failed(cause);
  } finally {
    await run.close();
  }
}

class PromptRun {
  readonly #options: RunOptions;
  readonly #record = new TurnRecord();
  readonly #view: RunView;
  /** For Ctrl-C at a question. */
  readonly #controller = new AbortController();
  readonly #signal: AbortSignal;
  #opened: OpenedAgent | undefined;
  /** Made for this turn. */
  #made: CodingSession | undefined;
  /** Seq of the last event that was shown. */
  #seen = 0;
  #unsubscribe: (() => void) | undefined;

  constructor(options: RunOptions) {
    const { context, flags, terminal } = options;
    this.#options = options;
    this.#view = new RunView({
      stdout: flags.json === true ? undefined : context.stdout,
      terminal,
    });
    this.#signal = AbortSignal.any([context.signal, this.#controller.signal]);
  }

  async turn(words: readonly string[]): Promise<void> {
    const { context, flags } = this.#options;
    const prompt = await readPrompt({
      words,
      stdin: context.stdin,
      signal: this.#signal,
      note: (text) => this.#view.say(text),
    });
    const opened = await openAgent(context.environment, flags);
    this.#opened = opened;
    const session = await this.#openSession(opened, words);
    const missing = await missingText(prompt, session);
    if (missing !== undefined) this.#view.say(missing);
    for (const event of newEvents(session)) this.#event(event);
    const unsubscribe = session.subscribe((event) => {
      if (event.turn_id === null) this.#event(event);
    });
    const unwatch = session.mcp?.watchProblems((problem) => {
      this.#view.say(`MCP servers: ${problem}`);
    });
    this.#unsubscribe = () => {
      unsubscribe();
      unwatch?.();
    };
    const waiting = await connectingText(session);
    if (waiting !== undefined) this.#view.say(waiting);
    const startedAt = performance.now();
    const result = await opened.agent.runtime.runPrompt(session, prompt, {
      signal: this.#signal,
      sink: this.#sink(),
      source: "run",
    });
    this.#finish(result, performance.now() - startedAt);
  }

  /** The error to throw, after it was said in the way of a turn. */
  failed(cause: unknown): AcumenError {
    const { stderr, ending } = this.#options.context;
    this.#unsubscribe?.();
    this.#view.breakLine();
    const error = codedError(cause, this.#signal);
    if (this.#made !== undefined && !isUsed(this.#made)) this.#record.forget();
    for (const line of keyHelp(error, this.#opened?.loaded)) stderr.write(`${line}\n`);
    if (!ending.resultWritten && !isReaderGone(error)) this.#write(this.#record.failure(error));
    ending.resultWritten = true;
    return error;
  }

  async close(): Promise<void> {
    if (this.#opened !== undefined && this.#made !== undefined) {
      // What ended the turn is told already.
      await leaveSession(this.#opened, this.#made).catch(() => undefined);
    }
    await this.#opened?.[Symbol.asyncDispose]();
  }

  async #openSession(opened: OpenedAgent, words: readonly string[]): Promise<CodingSession> {
    const { flags } = this.#options;
    for (const fault of [opened.loaded.credentialsFault, await opened.trust.fault()]) {
      if (fault !== undefined) this.#view.say(`${fault.code}: ${fault.message}`);
    }
    const host: SessionHost = { ...this.#host(words), mcp: { wait: "settled" } };
    const { session, isNew, ignored, unusedLevel } = await openRunSession(opened, flags, host);
    if (isNew) this.#made = session;
    this.#record.begin(session.id);
    this.#view.say(`${modelText(session)}, mode ${session.effectiveMode}, session ${session.id}`);
    if (unusedLevel !== undefined) this.#view.say(`${unusedLevel}.`);
    if (ignored !== undefined) this.#view.say(`${ignoredText(ignored)} (\`acumen trust\`).`);
    return session;
  }

  /** Questions need a person who sees them, and a stdin that was not used up as the prompt. */
  #host(words: readonly string[]): SessionHost {
    const { context, terminal } = this.#options;
    const isPromptOnStdin = words.length === 0 || (words.length === 1 && words[0] === "-");
    const isAskable = context.stdin().isTTY === true && context.stderr.isTTY === true;
    if (isPromptOnStdin || !isAskable) return { rejectedHint: REJECTED_HINT };
    return terminalHost({
      context,
      terminal,
      onGivenUp: (reason) => this.#controller.abort(reason),
      breakLine: () => this.#view.breakLine(),
    });
  }

  /** Of the turn, or of what goes on beside it, such as servers. */
  #event(event: SessionEvent): void {
    if (event.seq <= this.#seen) return;
    this.#seen = event.seq;
    this.#record.event(event);
    this.#view.event(event);
    this.#write(event);
  }

  #sink(): TurnSink {
    const { flags } = this.#options;
    return {
      event: (event) => this.#event(event),
      update: (update) => {
        this.#view.update(update);
        if (flags.deltas === true && update.type === "delta") this.#write(update);
      },
    };
  }

  #finish(result: TurnResult, milliseconds: number): void {
    const { stderr, ending } = this.#options.context;
    // The result is the last line.
    this.#unsubscribe?.();
    this.#view.finish(result.text);
    this.#view.say(summary(this.#record, milliseconds));
    this.#write(this.#record.result(result));
    ending.resultWritten = true;
    if (result.stopReason === "cancelled") this.#signal.throwIfAborted();
    ending.exitCode = turnExitCode(result);
    for (const text of endLines(result)) {
      const notice = shortened(`acumen: ${text}`, NOTICE_CHARS);
      stderr.write(`${wrap(notice, NOTICE_WIDTH).join("\n")}\n`);
    }
  }

  #write(line: object): void {
    const { flags, context } = this.#options;
    if (flags.json === true) context.stdout.write(`${JSON.stringify(line)}\n`);
  }
}

/** What was recorded since the session was made or opened, before the turn. */
function newEvents({ events }: CodingSession): CodingSession["events"] {
  const opened = events.findLastIndex(
    ({ type }) => type === "SESSION_RESUMED" || type === "SESSION_CREATED",
  );
  return events.slice(opened);
}

function summary({ usage }: TurnRecord, milliseconds: number): string {
  const cost = usage.cost === undefined ? "" : `, $${usage.cost.toFixed(4)}`;
  const cached = usage.cached_input_tokens === 0 ? "" : ` (${usage.cached_input_tokens} cached)`;
  return `${usage.input_tokens}${cached} + ${usage.output_tokens} tokens${cost}, ${seconds(milliseconds)}`;
}

/** Why a turn ended that did not end by itself; said with `--quiet` too. */
function endLines({ blocked, autoStop, stopReason }: TurnResult): string[] {
  if (blocked !== undefined) return [blockedText(blocked)];
  if (autoStop !== undefined) return [stopText(autoStop)];
  if (stopReason === "refusal") return ["The model refused to go on."];
  if (stopReason === "max_tokens") return ["Stopped by a limit: the answer was too long."];
  return [];
}
