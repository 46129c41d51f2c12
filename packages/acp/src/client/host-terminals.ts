import type { ExecRequest, ExecResult, ProcessOperations } from "@acumen/agent";
import { isJsonObject, type Logger, untilAborted } from "@acumen/core";
import { existsSync } from "node:fs";
import type { ClientAnswer, ClientRequests } from "./client-requests.ts";
import { DEADLINE_MS } from "./client-requests.ts";

/** Shows a host the terminal as part of a tool call. */
export type TerminalShown = (callId: string, terminalId: string) => void | Promise<void>;

/** What a terminal keeps of its output: the end of it. Bytes. */
const OUTPUT_BYTES = 1024 * 1024;
const CUT = "[the beginning of the output is not kept by the editor's terminal]\n";
/** How long an aborted call waits until the host has ended the command. */
const STOPPING_MS = 500;
const BASH = "/bin/bash";

type Exit = Pick<ExecResult, "exitCode" | "signal">;

/** Commands in terminals of the host. */
export class HostTerminals implements ProcessOperations {
  readonly #requests: Pick<ClientRequests, "ask">;
  readonly #logger: Logger;
  readonly #onTerminal: TerminalShown | undefined;
  #usable = true;

  constructor(options: {
    readonly requests: Pick<ClientRequests, "ask">;
    readonly logger: Logger;
    readonly onTerminal: TerminalShown | undefined;
  }) {
    this.#requests = options.requests;
    this.#logger = options.logger;
    this.#onTerminal = options.onTerminal;
  }

  async exec(request: ExecRequest): Promise<ExecResult | undefined> {
    if (!this.#usable) return undefined;
    const terminalId = await this.#create(request);
    if (terminalId === undefined) return undefined;
    try {
      await this.#show(terminalId, request);
      return await this.#result(terminalId, request);
    } finally {
      this.#release(terminalId);
    }
  }

  /** The command runs whether or not it is seen. */
  async #show(terminalId: string, { callId, signal }: ExecRequest): Promise<void> {
    if (callId === undefined || this.#onTerminal === undefined) return;
    try {
      await untilAborted(Promise.resolve(this.#onTerminal(callId, terminalId)), signal);
    } catch (error) {
      this.#logger.debug("a terminal could not be shown", { reason: String(error) });
    }
  }

  /** Undefined: the host started nothing. */
  async #create({ command, cwd, env, signal }: ExecRequest): Promise<string | undefined> {
    const params = {
      command: existsSync(BASH) ? BASH : "/bin/sh",
      args: ["-c", command],
      env: Object.entries(env).map(([name, value]) => ({ name, value })),
      cwd,
      outputByteLimit: OUTPUT_BYTES,
    };
    const answer = await this.#requests.ask("terminal/create", params, {
      signal,
      late: (late) => this.#dropLate(late),
    });
    if (answer.type === "refused" && answer.cannot) {
      if (answer.unknownMethod) this.#usable = false;
      this.#logger.warn("the host opened no terminal", { reason: answer.reason });
      return undefined;
    }
    if (answer.type === "refused") throw new Error(`the editor said: ${answer.reason}`);
    if (answer.type === "gone") throw new Error("the editor has gone");
    const terminalId = answer.type === "answered" ? terminalOf(answer.result) : undefined;
    if (terminalId !== undefined) return terminalId;
    // What is silent once would hold every further command up.
    this.#usable = false;
    throw new Error(
      `the editor did not say within ${DEADLINE_MS / 1_000} s whether its terminal began the command. It may run there, so it was not ` +
        "started a second time; later commands run outside of the editor",
    );
  }

  /** Only while the session is open: with it the host lets its terminals go. */
  #dropLate(answer: ClientAnswer): void {
    const terminalId = answer.type === "answered" ? terminalOf(answer.result) : undefined;
    if (terminalId !== undefined) void this.#requests.ask("terminal/release", { terminalId });
  }

  async #result(terminalId: string, request: ExecRequest): Promise<ExecResult> {
    const exit = await this.#exitOf(terminalId, request);
    if (exit === undefined) await this.#stop(terminalId, DEADLINE_MS);
    const output = await this.#requests.ask(
      "terminal/output",
      { terminalId },
      { signal: request.signal },
    );
    const { text, truncated, exitStatus } = outputOf(output);
    if (exit instanceof Error && exitStatus === undefined) {
      await this.#stop(terminalId);
      throw exit;
    }
    await request.onData(Buffer.from(truncated ? CUT + text : text));
    const ending = exit instanceof Error ? exitStatus : exit;
    return {
      ...(ending ?? { exitCode: null, signal: null }),
      timedOut: ending === undefined,
      ...(truncated && { truncated }),
    };
  }

  /** Undefined: the time is up. An error: the host cannot wait for it. */
  async #exitOf(
    terminalId: string,
    { timeoutMs: deadlineMs, signal }: ExecRequest,
  ): Promise<Exit | Error | undefined> {
    try {
      const answer = await this.#requests.ask(
        "terminal/wait_for_exit",
        { terminalId },
        { signal, deadlineMs },
      );
      if (answer.type === "answered") return exitOf(answer.result);
      if (answer.type === "silent") return undefined;
      const reason = answer.type === "refused" ? answer.reason : "it has gone";
      return new Error(`the editor did not say how the command ended (${reason})`);
    } catch (error) {
      await this.#stop(terminalId);
      throw error;
    }
  }

  async #stop(terminalId: string, deadlineMs = STOPPING_MS): Promise<void> {
    await this.#requests.ask("terminal/kill", { terminalId }, { deadlineMs, givesBack: true });
  }

  /** Nobody waits for it, but it is sent at once. */
  #release(terminalId: string): void {
    void this.#requests.ask("terminal/release", { terminalId }, { givesBack: true });
  }
}

function terminalOf(result: unknown): string | undefined {
  const id = isJsonObject(result) ? result["terminalId"] : undefined;
  return typeof id === "string" && id !== "" ? id : undefined;
}

function exitOf(status: unknown): Exit {
  const { exitCode, signal } = isJsonObject(status) ? status : {};
  return {
    exitCode: typeof exitCode === "number" && Number.isInteger(exitCode) ? exitCode : null,
    signal: typeof signal === "string" ? signal : null,
  };
}

function outputOf(answer: ClientAnswer): {
  readonly text: string;
  readonly truncated: boolean;
  readonly exitStatus: Exit | undefined;
} {
  const result = answer.type === "answered" && isJsonObject(answer.result) ? answer.result : {};
  const { output, truncated, exitStatus } = result;
  if (typeof output !== "string") {
    const text = "[the editor did not give the output of its terminal]\n";
    return { text, truncated: false, exitStatus: undefined };
  }
  const bytes = Buffer.from(output);
  const cut = bytes.length > OUTPUT_BYTES;
  return {
    text: cut ? bytes.subarray(-OUTPUT_BYTES).toString("utf8") : output,
    truncated: cut || truncated === true,
    exitStatus: isJsonObject(exitStatus) ? exitOf(exitStatus) : undefined,
  };
}
