import type { Dirent } from "node:fs";
import { lstat, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { createId, ensureFolder, errnoOf } from "@acumen/core";
import { storeUnreadable } from "./session-errors.ts";
import { isSessionId } from "./session-id.ts";
import { workspaceKey } from "./workspace-key.ts";

/** Sessions on their way in or out; the name begins with a dot, so that it is no workspace. */
const STAGING = ".staging";
const STAGING_MAX_AGE_MS = 3_600_000;
const PRIVATE = { mode: 0o700 };

export interface SessionFolder {
  readonly sessionId: string;
  readonly folder: string;
}

/** Where the folders of sessions are: `<root>/<workspace key>/<id>`. Each appears and disappears in one step. Rejects with system errors when it writes. @throws AGENT_STORE_FAILED when it cannot read them */
export class SessionFolders {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** Undefined also for what is no session id, before it touches a path. */
  async find(sessionId: string): Promise<string | undefined> {
    if (!isSessionId(sessionId)) return undefined;
    const folders = (await this.#keys()).map((key) => join(this.#root, key, sessionId));
    const there = await Promise.all(folders.map((folder) => isFolder(folder)));
    return folders.find((_folder, index) => there[index]);
  }

  /** @param workspace real path of a working directory; absent: of all */
  async all(workspace?: string): Promise<SessionFolder[]> {
    const keys = workspace === undefined ? await this.#keys() : [workspaceKey(workspace)];
    const found = await Promise.all(
      keys.map(async (key) =>
        (await foldersIn(join(this.#root, key)))
          .filter((name) => isSessionId(name))
          .map((name) => ({ sessionId: name, folder: join(this.#root, key, name) })),
      ),
    );
    return found.flat();
  }

  /** A new folder out of sight, to be filled and then placed. */
  async stage(): Promise<string> {
    const path = join(this.#root, STAGING, createId());
    await ensureFolder(join(this.#root, STAGING), PRIVATE);
    await mkdir(path, PRIVATE);
    return path;
  }

  /** Rejects with ENOTEMPTY or EEXIST when the place is taken. */
  async place(staged: string, cwd: string, sessionId: string): Promise<string> {
    const parent = join(this.#root, workspaceKey(cwd));
    await ensureFolder(parent, PRIVATE);
    const folder = join(parent, sessionId);
    await rename(staged, folder);
    return folder;
  }

  /** From the rename on the session is gone, whatever becomes of its files. */
  async remove(folder: string): Promise<void> {
    const staging = join(this.#root, STAGING);
    await ensureFolder(staging, PRIVATE);
    const grave = join(staging, createId());
    try {
      await rename(folder, grave);
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return;
      throw error;
    }
    await rm(grave, { recursive: true, force: true });
  }

  /** Clears away what a process left that died while it made or removed a session. */
  async sweep(nowMs: number): Promise<void> {
    const staging = join(this.#root, STAGING);
    for (const name of await foldersIn(staging)) {
      const path = join(staging, name);
      const modified = await stat(path).catch(() => undefined);
      if (modified === undefined || nowMs - modified.mtimeMs < STAGING_MAX_AGE_MS) continue;
      await rm(path, { recursive: true, force: true });
    }
  }

  async #keys(): Promise<string[]> {
    return (await foldersIn(this.#root)).filter((name) => !name.startsWith("."));
  }
}

/** Names of the real folders in a folder, none when it does not exist. */
async function foldersIn(path: string): Promise<string[]> {
  let entries: Dirent[];
  try {
    entries = await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw storeUnreadable(path, error);
  }
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

async function isFolder(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isDirectory() ?? false;
}
