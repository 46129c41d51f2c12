import type { Readable, Writable } from "node:stream";
import type { SessionHost } from "@acumen/agent";
import type { CommandContext } from "../command-context.ts";
import { terminalPrompts } from "../terminal/prompts.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { answerTo } from "./answer-to.ts";
import { approvalChoices, approvalLines } from "./approval-lines.ts";

/** Of a call that a mode asks for, when nobody could be asked; for the model and for whoever reads along. */
export const REJECTED_HINT =
  "Nobody can be asked here. `--mode auto` would allow it in a trusted workspace (`acumen trust`, or `--trust-once`).";

export interface TerminalHostOptions {
  readonly context: Pick<CommandContext, "stderr" | "stdin">;
  /** On stderr. */
  readonly terminal: Terminal;
  /** The person pressed Ctrl-C at a question. */
  readonly onGivenUp: (reason: unknown) => void;
  /** Ends an unfinished line before something else is shown. */
  readonly breakLine: () => void;
}

/** A person at the terminal who can be asked. Questions stand on stderr, because stdout is for the answer. */
export function terminalHost(options: TerminalHostOptions): SessionHost {
  const { context, terminal, onGivenUp, breakLine } = options;
  const prompts = (signal: AbortSignal) =>
    terminalPrompts({
      input: context.stdin() as unknown as Readable,
      output: context.stderr as unknown as Writable,
      signal,
      gaveUp: "Ended by Ctrl-C.",
    });
  const answered = async <T>(asked: Promise<T>, signal: AbortSignal): Promise<T> => {
    try {
      return await asked;
    } catch (error) {
      // In raw mode Ctrl-C is a key and no signal.
      if (!signal.aborted) onGivenUp(error);
      throw error;
    }
  };
  return {
    rejectedHint: REJECTED_HINT,
    approvals: {
      request: async (request, signal) => {
        breakLine();
        terminal.print(...approvalLines(request, terminal));
        const { select } = await prompts(signal);
        const choices = approvalChoices(request);
        const answer = await answered(select({ message: "Allow it?", options: choices }), signal);
        return choices.find(({ value }) => value === answer)?.value ?? "reject_once";
      },
    },
    questions: {
      ask: async ({ question, options: offered }, signal) => {
        breakLine();
        return answered(answerTo(await prompts(signal), question, offered), signal);
      },
    },
  };
}
