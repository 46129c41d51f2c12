import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "@acumen/core";
import type { SessionEvent } from "../events/session-event.ts";
import { LogRecords } from "./log-records.ts";
import {
  sessionClosed,
  sessionInvalid,
  sessionLocked,
  sessionNotFound,
  storeFailed,
} from "./session-errors.ts";
import { isSessionId } from "./session-id.ts";
import type { SessionMeta } from "./session-meta.ts";
import { pageOf } from "./session-pages.ts";
import type {
  BeforeImage,
  ListOptions,
  OpenedSession,
  SessionPage,
  SessionStore,
  StoredSession,
} from "./session-store.ts";

/** What a store in files would have on the disk: records as text, so that nobody's later change of an object shows. */
interface Kept {
  meta: SessionMeta;
  readonly lines: Buffer[];
  images: BeforeImage[];
  outputs: string | undefined;
  deleted: boolean;
  open: boolean;
}

/** Sessions that end with the process, for tests and for hosts that keep nothing. Outputs of tools go to a temporary folder. */
export class MemorySessionStore implements SessionStore {
  readonly #sessions = new Map<string, Kept>();
  readonly #clock: Clock;

  constructor(options: { readonly clock?: Clock } = {}) {
    this.#clock = options.clock ?? systemClock;
  }

  async create(meta: SessionMeta, events: readonly SessionEvent[]): Promise<OpenedSession> {
    const { session_id: id } = meta;
    if (!isSessionId(id)) throw sessionInvalid(id, "its id is no ULID");
    if (this.#sessions.has(id)) throw sessionInvalid(id, "a session of this id exists already");
    const kept: Kept = {
      meta: structuredClone(meta),
      lines: linesOf(events),
      images: [],
      outputs: undefined,
      deleted: false,
      open: true,
    };
    this.#sessions.set(id, kept);
    return new MemorySession(kept, this.#clock);
  }

  async open(sessionId: string): Promise<OpenedSession> {
    const kept = this.#kept(sessionId);
    if (kept.open) throw sessionLocked(sessionId, { pid: process.pid });
    kept.open = true;
    return new MemorySession(kept, this.#clock);
  }

  async read(sessionId: string): Promise<StoredSession> {
    const kept = this.#kept(sessionId);
    const { events, skipped } = recordsOf(kept);
    return { meta: structuredClone(kept.meta), events, skipped };
  }

  async list(options: ListOptions = {}): Promise<SessionPage> {
    const metas = [...this.#sessions.values()].map(({ meta }) => structuredClone(meta));
    return pageOf(metas, options);
  }

  async delete(sessionId: string): Promise<void> {
    const kept = this.#sessions.get(sessionId);
    if (kept === undefined) return;
    this.#sessions.delete(sessionId);
    kept.deleted = true;
    await removeOutputs(kept);
  }

  #kept(sessionId: string): Kept {
    const kept = this.#sessions.get(sessionId);
    if (kept === undefined) throw sessionNotFound(sessionId);
    return kept;
  }
}

class MemorySession implements OpenedSession {
  readonly events: readonly SessionEvent[];
  readonly skipped: StoredSession["skipped"];
  readonly lastSeq: number;
  readonly #kept: Kept;
  readonly #clock: Clock;
  #closed = false;

  constructor(kept: Kept, clock: Clock) {
    this.#kept = kept;
    this.#clock = clock;
    const { events, skipped, lastSeq } = recordsOf(kept);
    this.events = events;
    this.skipped = skipped;
    this.lastSeq = lastSeq;
  }

  get meta(): SessionMeta {
    return this.#kept.meta;
  }

  async append(events: readonly SessionEvent[]): Promise<void> {
    this.#check();
    const lines = linesOf(events);
    this.#kept.lines.push(...lines);
    const updated_at = events.at(-1)?.timestamp ?? this.meta.updated_at;
    this.#kept.meta = { ...this.meta, updated_at };
  }

  async updateMeta(
    change: Partial<Omit<SessionMeta, "format" | "version" | "session_id">>,
  ): Promise<SessionMeta> {
    this.#check();
    const updated_at = this.#clock.now().toISOString();
    this.#kept.meta = structuredClone({ ...this.meta, ...change, updated_at });
    return this.meta;
  }

  async saveBeforeImage(image: BeforeImage): Promise<void> {
    this.#check();
    this.#kept.images.push(structuredClone(image));
  }

  async beforeImages(options: { readonly fromSeq?: number } = {}): Promise<readonly BeforeImage[]> {
    this.#check();
    const { fromSeq = 0 } = options;
    const chosen = this.#kept.images.filter(({ seq }) => seq >= fromSeq);
    return chosen.sort((one, other) => one.seq - other.seq);
  }

  async dropBeforeImages(fromSeq: number): Promise<void> {
    this.#check();
    this.#kept.images = this.#kept.images.filter(({ seq }) => seq < fromSeq);
  }

  async outputFolder(): Promise<string> {
    this.#check();
    try {
      this.#kept.outputs ??= await mkdtemp(join(tmpdir(), "acumen-outputs-"));
      return this.#kept.outputs;
    } catch (error) {
      throw storeFailed(tmpdir(), error);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#kept.open = false;
    await removeOutputs(this.#kept);
  }

  #check(): void {
    const { meta, deleted } = this.#kept;
    if (this.#closed) throw sessionClosed(meta.session_id);
    if (deleted) throw sessionNotFound(meta.session_id);
  }
}

function recordsOf(kept: Kept): LogRecords {
  const records = new LogRecords(kept.meta.session_id);
  for (const line of kept.lines) records.line(line);
  return records;
}

function linesOf(events: readonly SessionEvent[]): Buffer[] {
  return events.map((event) => Buffer.from(JSON.stringify(event), "utf8"));
}

async function removeOutputs(kept: Kept): Promise<void> {
  const { outputs } = kept;
  kept.outputs = undefined;
  if (outputs !== undefined) await rm(outputs, { recursive: true, force: true });
}
