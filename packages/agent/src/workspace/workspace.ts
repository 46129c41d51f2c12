import type { HandleCheck } from "@acumen/core";
import { realpathSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { agentError } from "../errors.ts";
import { sameFileCheck } from "./open-handle.ts";
import { gitRule, PROTECTED_PLACES, protectedNameRule, secretNameRule } from "./path-policy.ts";
import { isWithin, realPathOf } from "./real-path.ts";

export interface WorkspaceOptions {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[];
  /** `$ACUMEN_HOME`, whose files are kept apart where a root contains it. */
  readonly home?: string;
}

/** `restore`: the session gives a file back what it held before the session itself wrote it; shows nothing of it to anybody. */
export type FileAccess = "read" | "write" | "restore";

/** A place that passed policy. */
export interface Place {
  readonly ok: true;
  /** Absolute, every link resolved. */
  readonly path: string;
  /** Something of that name was there when it was located. */
  readonly exists: boolean;
  /** Relative to the working directory where inside, else absolute. */
  readonly shown: string;
  /** For the open file, before the first byte moves: it must lie at `path`. */
  readonly check: HandleCheck;
}

interface RefusedPath {
  readonly ok: false;
  readonly message: string;
  /** Another fault than that the path is not there or not inside: the rule that refuses it. */
  readonly rule?: string;
}

export type LocatedPath = Place | RefusedPath;

/** Where a session's files are: its folders, and what may be done in them. */
export interface Workspace {
  /** Absolute real path. */
  readonly cwd: string;
  /** Additional directories: absolute real paths. */
  readonly directories: readonly string[];
  /** The working directory, then the additional ones. */
  readonly roots: readonly string[];
  /** `$ACUMEN_HOME` as a real path, if it was given. */
  readonly home: string | undefined;
  /**
   * Resolves a path as a model or person wrote it (relative ones from the working directory) through every link, and
   * applies the boundaries, the rule on `.git` for all but reads, and the rules on secrets. To restore, a secret's name is no
   * obstacle outside of key folders: a file that the session was allowed to make can be taken away again.
   */
  locate(path: string, access: FileAccess): Promise<LocatedPath>;
  /** Relative to the working directory where inside, else absolute. */
  shown(path: string): string;
  /** The rule that keeps a real path from being read, by its name. For walkers, which locate only where they begin. */
  secretRule(path: string): string | undefined;
}

/** @throws AGENT_WORKSPACE_INVALID */
export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const cwd = await folderOf(options.cwd);
  const others = await Promise.all((options.additionalDirectories ?? []).map(folderOf));
  const directories = [...new Set(others)].filter((path) => path !== cwd);
  const home = options.home === undefined ? undefined : await realPathOf(resolve(options.home));
  return new LocalWorkspace(cwd, directories, home?.ok === true ? home.path : undefined);
}

async function folderOf(path: string): Promise<string> {
  const invalid = (reason: string): Error =>
    agentError(
      "AGENT_WORKSPACE_INVALID",
      `The folder ${path} ${reason}; name an existing folder.`,
      {
        details: { path },
      },
    );
  if (!isAbsolute(path)) throw invalid("is not given as an absolute path");
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) throw invalid("does not exist or cannot be reached");
  if (!(await stat(real)).isDirectory()) throw invalid("is not a folder");
  return real;
}

class LocalWorkspace implements Workspace {
  readonly cwd: string;
  readonly directories: readonly string[];
  readonly roots: readonly string[];
  readonly home: string | undefined;

  constructor(cwd: string, directories: readonly string[], home: string | undefined) {
    this.cwd = cwd;
    this.directories = directories;
    this.roots = [cwd, ...directories];
    this.home = home;
  }

