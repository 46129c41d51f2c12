import { loadSkillbook, type Skill, Skillbook } from "@acumen/ace";
import { AcumenError, coreError, type HandleCheck } from "@acumen/core";
import { join } from "node:path";
import type { WorkspaceFacts } from "../agent/agent-options.ts";
import { opensBelow } from "../prompt/inside-root.ts";
import type { BookName } from "./shown-id.ts";

export interface BookFile {
  readonly book: BookName;
  readonly path: string;
  /** Looks at the open file before it is read or written. */
  readonly check?: HandleCheck;
}

/** `$ACUMEN_HOME/skillbook.json`. */
export function machineBook(home: string): BookFile {
  return { book: "machine", path: join(home, "skillbook.json") };
}

/** `.acumen/skillbook.json` of a workspace; a link that leads out of the workspace is refused. */
export function workspaceBook(cwd: string): BookFile {
  const path = join(cwd, ".acumen", "skillbook.json");
  const check: HandleCheck = async (handle, opened) => {
    if (await opensBelow(handle, opened, cwd)) return;
    throw coreError("CORE_FILE_UNREADABLE", `${path} leads out of the workspace.`, {
      details: { path, reason: "unreadable" },
    });
  };
  return { book: "workspace", path, check };
}

/** The books of a session: the machine's, and a trusted workspace's. */
export function bookFiles(home: string, { cwd, trusted }: WorkspaceFacts): readonly BookFile[] {
  return trusted ? [machineBook(home), workspaceBook(cwd)] : [machineBook(home)];
}

/**
 * Reads a book; one that does not exist is empty. `damaged`: the file holds records that could not be read, and that saving would lose.
 * @throws what `loadSkillbook` throws
 */
export async function readBookFile({
  path,
  check,
}: BookFile): Promise<{ readonly skillbook: Skillbook; readonly damaged: boolean }> {
  try {
    const { skillbook, report } = await loadSkillbook(path, check && { check });
    return { skillbook, damaged: report.skipped.length > 0 };
  } catch (error) {
    if (!AcumenError.isInstance(error) || error.code !== "CORE_FILE_NOT_FOUND") throw error;
    return { skillbook: new Skillbook(), damaged: false };
  }
}

/** A book of these skills under their own ids. */
export function bookOf(skills: readonly Skill[]): Skillbook {
  const skillbook = new Skillbook();
  const byId = new Map(skills.map((skill) => [skill.id, skill]));
  skillbook.restore({ skills: byId, decisions: new Map(), lastNumber: 0, revision: 0 });
  return skillbook;
}
