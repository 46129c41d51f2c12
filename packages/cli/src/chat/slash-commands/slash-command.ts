import type { CodingSession } from "@acumen/agent";
import type { OpenedAgent } from "../../agent/open-agent.ts";
import type { CommandContext } from "../../command-context.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { Person } from "../person.ts";

/** What a slash command may do with the chat. */
export interface ChatRoom {
  readonly session: CodingSession;
  readonly opened: OpenedAgent;
  readonly context: CommandContext;
  readonly terminal: Terminal;
  readonly person: Person;
  /** Lines on the screen. */
  print(this: void, ...lines: readonly string[]): void;
  /** The same, and into the session's log. Texts of others must be safe already. */
  tell(this: void, ...lines: readonly string[]): Promise<void>;
  /** Until it is disposed the command itself says what becomes of an MCP server. */
  answering(this: void, server: string): Disposable;
  /** Work that Ctrl-C cancels. @throws the abort's error */
  cancellable<T>(this: void, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Goes on with a stored session instead of this one, which may be the same. */
  resume(this: void, id: string): Promise<void>;
  /** Goes on with a new session of the same folder, model, thought level and mode. */
  begin(this: void): Promise<void>;
}

/** One word that the chat itself understands. */
export interface SlashCommand {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Such as `[auto|safe|manual]`. */
  readonly usage?: string;
  readonly summary: string;
  /** What Tab offers behind the name. */
  readonly words?: readonly string[];
  /**
   * @param words what stands behind the name
   * @returns `leave` ends the chat
   * @throws coded errors, which are shown as a line
   */
  run(room: ChatRoom, words: string): Promise<"leave" | undefined>;
}
