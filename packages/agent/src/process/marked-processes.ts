import { createId } from "@acumen/core";
import { readdirSync, readFileSync } from "node:fs";
import { setImmediate as nextRound, setTimeout as delay } from "node:timers/promises";

const NAME = "ACUMEN_COMMAND";
const PROCESSES = "/proc";
/** Processes that are looked at before other work has its turn. */
const AT_ONCE = 64;
const PAUSE_MS = 5;

/**
 * Finds what a command started wherever it went, also into a session of its own: children inherit a mark in their
 * environment. Only where there is `/proc`. Not found is what was started with another environment or wrote over its own, and what
 * runs as somebody else.
 */
export class MarkedProcesses {
  readonly mark = createId();

  /** For the environment of the command. */
  get environment(): Readonly<Record<string, string>> {
    return { [NAME]: this.mark };
  }

  /**
   * Sends the signals to each of them that is not in the group.
   * @param group id of a process group
   * @returns their pids
   */
  async signal(signals: readonly NodeJS.Signals[], group: number): Promise<readonly number[]> {
    const pids: number[] = [];
    for await (const pid of runningPids()) {
      // Looked at and signalled without a pause: a number that is free again may become another process.
      if (!this.has(pid) || groupOf(pid) === group) continue;
      pids.push(pid);
      for (const signal of signals) kill(pid, signal);
    }
    return pids;
  }

  /** Ends them by force, also those that they start meanwhile. Gives up after `limitMs`. */
  async end(group: number, limitMs: number): Promise<void> {
    const deadline = performance.now() + limitMs;
    while ((await this.signal(["SIGKILL"], group)).length > 0 && performance.now() < deadline) {
      await delay(PAUSE_MS);
    }
  }

  /** False when it is another's, or has ended: what is left of it then has no environment. */
  has(pid: number): boolean {
    return markOf(pid) === this.mark;
  }
}

/** The marks of all processes that run. */
export async function livingMarks(): Promise<ReadonlySet<string>> {
  const marks = new Set<string>();
  for await (const pid of runningPids()) marks.add(markOf(pid));
  return marks;
}

/** Empty: it has none. */
function markOf(pid: number): string {
  const line = readOf(pid, "environ")
    .split("\0")
    .find((variable) => variable.startsWith(`${NAME}=`));
  return line?.slice(NAME.length + 1) ?? "";
}

async function* runningPids(): AsyncGenerator<number, void, undefined> {
  for (const [index, name] of namesIn(PROCESSES).entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await nextRound();
    const pid = Number(name);
    if (Number.isInteger(pid)) yield pid;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The third field behind the name, which stands in parentheses and may hold any character. */
function groupOf(pid: number): number {
  const stat = readOf(pid, "stat");
  return Number(stat.slice(stat.lastIndexOf(")") + 1).split(" ")[3]);
}

/** Empty for a process of somebody else, or one that has ended. */
function readOf(pid: number, file: "environ" | "stat"): string {
  try {
    return readFileSync(`${PROCESSES}/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
