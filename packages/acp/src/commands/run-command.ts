import type { AvailableCommand } from "@agentclientprotocol/sdk";
import { AcumenError } from "@acumen/core";
import { commandWords } from "./command-words.ts";
import { COMMANDS } from "./commands.ts";
import type { CommandContext, CommandRoom, HostCommand } from "./host-command.ts";
import { SafeWords } from "./safe-words.ts";

export interface CommandOutcome {
  /** Markdown without secrets and control characters, at most 16,000 characters. */
  readonly text: string;
}

/** As hosts are told of them, in the order of `/help`. */
export function availableCommands(): AvailableCommand[] {
  return COMMANDS.map(({ name, description, hint }) => ({
    name,
    description,
    ...(hint !== undefined && { input: { hint } }),
  }));
}

/** Whether a text is answered by a command, and not by the model. */
export function isCommand(text: string): boolean {
  return commandOf(text) !== undefined;
}

/**
 * Carries out a text that is a command; undefined: it is none, and for the model. A failure is text too. Not for the queue of
 * the session: `/compact` and `/undo` wait for their turn there.
 * @throws the abort's error, and nothing else
 */
export async function runCommand(
  text: string,
  context: CommandContext,
): Promise<CommandOutcome | undefined> {
  const found = commandOf(text);
  if (found === undefined) return undefined;
  const { visibleText } = await import("@acumen/agent");
  const { redact } = context.session.parts;
  const say = new SafeWords({ redact, visible: visibleText });
  return { text: say.answer(await answerOf(found.command, { ...context, say }, found.words)) };
}

function commandOf(
  text: string,
): { readonly command: HostCommand; readonly words: string } | undefined {
  const found = commandWords(text);
  const command = COMMANDS.find(({ name }) => name === found?.name);
  return found === undefined || command === undefined ? undefined : { command, words: found.words };
}

async function answerOf(command: HostCommand, room: CommandRoom, words: string): Promise<string> {
  const { name, hint } = command;
  if (hint === undefined && words !== "") {
    return `\`/${name}\` stands alone. Nothing was done; a prompt for the model does not begin with it.`;
  }
  try {
    return await command.run(room, words);
  } catch (error) {
    if (room.signal.aborted || isAbort(error)) throw error;
    return failureText(error, room, name);
  }
}

function isAbort(error: unknown): boolean {
  return AcumenError.isInstance(error) && error.code === "CORE_ABORTED";
}

function failureText(error: unknown, { say, session }: CommandRoom, name: string): string {
  if (AcumenError.isInstance(error)) return `${error.code}: ${say.prose(error.message)}`;
  session.parts.logger.error("a command of a host failed", {
    session_id: session.id,
    command: name,
    reason: String(error),
  });
  return `INTERNAL: \`/${name}\` failed inside. The log of the agent has the reason.`;
}
