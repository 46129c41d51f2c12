import { realpath, stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { AcumenError, type Clock, errnoOf, systemClock } from "@acumen/core";
import { agentError } from "../errors.ts";
import { folderContents, type FolderFile } from "./folder-contents.ts";
import { type FolderImage, readFolderImage } from "./folder-image.ts";
import { type FileChange, fileChanges } from "./trust-difference.ts";
import { changeTrustFile, readTrustFile, type TrustedWorkspace } from "./trust-file.ts";

export interface WorkspaceTrustOptions {
  /** `$ACUMEN_HOME`, absolute; `trust.json` in it is made on demand, mode 0600. */
  readonly home: string;
  /** `HOME` is read from here. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
  /** {@link WorkspaceTrust.admit} lets in every workspace that can be trusted (`--trust-once`). */
  readonly once?: boolean;
}

export interface TrustState {
  /** `changed`: it was trusted, but `.acumen/**` is no longer what was trusted. Only `trusted` grants anything. */
  readonly state: "trusted" | "untrusted" | "changed";
  /** Absolute real path. */
  readonly path: string;
  /** What {@link WorkspaceTrust.trust} may be given, so that it trusts what was looked at and nothing else. */
  readonly digest: string;
  /** With `changed`: what is different, by file. */
  readonly difference?: readonly FileChange[];
  /** Why it cannot be trusted as it is. */
  readonly problem?: string;
}

/** What a session that begins in a workspace may use of it. */
export interface Admission {
  /** Absolute real path. */
  readonly path: string;
  readonly trusted: boolean;
  /** Of what was looked at; {@link WorkspaceTrust.read} takes it. */
  readonly digest: string;
  /** It is not trusted, because it is no longer what was trusted. */
  readonly changed: boolean;
}

export interface TrustEntry {
  /** Absolute real path. */
  readonly path: string;
  readonly trustedAt: string;
}

/** Which workspaces of this machine may bring settings, servers and skills of their own. */
export class WorkspaceTrust {
  readonly #file: string;
  readonly #environment: WorkspaceTrustOptions["environment"];
  readonly #clock: Clock;
  readonly #once: boolean;

  constructor({ home, environment, clock = systemClock, once = false }: WorkspaceTrustOptions) {
    this.#file = join(home, "trust.json");
    this.#environment = environment;
    this.#clock = clock;
    this.#once = once;
  }

  /**
   * Never asks and never writes. A damaged file of trust is no error here: everything is untrusted, with the problem.
   * @throws AGENT_WORKSPACE_INVALID
   */
  async check(cwd: string): Promise<TrustState> {
    const { path, image, problem } = await this.#look(cwd);
    const base = { path, digest: image.digest, ...(problem !== undefined && { problem }) };
    let entries: readonly TrustedWorkspace[];
    try {
      entries = await readTrustFile(this.#file);
    } catch (error) {
      if (!AcumenError.isInstance(error)) throw error;
      return { ...base, state: "untrusted", problem: error.message };
    }
    const entry = entries.find((one) => one.path === path);
    if (entry === undefined) return { ...base, state: "untrusted" };
    if (problem === undefined && entry.digest === image.digest)
      return { ...base, state: "trusted" };
    return { ...base, state: "changed", difference: fileChanges(entry.files, image.files) };
  }

  /** Why nothing is trusted, whatever was trusted before: the file of it cannot be read. Undefined: it can. */
  async fault(): Promise<AcumenError | undefined> {
    try {
      await readTrustFile(this.#file);
      return undefined;
    } catch (error) {
      if (AcumenError.isInstance(error)) return error;
      throw error;
    }
  }

  /**
   * Decides whether a session may use what the workspace brings.
   * @throws AGENT_WORKSPACE_INVALID; AGENT_WORKSPACE_UNTRUSTABLE for one that is to be trusted once and can't be
   */
  async admit(cwd: string): Promise<Admission> {
    if (!this.#once) {
      const { path, state, digest } = await this.check(cwd);
      return { path, digest, trusted: state === "trusted", changed: state === "changed" };
    }
    const { path, image, problem } = await this.#look(cwd);
    if (problem !== undefined) throw untrustable(path, problem);
    return { path, digest: image.digest, trusted: true, changed: false };
  }

  /**
   * The bytes of one file below `.acumen`, of exactly the folder that was looked at. Undefined: there is none.
   * @param file with `/`
   * @param digest of an earlier look
   * @throws AGENT_WORKSPACE_INVALID; AGENT_WORKSPACE_UNTRUSTABLE when the folder is another one by now
   */
  async read(cwd: string, file: string, digest: string): Promise<Uint8Array | undefined> {
    const path = await realFolder(cwd);
    const image = await readFolderImage(path, file);
    if (image.problems.length === 0 && image.digest === digest) return image.kept;
    throw moved(path, "while it was read; start again");
  }

  /**
   * What stands below `.acumen` of exactly the folder that was looked at, sorted by path, to be shown before it is trusted.
   * @param digest of an earlier look
   * @throws AGENT_WORKSPACE_INVALID; AGENT_WORKSPACE_UNTRUSTABLE when the folder is another one by now
   */
  async contents(cwd: string, digest: string): Promise<readonly FolderFile[]> {
    const { path, image } = await this.#look(cwd);
    if (image.digest === digest) return folderContents(image.files);
    throw moved(path, "while you looked at it; look again");
  }

  /**
   * Trusts a workspace as it is now.
   * @param options.digest of an earlier check: refuses when `.acumen/**` changed since
   * @throws AGENT_WORKSPACE_INVALID, AGENT_WORKSPACE_UNTRUSTABLE, AGENT_TRUST_INVALID, CORE_FILE_NOT_WRITABLE, CORE_LOCK_TIMEOUT
   */
  async trust(cwd: string, options: { readonly digest?: string } = {}): Promise<TrustEntry> {
    const { path, image, problem } = await this.#look(cwd);
    if (problem !== undefined) throw untrustable(path, problem);
    if (options.digest !== undefined && options.digest !== image.digest) {
      throw moved(path, "while you looked at it; look again");
    }
    const entry = this.#entry(path, image);
    await changeTrustFile(this.#file, (before) => [
      ...before.filter((one) => one.path !== path),
      entry,
    ]);
    return { path, trustedAt: entry.trusted_at };
  }

  /**
   * False when it was not trusted. The folder need not exist any more.
   * @throws AGENT_TRUST_INVALID, CORE_FILE_NOT_WRITABLE, CORE_LOCK_TIMEOUT
   */
  async revoke(cwd: string): Promise<boolean> {
    const path = await realpath(cwd).catch(() => resolve(cwd));
    let found = false;
    await changeTrustFile(this.#file, (before) => {
      found = before.some((one) => one.path === path);
      return found ? before.filter((one) => one.path !== path) : before;
    });
    return found;
  }

  /** In the order in which they were trusted. @throws AGENT_TRUST_INVALID */
  async list(): Promise<readonly TrustEntry[]> {
    const entries = await readTrustFile(this.#file);
    return entries.map(({ path, trusted_at }) => ({ path, trustedAt: trusted_at }));
  }

  async #look(cwd: string): Promise<{
    readonly path: string;
    readonly image: FolderImage;
    readonly problem: string | undefined;
  }> {
    const path = await realFolder(cwd);
    const image = await readFolderImage(path);
    return { path, image, problem: (await this.#untrustable(path)) ?? image.problems[0] };
  }

  #entry(path: string, { digest, files }: FolderImage): TrustedWorkspace {
    return { path, digest, trusted_at: this.#clock.now().toISOString(), files: [...files] };
  }

  async #untrustable(path: string): Promise<string | undefined> {
    if (path === resolve("/")) return "It is the root of all folders.";
    const named = [this.#environment["HOME"], accountHome()].filter(
      (home): home is string => home !== undefined && isAbsolute(home),
    );
    const homes = await Promise.all(named.map((home) => realpath(home).catch(() => resolve(home))));
    if (homes.includes(path)) return "It is your home folder.";
    return homes.some((home) => isBelow(home, path)) ? "Your home folder lies in it." : undefined;
  }
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Of the account, whatever the environment says. */
function accountHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    return undefined;
  }
}

async function realFolder(cwd: string): Promise<string> {
  try {
    const path = await realpath(cwd);
    if ((await stat(path)).isDirectory()) return path;
    throw notUsable(cwd, "it is not a folder");
  } catch (error) {
    if (AcumenError.isInstance(error)) throw error;
    throw notUsable(cwd, errnoOf(error) ?? "unknown error");
  }
}

function notUsable(cwd: string, reason: string): AcumenError {
  return agentError(
    "AGENT_WORKSPACE_INVALID",
    `${cwd} cannot be used as a workspace (${reason}). Name an existing folder.`,
    { details: { path: cwd } },
  );
}

function untrustable(path: string, reason: string): AcumenError {
  return agentError("AGENT_WORKSPACE_UNTRUSTABLE", `${path} can't be trusted. ${reason}`, {
    details: { path },
  });
}

/** `details.moved`: it may be trusted when it is looked at again. */
function moved(path: string, when: string): AcumenError {
  return agentError(
    "AGENT_WORKSPACE_UNTRUSTABLE",
    `${path} can't be trusted. Its .acumen folder changed ${when}.`,
    { details: { path, moved: true } },
  );
}
