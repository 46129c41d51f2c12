import { resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import type { CommandContext } from "../command-context.ts";
import { addJsonFlag, type JsonFlagValues } from "./json-flag.ts";
import { limitOf } from "./limit.ts";
import { terminalOf, writeRecord } from "./setting-flags.ts";

interface ListFlags extends JsonFlagValues {
  readonly limit: number;
  readonly cursor?: string;
  /** Absolute. */
  readonly cwd?: string;
}

interface ForkFlags extends JsonFlagValues {
  readonly at?: number;
}

interface UndoFlags extends JsonFlagValues {
  readonly to: number;
}

export function addSessionsCommand(program: Command, context: CommandContext): void {
  const sessions = program
    .command("sessions")
    .summary("list, show, fork, delete and undo stored sessions")
    .description("Looks after the coding sessions that are stored in $ACUMEN_HOME/sessions.")
    .addHelpText("after", "\nExample:\n  $ acumen sessions list --cwd . --limit 5");
  addList(sessions, context);
  addShow(sessions, context);
  addFork(sessions, context);
  addDelete(sessions, context);
  addUndo(sessions, context);
}

function addList(sessions: Command, context: CommandContext): void {
  const command = sessions
    .command("list")
    .summary("list sessions, newest first")
    .description("Lists sessions, the newest first, page by page.")
    .option("--cwd <dir>", "only the sessions of this folder", (path) => resolve(path))
    .option("--limit <n>", "sessions of a page", limitOf, 20)
    .option("--cursor <text>", "the page after the one that gave this cursor");
  addJsonFlag(command)
    .addHelpText(
      "after",
      "\nExamples:\n  $ acumen sessions list\n  $ acumen sessions list --cwd . --json",
    )
    .action(async (_flags, self: Command) => {
      const flags = self.optsWithGlobals<ListFlags>();
      const { listSessions, pageLines } = await import("../sessions/list.ts");
      const page = await listSessions(context, flags);
      if (flags.json === true) {
        writeRecord(context, { command: "sessions list", ...page });
        return;
      }
      const terminal = terminalOf(context, flags);
      terminal.print(...pageLines(terminal, page, flags));
    });
}

function addShow(sessions: Command, context: CommandContext): void {
  const command = sessions
    .command("show")
    .summary("show what happened in a session, event by event")
    .description("Shows the events of a session with their numbers, which fork and undo take.")
    .argument("<id>", "the session, or last: the newest of this folder");
  addJsonFlag(command)
    .addHelpText("after", "\nExample:\n  $ acumen sessions show 01KAFV3W5E9Q2T8M6X4Z7B1C0D")
    .action(async (id: string, _flags, self: Command) => {
      const flags = self.optsWithGlobals<JsonFlagValues>();
      const { sessionLines, sessionRecord, readSession } = await import("../sessions/show.ts");
      const session = await readSession(context, id);
      if (flags.json === true) {
        writeRecord(context, { command: "sessions show", ...sessionRecord(session) });
        return;
      }
      const terminal = terminalOf(context, flags);
      terminal.print(...sessionLines(terminal, session));
    });
}

function addFork(sessions: Command, context: CommandContext): void {
  const command = sessions
    .command("fork")
    .summary("copy a session up to an event into a new one")
    .description(
      "Copies a session, up to an event or whole, into a new one. Files are not touched.",
    )
    .argument("<id>", "the session, or last: the newest of this folder")
    .option("--at <seq>", "number of the last event to copy", seqOf);
  addJsonFlag(command)
    .addHelpText("after", "\nExample:\n  $ acumen sessions fork 01KAFV3W5E9Q2T8M6X4Z7B1C0D --at 12")
    .action(async (id: string, _flags, self: Command) => {
      const flags = self.optsWithGlobals<ForkFlags>();
      const { fork } = await import("../sessions/change.ts");
      const sessionId = await fork(context, id, flags.at);
      if (flags.json === true) {
        writeRecord(context, { command: "sessions fork", session_id: sessionId });
        return;
      }
      terminalOf(context, flags).print(`${sessionId} begins where the other one was.`);
    });
}

function addDelete(sessions: Command, context: CommandContext): void {
  const command = sessions
    .command("delete")
    .summary("delete a session for good")
    .description(
      "Deletes a session with everything that is stored of it. One that is gone is no error.",
    )
    .argument("<id>", "the session");
  addJsonFlag(command)
    .addHelpText("after", "\nExample:\n  $ acumen sessions delete 01KAFV3W5E9Q2T8M6X4Z7B1C0D")
    .action(async (id: string, _flags, self: Command) => {
      const flags = self.optsWithGlobals<JsonFlagValues>();
      const { deleteSession } = await import("../sessions/change.ts");
      await deleteSession(context, id);
      if (flags.json === true) {
        writeRecord(context, { command: "sessions delete", session_id: id });
        return;
      }
      const { printable } = await import("../terminal/printable.ts");
      terminalOf(context, flags).print(`${printable(id)} is deleted.`);
    });
}

function addUndo(sessions: Command, context: CommandContext): void {
  const command = sessions
    .command("undo")
    .summary("take back what a session did to files")
    .description(
      "Gives the files that a session changed the content they had before an event, and removes those it made since. " +
        "Refused when somebody else changed one of them in the meantime. What commands did is not undone.",
    )
    .argument("<id>", "the session, or last: the newest of this folder")
    .requiredOption("--to <seq>", "number of the event to go back to (`sessions show`)", seqOf);
  addJsonFlag(command)
    .addHelpText("after", "\nExample:\n  $ acumen sessions undo 01KAFV3W5E9Q2T8M6X4Z7B1C0D --to 8")
    .action(async (id: string, _flags, self: Command) => {
      const flags = self.optsWithGlobals<UndoFlags>();
      const { undo, undoneLines } = await import("../sessions/change.ts");
      const { sessionId, ...undone } = await undo(context, id, flags.to);
      if (flags.json === true) {
        writeRecord(context, { command: "sessions undo", session_id: sessionId, ...undone });
        return;
      }
      const terminal = terminalOf(context, flags);
      terminal.print(...undoneLines(undone));
    });
}

function seqOf(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be the number of an event.");
}
