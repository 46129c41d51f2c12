import type { CodingSession, SessionMode } from "@acumen/agent";
import type { HostedAgent, ModelChoice } from "../server-options.ts";
import type { SafeWords } from "./safe-words.ts";

/** What a command works on. */
export interface CommandContext {
  readonly hosted: HostedAgent;
  readonly session: CodingSession;
  /** Those that can be chosen by now, as the option of the session has them. @throws coded errors */
  readonly models: () => Promise<readonly ModelChoice[]>;
  /** As every other way to set it. @throws coded errors */
  readonly setMode: (mode: SessionMode) => Promise<unknown>;
  /** Cancels what the command waits for. */
  readonly signal: AbortSignal;
  /** Takes work for the time behind the command's answer; the signal ends it with the session. */
  readonly afterwards: (work: (signal: AbortSignal) => Promise<unknown>) => void;
}

export interface CommandRoom extends CommandContext {
  /** Puts texts of others into what the command says. */
  readonly say: SafeWords;
}

/** One `/word` that is answered without a turn of the model. */
export interface HostCommand {
  readonly name: string;
  readonly description: string;
  /** What may stand behind the name, such as `[ID]`; absent: nothing may. */
  readonly hint?: string;
  /**
   * @param words what stands behind the name, trimmed
   * @returns Markdown
   * @throws coded errors, which are said as text; the abort's error
   */
  run(room: CommandRoom, words: string): string | Promise<string>;
}
