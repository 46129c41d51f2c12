import { AcumenError, type Clock, type Logger, systemClock } from "@acumen/core";
import { Arrivals } from "./arrivals.ts";
import { mcpError } from "./errors.ts";
import { Session } from "./session.ts";

/** Where sessions outlive the process; see `autosave.ts`. */
export interface SessionStore {
  exists(id: string): Promise<boolean>;
  /** Takes in what the session's file holds and its book does not; false when there is no file. */
  pull(session: Session): Promise<boolean>;
  /** Writes the session's book and marks it clean. */
  save(session: Session): Promise<void>;
}

export interface RegistryOptions {
  readonly ttlSeconds: number;
  readonly maxSessions: number;
  readonly logger: Logger;
  readonly store?: SessionStore | undefined;
  readonly clock?: Clock | undefined;
  /** Longest wait for a busy session in seconds. Default 60. */
  readonly waitSeconds?: number | undefined;
}

export interface UseOptions {
  /** Make the session when there is none. */
  readonly create: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Checks that come before the session; what they throw is thrown without waiting for the session's work. */
  readonly admit?: (() => Promise<void>) | undefined;
}

/**
 * Sessions by id: made at first use, one first-in-first-out lock each, dropped when idle for too long. Sessions in use are
 * never dropped; looking for expired ones takes no lock and waits for nobody.
 */
export class SessionRegistry {
  /** In the order of their last use, so that the longest-idle ones come first. */
  readonly #sessions = new Map<string, Session>();
  readonly #options: RegistryOptions;
  readonly #clock: Clock;
  readonly #whenIdle: (() => void)[] = [];
  readonly #arrivals = new Arrivals();
  /** The session that had to go for a new one, until the new one has proved worth it. */
  readonly #displaced = new WeakMap<Session, Session>();
  #uses = 0;

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Sessions that exist, those being made included. */
  get size(): number {
    return this.#sessions.size;
  }

