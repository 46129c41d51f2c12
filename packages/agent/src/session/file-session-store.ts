import { constants } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { AcumenError, type Clock, type Logger, silentLogger, systemClock } from "@acumen/core";
import type { SessionEvent } from "../events/session-event.ts";
import { FileSession } from "./file-session.ts";
import { LogFile } from "./log-file.ts";
import { readLogLines } from "./log-lines.ts";
import { LogRecords } from "./log-records.ts";
import { readMetaFile, writeMetaFile } from "./meta-file.ts";
import { failureOf, sessionInvalid, sessionNotFound, storeFailed } from "./session-errors.ts";
import { type SessionFolder, SessionFolders } from "./session-folders.ts";
import { isSessionId } from "./session-id.ts";
import { SessionLock } from "./session-lock.ts";
import type { SessionMeta } from "./session-meta.ts";
import { pageOf } from "./session-pages.ts";
import type {
  ListOptions,
  OpenedSession,
  SessionPage,
  SessionStore,
  StoredSession,
  UnreadableSession,
} from "./session-store.ts";
import { metaFromEvents, type ParsedMeta } from "./stored-meta.ts";

export interface FileSessionStoreOptions {
  /** `$ACUMEN_HOME`; absolute. */
  readonly home: string;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

const LOG_FILE = "events.jsonl";
/** About a millisecond of reading, then others have their turn. */
const READ_AT_ONCE = 32;

/**
 * Sessions in files: `<home>/sessions/<workspace key>/<id>/` with `meta.json`, `events.jsonl`, before-images and outputs; folders of
 * mode 0700, files of 0600. Several processes may share a home.
 */
export class FileSessionStore implements SessionStore {
  readonly #root: string;
  readonly #folders: SessionFolders;
  readonly #clock: Clock;
  readonly #logger: Logger;

  constructor(options: FileSessionStoreOptions) {
    this.#root = join(options.home, "sessions");
    this.#folders = new SessionFolders(this.#root);
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
  }

