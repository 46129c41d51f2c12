import { join } from "node:path";
import { type Clock, type Logger, Mutex } from "@acumen/core";
import type { EventType } from "../events/event-payloads.ts";
import type { SessionEvent } from "../events/session-event.ts";
import { BeforeImageFiles, makeFolder } from "./before-image-files.ts";
import type { LogFile } from "./log-file.ts";
import { writeMetaFile } from "./meta-file.ts";
import { failureOf, sessionClosed, sessionNotFound, storeFailed } from "./session-errors.ts";
import type { SessionLock } from "./session-lock.ts";
import type { SessionMeta } from "./session-meta.ts";
import type { BeforeImage, OpenedSession, SkippedRecord } from "./session-store.ts";

/** What is lost least gladly with the machine: the prompt, and what the turn came to. */
const DURABLE: ReadonlySet<EventType> = new Set<EventType>([
  "USER_MESSAGE",
  "USAGE",
  "AUTO_STOP",
  "BLOCKED",
  "ERROR",
]);

/** Appends that were asked for in a row are one write. */
interface AppendGroup {
  readonly events: SessionEvent[];
  lines: string;
  done: Promise<void>;
}

interface Parts {
  readonly folder: string;
  readonly log: LogFile;
  readonly lock: SessionLock;
  readonly meta: SessionMeta;
  readonly events: readonly SessionEvent[];
  readonly skipped: readonly SkippedRecord[];
  readonly lastSeq: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A stored session in files, held by its lock. */
export class FileSession implements OpenedSession {
  readonly events: readonly SessionEvent[];
  readonly skipped: readonly SkippedRecord[];
  readonly lastSeq: number;
  readonly #parts: Parts;
  readonly #images: BeforeImageFiles;
  readonly #order = new Mutex();
  #meta: SessionMeta;
  /** The metadata in memory is newer than the file. */
  #metaWaits = false;
  /** The group that the next append may still join. */
  #group: AppendGroup | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#meta = parts.meta;
    this.events = parts.events;
    this.skipped = parts.skipped;
    this.lastSeq = parts.lastSeq;
    this.#images = new BeforeImageFiles(join(parts.folder, "images"));
  }

  get meta(): SessionMeta {
    return this.#meta;
  }

  async append(events: readonly SessionEvent[]): Promise<void> {
    if (this.#closing !== undefined) throw sessionClosed(this.#meta.session_id);
    if (events.length === 0) return;
    const lines = events.map((event) => `${JSON.stringify(event)}\n`).join("");
    const group = (this.#group ??= this.#newGroup());
    group.lines += lines;
    group.events.push(...events);
    await group.done;
  }

  updateMeta(
    change: Partial<Omit<SessionMeta, "format" | "version" | "session_id">>,
  ): Promise<SessionMeta> {
    return this.#inOrder(async () => {
      const next = { ...this.#meta, ...change, updated_at: this.#parts.clock.now().toISOString() };
      await this.#writeMeta(next);
      return next;
    });
  }

  saveBeforeImage(image: BeforeImage): Promise<void> {
    return this.#inOrder(() => this.#images.save(image));
  }

  beforeImages(options: { readonly fromSeq?: number } = {}): Promise<readonly BeforeImage[]> {
    return this.#inOrder(() => this.#images.list(options.fromSeq ?? 0));
  }

  dropBeforeImages(fromSeq: number): Promise<void> {
    return this.#inOrder(() => this.#images.drop(fromSeq));
  }

  outputFolder(): Promise<string> {
    return this.#inOrder(async () => {
      const path = join(this.#parts.folder, "output");
      await makeFolder(path);
      return path;
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#order.run(() => this.#close());
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { log, lock, folder } = this.#parts;
    const steps = [
      () => this.#images.close(),
      () => log.close(),
      async () => {
        if (this.#metaWaits) await this.#writeMeta(this.#meta);
      },
      () => lock.release(),
    ];
    let failure: unknown;
    for (const step of steps) await step().catch((error: unknown) => (failure ??= error));
    // Whoever deletes an open session has nothing left to be made durable.
    if (failure !== undefined && failureOf(failure) !== "ENOENT")
      throw storeFailed(folder, failure);
  }

  #newGroup(): AppendGroup {
    const group: AppendGroup = { events: [], lines: "", done: Promise.resolve() };
    group.done = this.#run(async () => {
      if (this.#group === group) this.#group = undefined;
      const durable = group.events.some(({ type }) => DURABLE.has(type));
      await this.#parts.log.append(group.lines, { durable });
      await this.#follow(group.events);
    });
    return group;
  }

  /** The metadata says when something last happened: in its file from prompt to prompt, and at the end. */
  async #follow(events: readonly SessionEvent[]): Promise<void> {
    const updated_at = events.at(-1)?.timestamp ?? this.#meta.updated_at;
    this.#meta = { ...this.#meta, updated_at };
    this.#metaWaits = true;
    if (!events.some(({ type }) => type === "USER_MESSAGE")) return;
    try {
      await this.#writeMeta(this.#meta);
    } catch (error) {
      // The events are stored, and they are what counts; `close` tries again.
      const fields = { session_id: this.#meta.session_id, errno: failureOf(error) ?? null };
      this.#parts.logger.warn("the metadata of a session could not be written", fields);
    }
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) {
      return Promise.reject(sessionClosed(this.#meta.session_id));
    }
    this.#group = undefined;
    return this.#run(work);
  }

  #run<T>(work: () => Promise<T>): Promise<T> {
    return this.#order.run(async () => {
      try {
        if (!(await this.#parts.log.stillThere())) throw sessionNotFound(this.#meta.session_id);
        return await work();
      } catch (error) {
        throw await this.#explained(error);
      }
    });
  }

  /** Work that met a deletion fails in many ways; what it means is one thing. */
  async #explained(error: unknown): Promise<Error> {
    const { log, folder } = this.#parts;
    const there = await log.stillThere().catch(() => true);
    return there ? storeFailed(folder, error) : sessionNotFound(this.#meta.session_id);
  }

  async #writeMeta(next: SessionMeta): Promise<void> {
    await writeMetaFile(this.#parts.folder, next);
    this.#meta = next;
    this.#metaWaits = false;
  }
}