  /**
   * Runs `work` alone on a session. With a store, the session is restored before its first use and saved after every
   * change, before this settles. A session made by this call is forgotten again when the call fails before
   * {@link Session.establish}.
   * @throws ACE_MCP_SESSION_NOT_FOUND; ACE_MCP_TIMEOUT (`waiting: true`); ACE_MCP_VALIDATION_ERROR (`max_sessions`)
   */
  async use<T>(
    id: string,
    options: UseOptions,
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    this.sweep();
    const wait = { signal: options.signal, waitMs: this.#waitSeconds * 1_000 };
    try {
      const enter = (): Entered<T> => {
        const session = this.#enter(id);
        const alone = (): Promise<T> => this.#alone(session, options, work);
        return { done: session.lock.run(alone, wait).finally(() => this.#leave(session)) };
      };
      return await (
        await this.#arrivals.pass(id, this.#checks(id, options), enter, wait)
      ).done;
    } catch (error) {
      throw this.#waitedTooLong(error) ? busyTooLong(id, this.#waitSeconds) : error;
    }
  }

  /** What has to be looked up before a call may queue for the session; `undefined` when there is nothing. */
  #checks(id: string, { create, admit }: UseOptions): (() => Promise<void>) | undefined {
    if (admit === undefined && (create || this.#sessions.has(id))) return undefined;
    return async () => {
      await admit?.();
      if (!create && !this.#sessions.has(id) && !(await this.#options.store?.exists(id)))
        throw notFound(id);
    };
  }

  /** Drops sessions that have been idle for longer than the TTL. */
  sweep(): void {
    const now = this.#clock.monotonicMs();
    for (const session of this.#sessions.values()) {
      // With a store, only a failure to save leaves changes behind; they wait for the next try.
      if (session.users > 0 || (session.changed && this.#options.store !== undefined)) continue;
      // The rest was used later still.
      if (now - session.lastUsedMs <= this.#options.ttlSeconds * 1_000) return;
      this.#sessions.delete(session.id);
      if (session.changed) {
        this.#options.logger.warn("session expired with unsaved changes", {
          session_id: session.id,
        });
      }
    }
  }

  /** Resolves when no call is at work any more. */
  async idle(): Promise<void> {
    if (this.#uses === 0) return;
    await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  /** Writes what an earlier failure left unwritten; used when the process ends. */
  async saveChanged(): Promise<void> {
    for (const session of this.#sessions.values()) await this.#trySave(session);
  }

  async #pull(session: Session): Promise<void> {
    const { store, logger } = this.#options;
    if (store === undefined) return;
    try {
      if (await store.pull(session)) session.establish();
    } catch (error) {
      // A session that lives already has all it needs in memory, and must stay within reach to be saved elsewhere.
      if (!session.established) throw error;
      logger.warn("session file could not be read", logFields(session, error));
    }
  }

  async #trySave(session: Session): Promise<void> {
    const { store, logger } = this.#options;
    if (store === undefined || !session.changed) return;
    await store.save(session).catch((error: unknown) => {
      logger.error("session could not be saved", logFields(session, error));
    });
  }

  async #alone<T>(
    session: Session,
    options: UseOptions,
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    const { store } = this.#options;
    await this.#pull(session);
    if (!session.established && !options.create) throw notFound(session.id);
    const { skillbook } = session;
    const { revision } = skillbook;
    let result: T;
    try {
      result = await work(session);
    } catch (error) {
      // A failed call may have learned something before it failed; its own error is what the caller must see.
      await this.#trySave(session);
      throw error;
    }
    const isOwnChange = session.skillbook !== skillbook || skillbook.revision !== revision;
    // What an earlier call could not save is no fault of this one.
    if (isOwnChange && session.changed) await store?.save(session);
    else await this.#trySave(session);
    return result;
  }

  #enter(id: string): Session {
    let session = this.#sessions.get(id);
    if (session === undefined) {
      const displaced = this.#makeRoom();
      session = new Session(id);
      if (displaced !== undefined) this.#displaced.set(session, displaced);
      this.#sessions.set(id, session);
    }
    session.users += 1;
    this.#uses += 1;
    return session;
  }

  #leave(session: Session): void {
    session.users -= 1;
    session.lastUsedMs = this.#clock.monotonicMs();
    this.#uses -= 1;
    if (this.#sessions.get(session.id) === session) {
      this.#sessions.delete(session.id);
      if (session.established || session.users > 0) this.#sessions.set(session.id, session);
      else this.#bringBack(session);
    }
    if (session.established) this.#displaced.delete(session);
    if (this.#uses === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** A call that made no session after all must not have cost another one. */
  #bringBack(failed: Session): void {
    const displaced = this.#displaced.get(failed);
    if (displaced === undefined || this.#sessions.has(displaced.id)) return;
    // It had been idle for longest, and expiry relies on that order.
    const others = [...this.#sessions];
    this.#sessions.clear();
    for (const [id, session] of [[displaced.id, displaced] as const, ...others])
      this.#sessions.set(id, session);
  }

  /**
   * The session that went; `undefined` when there was room.
   * @throws ACE_MCP_VALIDATION_ERROR when every session is in use or has unsaved changes
   */
  #makeRoom(): Session | undefined {
    const { maxSessions } = this.#options;
    if (this.#sessions.size < maxSessions) return undefined;
    for (const session of this.#sessions.values()) {
      if (session.users > 0 || session.changed) continue;
      this.#sessions.delete(session.id);
      return session;
    }
    throw mcpError(
      "ACE_MCP_VALIDATION_ERROR",
      `There are ${maxSessions} sessions, and each is in use or has unsaved changes. Use one of them, save one, or wait until one expires.`,
      { details: { max_sessions: maxSessions } },
    );
  }

  get #waitSeconds(): number {
    return this.#options.waitSeconds ?? 60;
  }

  #waitedTooLong(error: unknown): boolean {
    return (
      AcumenError.isInstance(error) &&
      error.code === "CORE_LOCK_TIMEOUT" &&
      // A file lock between processes has the same code, but names its file.
      error.details["path"] === undefined
    );
  }
}

/** Wrapped, so that passing it on does not wait for it. */
interface Entered<T> {
  readonly done: Promise<T>;
}

function logFields(session: Session, error: unknown): Record<string, unknown> {
  const code = AcumenError.isInstance(error) ? error.code : "unknown";
  return { session_id: session.id, error_code: code };
}

function notFound(id: string): AcumenError {
  return mcpError(
    "ACE_MCP_SESSION_NOT_FOUND",
    `There is no session ${JSON.stringify(id)}: it was never made, or it expired. Make it with ace.ask, ace.learn.sample, ace.learn.feedback or ace.skillbook.load.`,
    { details: { session_id: id } },
  );
}

function busyTooLong(id: string, seconds: number): AcumenError {
  return mcpError(
    "ACE_MCP_TIMEOUT",
    `The session ${JSON.stringify(id)} was busy with other calls for ${seconds} s. Call again later, or use another session.`,
    { details: { timeout_seconds: seconds, waiting: true }, retryable: true },
  );
}
