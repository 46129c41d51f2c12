import type { Writable } from "node:stream";
import { createRedactor } from "@acumen/agent";
import { keyHelp } from "../agent/language-model.ts";
import { openAgent, type OpenedAgent } from "../agent/open-agent.ts";
import { secretValues } from "../agent/secret-values.ts";
import { codedError } from "../coded-error.ts";
import type { CommandContext } from "../command-context.ts";
import type { ChatFlags } from "../commands/chat.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { ChatHistory } from "./chat-history.ts";
import { ChatInput } from "./chat-input.ts";
import { ChatLoop } from "./chat-loop.ts";
import { ChatSession } from "./chat-session.ts";
import { ChatView } from "./chat-view.ts";
import { completion } from "./completion.ts";
import { Keyboard } from "./keyboard.ts";
import { Person } from "./person.ts";
import { SLASH_COMMANDS } from "./slash-commands/slash-commands.ts";
import { askTrust } from "./trust-question.ts";

export interface ChatOptions {
  readonly flags: ChatFlags;
  readonly context: CommandContext;
  /** On stdout. */
  readonly terminal: Terminal;
}

/**
 * A chat from its first line to its last one.
 * @throws whatever kept it from beginning, and the reason of a signal that ended it
 */
export async function startChat(options: ChatOptions): Promise<void> {
  const { context, flags } = options;
  let opened: OpenedAgent | undefined;
  try {
    opened = await openAgent(context.environment, flags);
    context.ending.exitCode = await chat(opened, options);
  } catch (cause) {
    const error = codedError(cause, context.signal);
    for (const line of keyHelp(error, opened?.loaded)) context.stderr.write(`${line}\n`);
    throw error;
  } finally {
    await opened?.[Symbol.asyncDispose]();
  }
}

/** @returns the exit code */
async function chat(opened: OpenedAgent, options: ChatOptions): Promise<number> {
  const { context, flags, terminal } = options;
  const { variables, color } = context.environment;
  const { signal } = context;
  const capable = variables["TERM"] !== "dumb";
  const shown = { redraw: (): void => undefined };
  using keyboard = new Keyboard({
    stdin: context.stdin(),
    control: (sequence) => (capable ? terminal.stream.write(sequence) : undefined),
    onResumed: () => shown.redraw(),
  });
  const view = new ChatView(terminal, { erasable: capable });
  const person = new Person({ keyboard, terminal, view, capable, colour: color && flags.color });
  const redact = createRedactor(secretValues(opened.loaded));
  await askTrust(opened, { flags, person, view, signal });
  await using current = await ChatSession.open(opened, flags, person.host());
  const history = await ChatHistory.open({ home: opened.loaded.home.folder, redact });
  const input = new ChatInput({
    keyboard,
    output: terminal.stream as unknown as Writable,
    capable,
    history,
    complete: completion({
      commands: SLASH_COMMANDS.map(({ name }) => name),
      argumentsOf: (name) => SLASH_COMMANDS.find((one) => one.name === name)?.words ?? [],
      cwd: () => current.session.workspace.cwd,
    }),
    signal,
  });
  shown.redraw = () => input.redraw();
  const parts = { opened, context, flags, terminal, keyboard, view, person };
  return await new ChatLoop({ ...parts, input, current }).run();
}
