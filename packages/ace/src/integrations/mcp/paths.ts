import { ensureFolder, errnoOf, type HandleCheck } from "@acumen/core";
import { lstat, readlink, realpath, stat } from "node:fs/promises";
import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { mcpError } from "./errors.ts";
import { asFileError, fileError } from "./file-errors.ts";
import { expandHome } from "./setting.ts";

/** The folder below the root that holds autosaved sessions; tools may neither save there nor load from it. */
export const SESSIONS_FOLDER = ".ace-sessions";

/** A place that passed policy: its canonical path, and the check to run on the open file before the first byte moves. */
export interface ResolvedPath {
  readonly path: string;
  readonly check: HandleCheck;
}

export interface SavePath extends ResolvedPath {
  /** Makes missing folders, and refuses when a link was planted among them meanwhile. */
  makeFolder(): Promise<void>;
}

/**
 * Where save and load may go. Parents are resolved through links before the check; the last component must not be a link
 * on save and is resolved on load. The {@link ResolvedPath.check} looks again at the open file, because a link may be
 * planted between the check by name and the opening by name.
 */
export class PathPolicy {
  readonly #root: string | undefined;

  /** @param root absolute path of the folder that everything must lie in; `undefined` = no confinement. */
  constructor(root: string | undefined) {
    this.#root = root;
  }

  /**
   * What can be said of a path before its turn comes: nothing here depends on whether the file exists yet, because an
   * earlier call of the session may be about to write it.
   * @throws ACE_MCP_VALIDATION_ERROR (outside the root; reason bad_extension, reserved)
   */
  async admit(raw: string, use: "save" | "load"): Promise<void> {
    const { path } = await this.#resolve(raw);
    if (use === "save") refuseExtension(path);
  }

  /** @throws ACE_MCP_VALIDATION_ERROR (outside the root; reason bad_extension, is_a_link, reserved, not_a_file, not_writable) */
  async forSave(raw: string): Promise<SavePath> {
    const { root, path } = await this.#resolve(raw);
    refuseExtension(path);
    await refuseLink(path);
    const folder = dirname(path);
    const makeFolder = async (): Promise<void> => {
      await ensureFolder(folder).catch((error: unknown) => {
        throw asFileError(error, path);
      });
      if ((await canonical(folder)) !== folder)
        throw fileError(path, "is_a_link", `A folder of ${path} has become a symbolic link.`);
    };
    return { path, check: insideCheck(root, path), makeFolder };
  }

  /** @throws ACE_MCP_VALIDATION_ERROR (outside the root; reason not_found, unreadable, reserved) */
  async forLoad(raw: string): Promise<ResolvedPath> {
    const first = await this.#resolve(raw);
    const path = await realpath(first.path).catch((cause: unknown) => {
      const errno = errnoOf(cause);
      if (errno === "ENOENT" || errno === "ENOTDIR")
        throw fileError(first.path, "not_found", `There is no file ${first.path}.`, { cause });
      throw fileError(first.path, "unreadable", `${first.path} cannot be reached (${errno}).`, {
        cause,
      });
    });
    this.#refuseOutside(path, first.root, first.path);
    return { path, check: insideCheck(first.root, path) };
  }

  async #resolve(raw: string): Promise<{ root: string | undefined; path: string }> {
    if (raw.includes("\0")) {
      throw mcpError("ACE_MCP_VALIDATION_ERROR", "The path holds a NUL character.", {
        details: { issues: [{ path: "path", message: "must not hold a NUL character" }] },
      });
    }
    // Resolved at each call: the root may be made, moved or linked elsewhere while the server runs.
    const root = this.#root === undefined ? undefined : await canonical(this.#root);
    const absolute = resolve(root ?? process.cwd(), expandHome(raw));
    // The root itself may be given through a link, so a path below its own spelling counts as below the real one.
    const path = join(await canonical(dirname(absolute)), basename(absolute));
    this.#refuseOutside(path, root, absolute);
    return { root, path };
  }

  /** @param shown the path as the client knows it: where a link leads is not the client's to learn */
  #refuseOutside(path: string, root: string | undefined, shown: string): void {
    if (root === undefined) return;
    if (!isInside(path, root)) {
      const fault = path === root ? "is the folder itself, not a file below" : "is outside of";
      throw mcpError(
        "ACE_MCP_VALIDATION_ERROR",
        `${shown} ${fault} ${root}, the folder that this server saves to and loads from.`,
        { details: { path: shown, skillbook_root: root } },
      );
    }
    const reserved = join(root, SESSIONS_FOLDER);
    if (path === reserved || isInside(path, reserved)) {
      throw fileError(
        path,
        "reserved",
        `${reserved} belongs to autosaved sessions; choose another folder.`,
      );
    }
  }
}

/** True when `path` lies below `folder`; both absolute and canonical. Compared by components, so /root-evil is not in /root. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The real path of the deepest part that exists, with the missing rest appended. */
export async function canonical(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (cause) {
    const errno = errnoOf(cause);
    const parent = dirname(path);
    if (errno === "ENOENT" && parent !== path && !(await isLink(path)))
      return join(await canonical(parent), basename(path));
    if (errno === "ENOTDIR")
      throw fileError(path, "not_a_file", `${path} has a file among its folders.`, { cause });
    throw fileError(
      path,
      "unreadable",
      `${path} cannot be reached (${errno ?? "unknown error"}).`,
      {
        cause,
      },
    );
  }
}

/** A dangling link exists although `realpath` says ENOENT; making its missing target would lead anywhere. */
async function isLink(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isSymbolicLink() ?? false;
}

function refuseExtension(path: string): void {
  if (extname(path).toLowerCase() === ".json") return;
  throw fileError(
    path,
    "bad_extension",
    `${path} is not named *.json; skillbooks are saved under such names alone.`,
  );
}

async function refuseLink(path: string): Promise<void> {
  const stats = await lstat(path).catch((cause: unknown) => {
    const errno = errnoOf(cause);
    if (errno === "ENOENT") return undefined;
    if (errno === "ENOTDIR")
      throw fileError(path, "not_a_file", `${path} has a file among its folders.`, { cause });
    throw fileError(path, "not_writable", `${path} cannot be reached (${errno}).`, { cause });
  });
  if (stats?.isSymbolicLink()) {
    throw fileError(path, "is_a_link", `${path} is a symbolic link; save to its target instead.`);
  }
  if (stats !== undefined && !stats.isFile())
    throw fileError(path, "not_a_file", `${path} is not a regular file.`);
}

/**
 * On Linux the kernel says where an open file really lies. Elsewhere the name is resolved once more and must lead to the
 * very file that is open.
 */
export function insideCheck(root: string | undefined, expected: string): HandleCheck {
  return async (handle, path) => {
    if (root === undefined) return;
    const real =
      (await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined)) ??
      (await sameFile(handle, path));
    if (real !== undefined && isInside(real, root)) return;
    throw mcpError(
      "ACE_MCP_VALIDATION_ERROR",
      `${expected} led outside of ${root} when it was opened; nothing was read or written.`,
      { details: { path: expected, skillbook_root: root } },
    );
  };
}

async function sameFile(
  handle: Parameters<HandleCheck>[0],
  path: string,
): Promise<string | undefined> {
  const real = await realpath(path);
  const [named, open] = await Promise.all([stat(real), handle.stat()]);
  return named.dev === open.dev && named.ino === open.ino ? real : undefined;
}
