import {
  AcumenError,
  ensureFolder,
  type HandleCheck,
  isJsonObject,
  parseJson,
  readTextFile,
  withFileLock,
  writeFileAtomic,
} from "@acumen/core";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { SKILLBOOK_LIMITS } from "../../skillbook/skill.ts";
import { Skillbook } from "../../skillbook/skillbook.ts";
import { adopt } from "./adopt.ts";
import { fileIdentity, identityOf, type KnownFile } from "./book-files.ts";
import { mcpError } from "./errors.ts";
import { asFileError, fileError } from "./file-errors.ts";
import { canonical, insideCheck, SESSIONS_FOLDER } from "./paths.ts";
import type { SessionStore } from "./registry.ts";
import type { Session } from "./session.ts";

/** A dead process's lock expires after 10 s. */
const LOCK_WAIT_MS = 15_000;

/**
 * Sessions as files below the root: `<root>/.ace-sessions/<sha256(namespace + id)>.json`, a skillbook that also says whose
 * it is. Processes may share them: a file that changed since we last saw it is merged, never overwritten.
 */
export class AutosaveStore implements SessionStore {
  readonly #root: string;
  readonly #namespace: string;
  readonly #known = new WeakMap<Session, KnownFile>();

  constructor(options: { readonly root: string; readonly namespace: string }) {
    this.#root = options.root;
    this.#namespace = options.namespace;
  }

  async exists(id: string): Promise<boolean> {
    const { path } = await this.#place(id);
    return (await fileIdentity(path)) !== undefined;
  }

  async pull(session: Session): Promise<boolean> {
    const { path, check } = await this.#place(session.id);
    const identity = await fileIdentity(path);
    if (identity === undefined) return false;
    const known = this.#known.get(session);
    if (known?.identity === identity) return true;
    try {
      await this.#takeIn(session, path, check);
    } catch (error) {
      throw asFileError(error, path);
    }
    return true;
  }

  async save(session: Session): Promise<void> {
    const { path, folder, check } = await this.#place(session.id);
    try {
      await ensureFolder(folder, { mode: 0o700 });
      if ((await canonical(folder)) !== folder)
        throw fileError(path, "is_a_link", `${folder} must be a folder, not a link to one.`);
      await withFileLock(path, () => this.#write(session, path, check), { waitMs: LOCK_WAIT_MS });
    } catch (error) {
      throw notSaved(session, asFileError(error, path, ""), path);
    }
  }

  async #write(session: Session, path: string, check: HandleCheck): Promise<void> {
    const identity = await fileIdentity(path);
    if (identity !== undefined && identity !== this.#known.get(session)?.identity)
      await this.#takeIn(session, path, check);
    const record = {
      ...session.skillbook.toRecord(),
      session: { namespace: this.#namespace, id: session.id },
    };
    const text = `${JSON.stringify(record)}\n`;
    if (Buffer.byteLength(text) > SKILLBOOK_LIMITS.fileBytes) {
      throw fileError(
        path,
        "too_large",
        `The session's skillbook exceeds ${SKILLBOOK_LIMITS.fileBytes} bytes.`,
      );
    }
    await writeFileAtomic(path, text, { mode: 0o600, check });
    this.#known.set(session, {
      identity: (await fileIdentity(path)) ?? "",
      base: session.skillbook.snapshot(),
    });
    session.markClean();
  }

  /** Reads the file into the session's book; a book without unsaved changes has none afterwards either. */
  async #takeIn(session: Session, path: string, check: HandleCheck): Promise<void> {
    const { skillbook, identity } = await this.#read(session.id, path, check);
    const { changed } = session;
    adopt(session, this.#known.get(session)?.base, skillbook);
    this.#known.set(session, { identity, base: skillbook.snapshot() });
    if (!changed) session.markClean();
  }

  async #read(
    id: string,
    path: string,
    check: HandleCheck,
  ): Promise<{ skillbook: Skillbook; identity: string }> {
    let identity = "";
    const text = await readTextFile(path, {
      maxBytes: SKILLBOOK_LIMITS.fileBytes,
      check: async (handle, name) => {
        await check(handle, name);
        identity = identityOf(await handle.stat({ bigint: true }));
      },
    });
    const record = parseJson(text);
    const owner = isJsonObject(record) ? record["session"] : undefined;
    if (!isJsonObject(owner) || owner["id"] !== id || owner["namespace"] !== this.#namespace) {
      throw fileError(
        path,
        "not_a_skillbook",
        `${path} does not hold the session ${JSON.stringify(id)}.`,
      );
    }
    return { skillbook: Skillbook.fromRecord(record).skillbook, identity };
  }

  async #place(id: string): Promise<{ path: string; folder: string; check: HandleCheck }> {
    const root = await canonical(this.#root);
    const folder = join(root, SESSIONS_FOLDER);
    const name = createHash("sha256").update(`${this.#namespace}${id}`).digest("hex");
    const path = join(folder, `${name}.json`);
    // Within the folder itself, so that a link planted in its place is refused even when it stays inside the root.
    return { path, folder, check: insideCheck(folder, path) };
  }
}

/** The call did its work, so the caller must know both: that it is not on disk, and that it is not lost yet. */
function notSaved(session: Session, error: unknown, path: string): unknown {
  if (!AcumenError.isInstance(error)) return error;
  const skills = session.skillbook.size;
  return mcpError(
    error.code === "ACE_MCP_TIMEOUT" ? "ACE_MCP_TIMEOUT" : "ACE_MCP_VALIDATION_ERROR",
    `The call did its work and the session holds its ${skills} skills in memory, but they could not be written to its autosave file: ${error.message} Do not repeat the call; the next call of the session tries to write them again.`,
    {
      cause: error,
      details: { path, ...error.details, kept_in_memory: true, skill_count_after: skills },
    },
  );
}
