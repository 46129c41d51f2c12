import { createId, untilAborted } from "@acumen/core";
import type { SessionParts } from "../agent/session-parts.ts";
import type { SessionMode } from "../approval/session-mode.ts";
import type { PlanEntry } from "../events/event-payloads.ts";
import type { EventDraft, SessionEvent } from "../events/session-event.ts";
import type { ExposedTool } from "../tools/tool-registry.ts";
import type { EventListener } from "./event-log.ts";
import { PromptQueue } from "./prompt-queue.ts";
import type { RememberedDecision, SessionMeta } from "./session-meta.ts";

type Record = (draft: EventDraft) => Promise<SessionEvent>;

const OUTSIDE_TURNS = { turnId: null, step: 0 } as const;

/** One conversation in one workspace, open in this process. */
export class CodingSession {
  /** For the runtime of this package. */
  readonly parts: SessionParts;
  /** For the runtime of this package: turns and other work that must not overlap. */
  readonly queue = new PromptQueue();
  readonly remembered: {
    list(): readonly RememberedDecision[];
    /** False when no decision has this id. @throws AGENT_STORE_FAILED */
    revoke(id: string): Promise<boolean>;
  };
  readonly #onClose: () => void;
  #mode: SessionMode;
  #trustTold = false;
  #closing: Promise<void> | undefined;

  constructor(parts: SessionParts, onClose: () => void) {
    this.parts = parts;
    this.remembered = parts.remembered;
    this.#onClose = onClose;
    this.#mode = parts.opened.meta.mode;
  }

  get id(): string {
    return this.meta.session_id;
  }

  get meta(): SessionMeta {
    return this.parts.opened.meta;
  }

  /** Absolute real paths. */
  get workspace(): { readonly cwd: string; readonly directories: readonly string[] } {
    return this.parts.workspace;
  }

  get trusted(): boolean {
    return this.parts.trusted;
  }

  /** As it was chosen. */
  get mode(): SessionMode {
    return this.#mode;
  }

  /** As it holds: in a workspace that is not trusted, `auto` acts as `safe`. */
  get effectiveMode(): SessionMode {
    return this.#mode === "auto" && !this.trusted ? "safe" : this.#mode;
  }

  /** Id of the model. */
  get model(): string {
    return this.parts.model.id;
  }

  /** Every event that is stored, in order; grows. */
  get events(): readonly SessionEvent[] {
    return this.parts.log.events;
  }

  get log(): SessionParts["log"] {
    return this.parts.log;
  }

  /** A turn or other work runs. */
  get busy(): boolean {
    return this.queue.busy;
  }

  /** The visible plan; empty when there is none. */
  get plan(): readonly PlanEntry[] {
    const last = this.events.findLast(({ type }) => type === "PLAN_UPDATED");
    return last?.type === "PLAN_UPDATED" ? last.payload.entries : [];
  }

  /** The tools of this moment, sorted by name. */
  tools(): readonly ExposedTool[] {
    return this.parts.registry.current();
  }

  /**
   * Calls the listener for every event of the session from now on, after it was stored. A promise that it returns is waited
   * for, unless the turn is cancelled. Returns how to stop that.
   */
  subscribe(listener: EventListener): () => void {
    return this.log.subscribe((event) => {
      const done = listener(event);
      if (done === undefined) return undefined;
      return untilAborted(done, this.queue.signal);
    });
  }

  /** Holds from the next call of a tool on. @throws AGENT_STORE_FAILED, and then the mode is what it was */
  async setMode(mode: SessionMode): Promise<void> {
    const previous = this.#mode;
    if (mode === previous) return;
    this.#mode = mode;
    try {
      await this.#record({ type: "MODE_CHANGED", payload: { mode, previous } });
      await this.parts.opened.updateMeta({ mode });
    } catch (error) {
      this.#mode = previous;
      throw error;
    }
    await this.tellTrust(this.#record);
  }

  /** Holds from the next model call on. @throws MODEL_FAILED, AGENT_STORE_FAILED, and then nothing has changed */
  async setModel(id: string): Promise<void> {
    const previous = this.model;
    if (id === previous) return;
    await this.parts.model.change(id, async () => {
      await this.#record({ type: "MODEL_CHANGED", payload: { model: id, previous } });
      await this.parts.opened.updateMeta({ model: id });
    });
  }

  /** Cancels the turn that runs and answers every prompt that waits with `cancelled`. */
  cancel(reason?: unknown): void {
    this.queue.cancel(reason);
  }

  /** Cancels what runs, ends the session's processes and tool sources, and lets go of the lock. May be called twice. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Says once that `auto` acts as `safe` here. */
  async tellTrust(record: Record): Promise<void> {
    if (this.#trustTold || this.#mode === this.effectiveMode) return;
    this.#trustTold = true;
    await record({
      type: "ASSISTANT_MESSAGE",
      payload: {
        message_id: createId(),
        kind: "command",
        text: "This workspace is not trusted, so mode auto acts as safe: writes and commands ask. Trust it with `acumen trust`, or for this process with --trust-once.",
        skill_ids: [],
      },
    });
  }

  readonly #record: Record = (draft) => this.log.record(draft, OUTSIDE_TURNS);

  async #close(): Promise<void> {
    await this.queue.close();
    await this.parts.closeTools();
    try {
      await this.parts.opened.close();
    } finally {
      this.#onClose();
    }
  }
}