  async create(meta: SessionMeta, events: readonly SessionEvent[]): Promise<OpenedSession> {
    const { session_id: sessionId } = meta;
    if (!isSessionId(sessionId)) throw sessionInvalid(sessionId, "its id is no ULID");
    if ((await this.#folders.find(sessionId)) !== undefined) throw taken(sessionId);
    await this.#folders.sweep(this.#clock.now().getTime()).catch(() => undefined);
    let staged: string | undefined;
    try {
      staged = await this.#folders.stage();
      const log = await LogFile.create(join(staged, LOG_FILE));
      const lines = events.map((event) => `${JSON.stringify(event)}\n`).join("");
      await log.append(lines, { durable: true });
      await log.close();
      await writeMetaFile(staged, meta);
      const lock = await SessionLock.acquire(staged, sessionId);
      const folder = await this.#folders.place(staged, meta.cwd, sessionId);
      return await this.#hold(folder, sessionId, lock.movedTo(folder));
    } catch (error) {
      if (staged !== undefined) await rm(staged, { recursive: true, force: true });
      const errno = failureOf(error);
      if (errno === "ENOTEMPTY" || errno === "EEXIST") throw taken(sessionId);
      throw storeFailed(this.#root, error);
    }
  }

  async open(sessionId: string): Promise<OpenedSession> {
    const folder = await this.#folders.find(sessionId);
    if (folder === undefined) throw sessionNotFound(sessionId);
    return this.#hold(folder, sessionId, await lockIn(folder, sessionId));
  }

  async read(sessionId: string): Promise<StoredSession> {
    const folder = await this.#folders.find(sessionId);
    if (folder === undefined) throw sessionNotFound(sessionId);
    const { events, skipped } = await readRecords(folder, sessionId);
    const meta = metaOf(readMetaFile(folder, sessionId), sessionId, events);
    return { meta, events, skipped };
  }

  async list(options: ListOptions = {}): Promise<SessionPage> {
    const folders = await this.#folders.all(options.workspace);
    const metas: SessionMeta[] = [];
    const unreadable: UnreadableSession[] = [];
    for (const [index, each] of folders.entries()) {
      if (index % READ_AT_ONCE === 0) await setImmediate();
      const stored = readMetaFile(each.folder, each.sessionId);
      const read = stored.ok ? stored.meta : await this.#mended(each, stored);
      if (read === undefined) continue;
      if ("reason" in read) unreadable.push(read);
      else metas.push(read);
    }
    return { ...pageOf(metas, options), ...(unreadable.length > 0 && { unreadable }) };
  }

  async delete(sessionId: string): Promise<void> {
    const folder = await this.#folders.find(sessionId);
    if (folder === undefined) return;
    const lock = await lockIn(folder, sessionId).catch((error: unknown) => {
      if (isGone(error) || isOwn(error)) return undefined;
      throw error;
    });
    try {
      await this.#folders.remove(folder);
    } catch (error) {
      await lock?.release().catch(() => undefined);
      throw storeFailed(folder, error);
    }
  }

  /** The session of a folder whose lock is held; lets go of it on failure. */
  async #hold(folder: string, sessionId: string, lock: SessionLock): Promise<FileSession> {
    const records = new LogRecords(sessionId);
    let log: LogFile | undefined;
    try {
      log = await LogFile.open(join(folder, LOG_FILE), records).catch((error: unknown) => {
        throw logUnusable(folder, sessionId, error);
      });
      const { events, skipped, lastSeq } = records;
      const stored = readMetaFile(folder, sessionId);
      const meta = metaOf(stored, sessionId, events);
      const damaged = stored.ok ? null : stored.reason;
      if (damaged !== null) {
        await writeMetaFile(folder, meta).catch((error: unknown) => {
          throw storeFailed(folder, error);
        });
      }
      if (damaged !== null || skipped.length > 0) {
        const fields = { session_id: sessionId, metadata: damaged, records: skipped.length };
        this.#logger.warn("a session was opened without what could not be read of it", fields);
      }
      const parts = { folder, log, lock, meta, events, skipped, lastSeq };
      return new FileSession({ ...parts, clock: this.#clock, logger: this.#logger });
    } catch (error) {
      await log?.close().catch(() => undefined);
      await lock.release().catch(() => undefined);
      throw error;
    }
  }

  /** A list must not stop at one damaged session. Undefined for one that was deleted in the meantime. */
  async #mended(
    { folder, sessionId }: SessionFolder,
    { newer, reason }: Extract<ParsedMeta, { ok: false }>,
  ): Promise<SessionMeta | UnreadableSession | undefined> {
    if (!newer) {
      const records = await readRecords(folder, sessionId).catch(() => undefined);
      const meta = metaFromEvents(records?.events ?? []);
      if (meta !== undefined) return meta;
    }
    if ((await this.#folders.find(sessionId)) === undefined) return undefined;
    return { session_id: sessionId, reason };
  }
}

async function lockIn(folder: string, sessionId: string): Promise<SessionLock> {
  try {
    return await SessionLock.acquire(folder, sessionId);
  } catch (error) {
    if (failureOf(error) === "ENOENT") throw sessionNotFound(sessionId);
    throw storeFailed(folder, error);
  }
}

/** The metadata as stored, else as the log tells it; the log may have gone on after the metadata was written. */
function metaOf(
  stored: ParsedMeta,
  sessionId: string,
  events: readonly SessionEvent[],
): SessionMeta {
  const meta = stored.ok ? stored.meta : stored.newer ? undefined : metaFromEvents(events);
  if (meta === undefined) throw sessionInvalid(sessionId, stored.ok ? "" : stored.reason);
  const last = events.at(-1)?.timestamp ?? meta.updated_at;
  return last > meta.updated_at ? { ...meta, updated_at: last } : meta;
}

async function readRecords(folder: string, sessionId: string): Promise<LogRecords> {
  const records = new LogRecords(sessionId);
  try {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const handle = await open(join(folder, LOG_FILE), flags);
    try {
      const { tail } = await readLogLines(handle, (bytes) => records.line(bytes));
      if (tail.length > 0) records.tail(tail);
      return records;
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw logUnusable(folder, sessionId, error);
  }
}

function logUnusable(folder: string, sessionId: string, error: unknown): Error {
  const errno = failureOf(error);
  if (errno === "ENOSPC" || errno === "EFBIG" || errno === "EROFS" || errno === "EIO") {
    return storeFailed(join(folder, LOG_FILE), error);
  }
  const reason = errno === "ENOENT" ? "is missing" : `cannot be read (${errno ?? "unknown error"})`;
  return sessionInvalid(sessionId, `its log ${reason}`);
}

function taken(sessionId: string): Error {
  return sessionInvalid(sessionId, "a session of this id exists already");
}

function isGone(error: unknown): boolean {
  return AcumenError.isInstance(error) && error.code === "AGENT_SESSION_NOT_FOUND";
}

/** The lock is held, by this process. */
function isOwn(error: unknown): boolean {
  if (!AcumenError.isInstance(error) || error.code !== "AGENT_SESSION_LOCKED") return false;
  return error.details["pid"] === process.pid && !("host" in error.details);
}
