import { lstat, realpath } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AcumenError } from "@acumen/core";
import type { Admission, WorkspaceTrust } from "../../trust/workspace-trust.ts";
import { type ConfigFault, MAX_CONFIG_BYTES, parseConfig } from "./config-document.ts";

export const CHOICE_FILE = "workspace.json";
export const CHOICE_KEY = "enabledMcpServers";
const FOLDER = ".acumen";
const MAX_NAMES = 1_000;
const READ_ATTEMPTS = 3;
const EDIT_WAIT_MS = 1_000;
const EDIT_POLL_MS = 20;

/** Which servers a workspace switches on, and whether that counts. */
export interface WorkspaceChoice {
  /** As they stand there, each once. */
  readonly names: readonly string[];
  /** Why they do not count, with the remedy. */
  readonly disabledReason?: string;
  readonly problems: readonly string[];
}

const NONE: WorkspaceChoice = { names: [], problems: [] };

/** @param cwd absolute */
export function choicePath(cwd: string): string {
  return join(cwd, FOLDER, CHOICE_FILE);
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
  const wrong = (chosen as unknown[]).findIndex((name) => typeof name !== "string");
  if (wrong !== -1) {
    const reason = `"${CHOICE_KEY}.${wrong}" must be the name of a server`;
    return { names: [], fault: document.fault([CHOICE_KEY, wrong], reason) };
  }
  return { names: [...new Set(chosen as string[])] };
}

/** Reads the choice of one workspace, as often as it is asked. */
export class WorkspaceChoiceReader {
  readonly #cwd: string;
  readonly #home: string;
  readonly #trust: WorkspaceTrust;
  /** What was let in first: a workspace that is trusted once is trusted as it was then. */
  #admitted: string | undefined;

  constructor(options: {
    readonly cwd: string;
    readonly home: string;
    readonly trust: WorkspaceTrust;
  }) {
    this.#cwd = options.cwd;
    this.#home = options.home;
    this.#trust = options.trust;
  }

  /** Never throws for what stands in the folder. */
  async read(): Promise<WorkspaceChoice> {
    const path = choicePath(this.#cwd);
    const present = await lstat(path).catch(() => undefined);
    if (present === undefined || (await isOwnFolder(this.#cwd, this.#home))) return NONE;
    let failure: AcumenError | undefined;
    for (let attempt = 0; attempt < READ_ATTEMPTS; attempt += 1) {
      try {
        return await this.#readOnce(path);
      } catch (error) {
        // Somebody changed the folder between two looks at it.
        if (!AcumenError.isInstance(error)) throw error;
        failure = error;
      }
    }
    return { names: [], problems: failure === undefined ? [] : [failure.message] };
  }

  async #readOnce(path: string): Promise<WorkspaceChoice> {
    const admission = await this.#admission(path);
    const bytes = await this.#trust.read(this.#cwd, CHOICE_FILE, admission.digest);
    if (bytes === undefined) return NONE;
    if (bytes.byteLength > MAX_CONFIG_BYTES) {
      return { names: [], problems: [`${path} is larger than ${MAX_CONFIG_BYTES} bytes.`] };
    }
    const { names, fault } = parseChoice(path, Buffer.from(bytes).toString("utf8"));
    const disabledReason = await this.#disabledReason(admission);
    return {
      names,
      problems: fault === undefined ? [] : [fault.message],
      ...(disabledReason !== undefined && { disabledReason }),
    };
  }

  /** An edit of ours renews trust right behind it: whoever looks in between would see a change that nobody made. */
  async #admission(path: string): Promise<Admission> {
    const deadline = performance.now() + EDIT_WAIT_MS;
    for (;;) {
      const admission = await this.#trust.admit(this.#cwd);
      if (!admission.changed || performance.now() >= deadline) return admission;
      if ((await lstat(`${path}.lock`).catch(() => undefined)) === undefined) {
        return this.#trust.admit(this.#cwd);
      }
      await sleep(EDIT_POLL_MS);
    }
  }

  async #disabledReason(admission: Admission): Promise<string | undefined> {
    const { trusted, digest } = admission;
    if (trusted && (this.#admitted === undefined || this.#admitted === digest)) {
      this.#admitted = digest;
      return undefined;
    }
    const { state, problem } = await this.#trust.check(this.#cwd);
    if (trusted && state === "trusted") {
      this.#admitted = digest;
      return undefined;
    }
    if (problem !== undefined) return `The workspace cannot be trusted. ${problem}`;
    if (trusted) {
      return "The .acumen folder of the workspace changed since it was trusted for this session. Look at it, then start again.";
    }
    return state === "changed"
      ? "The .acumen folder of the workspace is no longer what was trusted. Look at the difference and trust it again with `acumen trust`."
      : "The workspace is not trusted. Look at its .acumen folder, then trust it with `acumen trust`.";
  }
}
