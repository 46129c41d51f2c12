import { AcumenError, throwIfAborted } from "@acumen/core";
import { isAbsolute, relative } from "node:path";
import { bullets, paragraphs } from "./answer-text.ts";
import type { HostCommand } from "./host-command.ts";

export const undoCommand: HostCommand = {
  name: "undo",
  description: "Take back what the last turn that changed files did to them",
  run: async ({ session, signal, say }) => {
    throwIfAborted(signal);
    const undone = await session.undo({ signal }).catch(nothingUndone);
    if (typeof undone === "string") return undone;
    const { cwd } = session.workspace;
    const named = (verb: string) => (path: string) => `${verb} ${say.code(shown(path, cwd))}`;
    return paragraphs(
      bullets([...undone.restored.map(named("restored")), ...undone.removed.map(named("removed"))]),
      "What commands did is not undone. The model is told with your next prompt.",
    );
  },
};

/** What to say where nothing is there to undo, which is no failure. */
function nothingUndone(error: unknown): string {
  const isNothing =
    AcumenError.isInstance(error) &&
    error.code === "AGENT_UNDO_REFUSED" &&
    Array.isArray(error.details["files"]) &&
    error.details["files"].length === 0;
  if (isNothing) return error.message;
  throw error;
}

function shown(path: string, cwd: string): string {
  const way = relative(cwd, path);
  return way.startsWith("..") || isAbsolute(way) ? path : way;
}
