import type { Stats } from "node:fs";
import { lstat, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AcumenError } from "@acumen/core";
import { visibleLine } from "../../text/visible-text.ts";
import type { Admission, WorkspaceTrust } from "../../trust/workspace-trust.ts";
import { stampOf } from "./file-stamp.ts";
import { isServerName, NAME_EXPECTED } from "./server-name.ts";
import { type ConfigFault, MAX_CONFIG_BYTES, parseConfig } from "./config-document.ts";

export const CHOICE_FILE = "workspace.json";
export const CHOICE_KEY = "enabledMcpServers";
const FOLDER = ".acumen";
const MAX_NAMES = 1_000;
const EDIT_WAIT_MS = 1_000;
const EDIT_POLL_MS = 20;

/** Which servers a workspace switches on, and whether that counts. */
export interface WorkspaceChoice {
  /** As they stand there, each once. */
  readonly names: readonly string[];
  /** Why they do not count, with the remedy. */
  readonly disabledReason?: string;
  readonly problems: readonly string[];
  /** Why nobody knows what it switches on: there is something else in the place of folder or file. */
  readonly unusable?: string;
}

const NONE: WorkspaceChoice = { names: [], problems: [] };

/** @param cwd absolute */
export function choicePath(cwd: string): string {
  return join(cwd, FOLDER, CHOICE_FILE);
}

/** What is locked while a workspace's choice and its trust change together; not below the workspace, where it would be looked at. */
export function choiceLock(home: string): string {
  return join(home, "workspace-choice");
}

/** The workspace's `.acumen` is Acumen's own folder, and so none of the workspace's. */
export async function isOwnFolder(cwd: string, home: string): Promise<boolean> {
  const [folder, own] = await Promise.all([
    realpath(join(cwd, FOLDER)).catch(() => undefined),
    realpath(home).catch(() => home),
  ]);
  return folder === own;
}

/** The names that `workspace.json` holds, each once. Without the key there are none. */
export function parseChoice(
  path: string,
  text: string,
): { readonly names: readonly string[]; readonly fault?: ConfigFault } {
  const document = parseConfig(path, text);
  if (!document.ok) return { names: [], fault: document.fault };
  const chosen = document.value[CHOICE_KEY];
  if (chosen === undefined) return { names: [] };
  if (!Array.isArray(chosen) || chosen.length > MAX_NAMES) {
    const reason = `"${CHOICE_KEY}" must be a list of at most ${MAX_NAMES} names of servers`;
    return { names: [], fault: document.fault([CHOICE_KEY], reason) };
  }
  const wrong = (chosen as unknown[]).findIndex((name) => !isServerName(name));
  if (wrong !== -1) {
    const reason = `"${CHOICE_KEY}.${wrong}" must be the name of a server: ${NAME_EXPECTED}`;
    return { names: [], fault: document.fault([CHOICE_KEY, wrong], reason) };
  }
  return { names: [...new Set(chosen as string[])] };
}

/**
 * Which servers a workspace would switch on if it were trusted as it was looked at; the fault is safe to show.
 * @param place.cwd absolute
 * @param place.digest of that look
 * @throws AGENT_WORKSPACE_INVALID; AGENT_WORKSPACE_UNTRUSTABLE when the folder is another one by now
 */
export async function chosenServers(
  trust: Pick<WorkspaceTrust, "read">,
  { cwd, digest }: { readonly cwd: string; readonly digest: string },
): Promise<{ readonly names: readonly string[]; readonly fault?: string }> {
  const bytes = await trust.read(cwd, CHOICE_FILE, digest);
  if (bytes === undefined) return { names: [] };
  if (bytes.byteLength > MAX_CONFIG_BYTES) return { names: [], fault: tooLarge(choicePath(cwd)) };
  const { names, fault } = parseChoice(choicePath(cwd), Buffer.from(bytes).toString("utf8"));
  return { names, ...(fault !== undefined && { fault: fault.message }) };
}

