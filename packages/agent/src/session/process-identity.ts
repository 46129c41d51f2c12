import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { errnoOf } from "@acumen/core";

/** A process, told apart from a later one that was given the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in ticks since the machine's start; empty where /proc is absent. */
  readonly start: string;
  /** Id of the machine's start; empty where it cannot be read. */
  readonly boot: string;
  readonly host: string;
}

/** What is known about another process from here. `unseen`: it runs, or ran, on another machine. */
export type Liveness = "alive" | "dead" | "unseen";

export async function ownIdentity(): Promise<ProcessIdentity> {
  const [start, boot] = await Promise.all([startOf(process.pid), bootId()]);
  return { pid: process.pid, start: start ?? "", boot, host: hostname() };
}

export async function livenessOf(other: ProcessIdentity, own: ProcessIdentity): Promise<Liveness> {
  if (other.host !== own.host) return "unseen";
  if (other.boot !== own.boot) return "dead";
  // Without /proc a pid that was given anew cannot be told from its former owner.
  if (own.start === "") return answersSignal(other.pid) ? "alive" : "dead";
  return (await startOf(other.pid)) === other.start ? "alive" : "dead";
}

/** Undefined when no such process runs; one that has ended and waits for its parent does not. */
async function startOf(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  // The name in parentheses may hold anything. Behind it: state, then 18 numbers, then the start.
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
  const state = fields?.[0];
  return state === "Z" || state === "X" ? undefined : fields?.[19];
}

async function bootId(): Promise<string> {
  const text = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "");
  return text.trim();
}

function answersSignal(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === "EPERM";
  }
}
