import type { SessionEvent } from "../events/session-event.ts";
import type { SessionMeta } from "./session-meta.ts";

/** A record of a log that could not be read, or records that are missing before one; `line` counts from 1. */
export interface SkippedRecord {
  readonly line: number;
  readonly reason: string;
}

/** What a session looks like without opening it. */
export interface StoredSession {
  readonly meta: SessionMeta;
  readonly events: readonly SessionEvent[];
  readonly skipped: readonly SkippedRecord[];
}

export interface ListOptions {
  /** Real path of a working directory. */
  readonly workspace?: string;
  /** `nextCursor` of the page before. */
  readonly cursor?: string;
  /** Default 50. */
  readonly limit?: number;
}

/** A session that a list cannot show. */
export interface UnreadableSession {
  readonly session_id: string;
  readonly reason: string;
}

export interface SessionPage {
  /** Newest `updated_at` first. */
  readonly sessions: readonly SessionMeta[];
  readonly nextCursor?: string;
  /** Sessions whose metadata cannot be read, whatever page they belong to; absent when there are none. */
  readonly unreadable?: readonly UnreadableSession[];
}

/** A file as it was before the agent changed it. */
export interface BeforeImage {
  /** Seq of the TOOL_CALL that changed it. */
  readonly seq: number;
  /** Absolute real path. */
  readonly path: string;
  /** Null: there was no file. */
  readonly content: Uint8Array | null;
  /** Permission bits; null when there was no file. */
  readonly mode: number | null;
  /** SHA-256 (hex) of what the call left there; null: it left no file. */
  readonly afterHash: string | null;
}

/**
 * A session that this process alone may write. Calls are carried out in the order in which they were made; after `close` they
 * are refused with AGENT_SESSION_CLOSED, after a deletion with AGENT_SESSION_NOT_FOUND. `events` and `skipped` are those of the
 * moment when it was opened.
 */
export interface OpenedSession extends StoredSession {
  /** As it is now. */
  readonly meta: SessionMeta;
  /** Highest seq that was taken when it was opened, also by records that cannot be read; 0 in an empty log. */
  readonly lastSeq: number;
  /**
   * All of them or none. Durable against the death of the process when it resolves; against the death of the machine with the
   * next prompt or end of a turn, and after `close`. @throws AGENT_STORE_FAILED
   */
  append(events: readonly SessionEvent[]): Promise<void>;
  /** Replaces the fields given, and `updated_at`; returns the new meta. */
  updateMeta(
    change: Partial<Omit<SessionMeta, "format" | "version" | "session_id">>,
  ): Promise<SessionMeta>;
  saveBeforeImage(image: BeforeImage): Promise<void>;
  /** In the order of their seq; with `fromSeq` only those of that seq or later. */
  beforeImages(options?: { readonly fromSeq?: number }): Promise<readonly BeforeImage[]>;
  /** Forgets images of `fromSeq` or later: an undo used them up. */
  dropBeforeImages(fromSeq: number): Promise<void>;
  /** Folder for whole outputs of tools, made on demand, mode 0700. */
  outputFolder(): Promise<string>;
  /** Waits for what was begun, makes it durable and lets go of the lock. May be called twice. */
  close(): Promise<void>;
}

/** Where sessions live. One contract suite runs on every implementation. */
export interface SessionStore {
  /**
   * Persisted when it resolves.
   * @param events SESSION_CREATED first: a log without its first record counts as damaged
   * @throws AGENT_SESSION_INVALID for an id that is none or is taken; AGENT_STORE_FAILED
   */
  create(meta: SessionMeta, events: readonly SessionEvent[]): Promise<OpenedSession>;
  /**
   * @throws AGENT_SESSION_NOT_FOUND; AGENT_SESSION_LOCKED when a live process has it open, also this one (`details.pid`);
   * AGENT_SESSION_INVALID when its log is missing or a newer version wrote it
   */
  open(sessionId: string): Promise<OpenedSession>;
  /** Reads without opening. @throws AGENT_SESSION_NOT_FOUND, AGENT_SESSION_INVALID */
  read(sessionId: string): Promise<StoredSession>;
  /** Reads metadata only. @throws AGENT_CURSOR_INVALID */
  list(options?: ListOptions): Promise<SessionPage>;
  /** A session that does not exist is no error; one that this process has open is deleted under it. @throws AGENT_SESSION_LOCKED when another live process has it open */
  delete(sessionId: string): Promise<void>;
}