function tooLarge(path: string): string {
  return `${path} is larger than ${MAX_CONFIG_BYTES} bytes.`;
}

export interface ChoiceReaderOptions {
  /** Absolute. */
  readonly cwd: string;
  readonly home: string;
  /** `trust.json`, absolute. */
  readonly trustFile: string;
  readonly trust: WorkspaceTrust;
}

/** Reads the choice of one workspace, as often as it is asked. */
export class WorkspaceChoiceReader {
  readonly #options: ChoiceReaderOptions;
  /** What was let in first: a workspace that is trusted once is trusted as it was then. */
  #admitted: string | undefined;

  constructor(options: ChoiceReaderOptions) {
    this.#options = options;
  }

  /**
   * Never throws for what stands in the folder. An edit of ours writes a file and then renews trust: whoever looks in between would
   * see a change that nobody made, so that is waited for.
   */
  async read(): Promise<WorkspaceChoice> {
    const { cwd, home, trustFile } = this.#options;
    const path = choicePath(cwd);
    const lock = `${choiceLock(home)}.lock`;
    const deadline = performance.now() + EDIT_WAIT_MS;
    for (;;) {
      const before = await stampOf([path, trustFile, lock]);
      const choice = await this.#readOnce(path);
      if (choice.disabledReason === undefined && choice.problems.length === 0) return choice;
      const quiet = (await lstat(lock).catch(() => undefined)) === undefined;
      if (quiet && before === (await stampOf([path, trustFile, lock]))) return choice;
      if (performance.now() >= deadline) return choice;
      await sleep(EDIT_POLL_MS);
    }
  }

  async #readOnce(path: string): Promise<WorkspaceChoice> {
    const { cwd, home } = this.#options;
    const present = await factsOf(path);
    const folder = present === undefined ? await factsOf(dirname(path)) : undefined;
    if (present === undefined && (folder === undefined || folder.isDirectory())) return NONE;
    if (await isOwnFolder(cwd, home)) return NONE;
    if (present?.isDirectory() === true) return unusable(`${path} is a folder and no file.`);
    try {
      return await this.#readPresent();
    } catch (error) {
      if (!AcumenError.isInstance(error)) throw error;
      const { problem } = await this.#options.trust
        .check(cwd)
        .catch(() => ({ problem: undefined }));
      if (problem !== undefined) return unusable(`${path} does not count. ${problem}`);
      return { names: [], problems: [visibleLine(error.message)] };
    }
  }

  async #readPresent(): Promise<WorkspaceChoice> {
    const { cwd, trust } = this.#options;
    const admission = await trust.admit(cwd);
    const { names, fault } = await chosenServers(trust, { cwd, digest: admission.digest });
    const disabledReason = await this.#disabledReason(admission);
    return {
      names,
      problems: fault === undefined ? [] : [fault],
      ...(disabledReason !== undefined && { disabledReason }),
    };
  }

  async #disabledReason(admission: Admission): Promise<string | undefined> {
    const { trusted, digest } = admission;
    if (trusted && (this.#admitted === undefined || this.#admitted === digest)) {
      this.#admitted = digest;
      return undefined;
    }
    const { state, problem } = await this.#options.trust.check(this.#options.cwd);
    if (trusted && state === "trusted") {
      this.#admitted = digest;
      return undefined;
    }
    if (problem !== undefined) return `The workspace cannot be trusted. ${visibleLine(problem)}`;
    if (trusted) {
      return "The .acumen folder of the workspace changed since it was trusted for this session. Look at it, then start again.";
    }
    return state === "changed"
      ? "The .acumen folder of the workspace is no longer what was trusted. Look at the difference and trust it again with `acumen trust`."
      : "The workspace is not trusted. Look at its .acumen folder, then trust it with `acumen trust`.";
  }
}

function unusable(reason: string): WorkspaceChoice {
  const shown = visibleLine(reason);
  return { names: [], problems: [shown], unusable: shown };
}

function factsOf(path: string): Promise<Stats | undefined> {
  return lstat(path).catch(() => undefined);
}