  async locate(path: string, access: FileAccess): Promise<LocatedPath> {
    const unusable = unusablePath(path);
    if (unusable !== undefined) return refuse(unusable);
    if (access === "write" && /\/\.?$/.test(path))
      return refuse(`${path} names a folder; name the file to write.`);
    const absolute = resolve(this.cwd, path);
    const real = await realPathOf(absolute);
    if (!real.ok) {
      const inside = this.#rootOf(absolute) !== undefined;
      return refuse(inside ? `${path} ${real.reason}.` : this.#outside(path));
    }
    if (this.#rootOf(real.path) === undefined) return refuse(this.#outside(path));
    const system = systemRule(real.path, this.roots);
    if (system !== undefined)
      return refuse(
        `${path} may not be used: ${system} shows the machine and its processes.`,
        system,
      );
    const secret = this.secretRule(real.path) ?? this.secretRule(absolute);
    if (secret !== undefined && keeps(secret, access, real.exists))
      return refuse(secretMessage(path, secret), secret);
    const git = access === "read" ? undefined : (gitRule(real.path) ?? gitRule(absolute));
    if (git !== undefined)
      return refuse(
        `${path} may not be written: the rule "${git}" keeps git's own files from change.`,
        git,
      );
    return {
      ok: true,
      path: real.path,
      exists: real.exists,
      shown: this.shown(real.path),
      check: sameFileCheck,
    };
  }

  shown(path: string): string {
    return isWithin(path, this.cwd) ? relative(this.cwd, path) || "." : path;
  }

  secretRule(path: string): string | undefined {
    if (this.home !== undefined && path === join(this.home, "credentials.json"))
      return "Acumen's own keys";
    return secretNameRule(path, this.#rootOf(path));
  }

  /** The innermost one: what an additional directory is called is its own matter. */
  #rootOf(path: string): string | undefined {
    return this.roots
      .filter((root) => isWithin(path, root))
      .toSorted((a, b) => b.length - a.length)[0];
  }

  #outside(path: string): string {
    const more = this.directories.length === 0 ? "" : ` and ${this.directories.join(", ")}`;
    return `${path} is outside of the workspace; files can be used in ${this.cwd}${more}.`;
  }
}

function refuse(message: string, rule?: string): RefusedPath {
  return { ok: false, message, ...(rule !== undefined && { rule }) };
}

/** Where a workspace as wide as `/` holds what is no file: `/proc/self/environ` has the keys of this very process. */
const SYSTEM_FOLDERS = ["/proc", "/sys", "/dev"];

function systemRule(path: string, roots: readonly string[]): string | undefined {
  const folder = SYSTEM_FOLDERS.find((system) => isWithin(path, system));
  if (folder === undefined) return undefined;
  const meant =
    folder !== "/proc" && roots.some((root) => isWithin(root, folder) && isWithin(path, root));
  return meant ? undefined : `${folder}/**`;
}

/** New files may get a secret's name, except in folders of keys. */
function keeps(secret: string, access: FileAccess, exists: boolean): boolean {
  const isKeyFolder = secret.endsWith("/**");
  return isKeyFolder || access === "read" || (access === "write" && exists);
}

/** What is said of a file that may not be read. */
export function secretMessage(path: string, rule: string): string {
  return `${path} may not be read or changed: it counts as key material (rule "${rule}"). Ask the person for what you need from it.`;
}

function unusablePath(path: string): string | undefined {
  if (path === "") return "The path is empty; name a file or folder.";
  if (path.includes("\0")) return "The path holds a NUL character.";
  if (path === "~" || /^~[\w-]*\//.test(path))
    return `${path}: "~" is not expanded; write the absolute path (or ./${path} for a file of that name).`;
  return undefined;
}

/**
 * The rule by which a write to this file must be asked for in every mode; undefined: none. What a protected name of a
 * root leads to through a link counts as well.
 * @param path absolute real path
 */
export function protectedRule(workspace: Workspace, path: string): string | undefined {
  const { home, roots } = workspace;
  if (home !== undefined && isWithin(path, home) && roots.some((root) => isWithin(home, root)))
    return "$ACUMEN_HOME/**";
  const within = roots.filter((root) => isWithin(path, root));
  for (const root of within) {
    const rule = protectedNameRule(path, root);
    if (rule !== undefined) return rule;
  }
  return roots.map((root) => linkedRule(path, root)).find((rule) => rule !== undefined);
}

function linkedRule(path: string, root: string): string | undefined {
  return PROTECTED_PLACES.find((name) => {
    const place = join(root, name);
    try {
      const real = realpathSync(place);
      return real !== place && isWithin(path, real);
    } catch {
      return false;
    }
  });
}
