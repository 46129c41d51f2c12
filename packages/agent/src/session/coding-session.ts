import { abortError, createId, untilAborted } from "@acumen/core";
import type { Model, ThoughtLevel } from "@acumen/models";
import type { SessionParts } from "../agent/session-parts.ts";
import type { SessionMode } from "../approval/session-mode.ts";
import type { PlanEntry } from "../events/event-payloads.ts";
import type { EventDraft, SessionEvent } from "../events/session-event.ts";
import { systemPrompt } from "../prompt/system-prompt.ts";
import type { AgentSettings } from "../settings/agent-settings.ts";
import { type AppliedSkill, appliedSkills } from "../skills/applied-skills.ts";
import type { ExposedTool } from "../tools/tool-registry.ts";
import { CallIds } from "../turn/call-ids.ts";
import { makeRoom } from "../turn/make-room.ts";
import { redactError } from "../turn/redact-error.ts";
import { redactEvent } from "../turn/redact-event.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { type EventListener, type EventPlace, OUTSIDE_TURNS } from "./event-log.ts";
import { patiently } from "./patient-wait.ts";
import { PromptQueue } from "./prompt-queue.ts";
import type { RememberedDecision, SessionMeta } from "./session-meta.ts";
import { SessionChoices } from "./session-choices.ts";
import { type Undone, undoTo } from "./undo.ts";

/** What a session has used and where it stands, from its log. */
export interface SessionStatus {
  readonly model: string;
  /** Absent: the model's default. */
  readonly thoughtLevel?: ThoughtLevel;
  readonly mode: SessionMode;
  readonly effectiveMode: SessionMode;
  readonly trusted: boolean;
  readonly busy: boolean;
  /** Tokens that the next request begins with; 0 before the first answer. */
  readonly contextTokens: number;
  /** Null: not known. */
  readonly contextWindow: number | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** USD, an estimate as in USAGE; absent when the price of some call is not known. */
  readonly cost?: number;
}

export interface CompactResult {
  /** False: there was nothing that could be summed up. */
  readonly compacted: boolean;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

type Record = (draft: EventDraft) => Promise<SessionEvent>;

const NOTHING_COMPACTED: CompactResult = { compacted: false, tokensBefore: 0, tokensAfter: 0 };

/** One conversation in one workspace, open in this process. */
export class CodingSession {
  /** For the runtime of this package. */
  readonly parts: SessionParts;
  /** For the runtime of this package: turns and other work that must not overlap. */
  readonly queue = new PromptQueue();
  /** For the runtime of this package. */
  readonly callIds: CallIds;
  readonly remembered: {
    list(): readonly RememberedDecision[];
    /** False when no decision has this id. @throws AGENT_STORE_FAILED */
    revoke(id: string): Promise<boolean>;
  };
  readonly #onClose: () => void;
  readonly #choices: SessionChoices;
  /** Why tools are left out, as far as it was logged. */
  readonly #warned = new Set<string>();
  #closing: Promise<void> | undefined;

  constructor(parts: SessionParts, onClose: () => void) {
    this.parts = parts;
    this.remembered = parts.remembered;
    this.#onClose = onClose;
    const { opened, model } = parts;
    this.#choices = new SessionChoices({ opened, model, record: (draft) => this.record(draft) });
    this.callIds = new CallIds(parts.log.events, parts.redact);
  }

  get id(): string {
    return this.meta.session_id;
  }

  get meta(): SessionMeta {
    return this.parts.opened.meta;
  }

  /** Absolute real paths. */
  get workspace(): Pick<Workspace, "cwd" | "directories" | "locate"> {
    return this.parts.workspace;
  }

  get trusted(): boolean {
    return this.parts.trusted;
  }

  /** Those of its start; what the files say by now counts for the next session. */
  get settings(): AgentSettings {
    return this.parts.settings;
  }

  /** As it was chosen. */
  get mode(): SessionMode {
    return this.#choices.mode;
  }

  /** As it holds: in a workspace that is not trusted, `auto` acts as `safe`. */
  get effectiveMode(): SessionMode {
    return this.mode === "auto" && !this.trusted ? "safe" : this.mode;
  }

  /** Id of the model. */
  get model(): string {
    return this.parts.model.id;
  }

  /** How much the model is told to think; undefined: its default. */
  get thoughtLevel(): ThoughtLevel | undefined {
    return this.#choices.thoughtLevel;
  }

  /** Levels that can be chosen for the model; empty when it has none, and until it is known (`findThoughtLevels`). */
  get thoughtLevels(): readonly ThoughtLevel[] {
    return this.parts.model.resolved?.capabilities.thoughtLevels ?? [];
  }

  /** Every event that is stored, in order; grows. */
  get events(): readonly SessionEvent[] {
    return this.parts.log.events;
  }

  get log(): SessionParts["log"] {
    return this.parts.log;
  }

  /** Its MCP servers; undefined: the agent has none. */
  get mcp(): SessionParts["mcp"] {
    return this.parts.mcp;
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

  /** The skills that its last turn was given. */
  skills(): Promise<readonly AppliedSkill[]> {
    const { skills, trusted, workspace } = this.parts;
    return appliedSkills(this.events, skills, { cwd: workspace.cwd, trusted });
  }

  /** The tools of this moment, sorted by name. Why one is left out is logged once. */
  tools(): readonly ExposedTool[] {
    const { registry, logger } = this.parts;
    for (const reason of registry.warnings()) {
      if (this.#warned.has(reason)) continue;
      this.#warned.add(reason);
      logger.warn("tools of a session were left out", { session_id: this.id, reason });
    }
    return registry.current();
  }

  /**
   * Calls the listener for every event of the session from now on, after it was stored. A promise that it returns is waited
   * for: during a turn until that is cancelled, outside of turns for a second. Returns how to stop that.
   */
  subscribe(listener: EventListener): () => void {
    return this.log.subscribe((event) => {
      const done = listener(event);
      return done === undefined ? undefined : patiently(done, this.queue.signal);
    });
  }

  /**
   * Holds from the next call of a tool on.
   * @throws AGENT_STORE_FAILED, AGENT_SESSION_NOT_FOUND, AGENT_SESSION_CLOSED; the message says when the mode changed all the same
   */
  async setMode(mode: SessionMode): Promise<void> {
    const isNew = await this.#choices.setMode(mode);
    if (isNew) await this.tellTrust((draft) => this.record(draft));
  }

  /**
   * Holds from the next model call on. A thought level that the model does not have becomes its default.
   * @throws MODEL_FAILED, AGENT_STORE_FAILED, AGENT_SESSION_NOT_FOUND, AGENT_SESSION_CLOSED; the message says when the model
   * changed all the same
   */
  async setModel(id: string): Promise<void> {
    if (id === this.model) return;
    await this.#choices.setModel(id, await this.#safely(this.parts.model.find(id)));
  }

  /**
   * Holds from the next model call on; undefined: the model's default.
   * @throws MODEL_FAILED, also when the model has no such level; otherwise as `setModel`
   */
  setThoughtLevel(level: ThoughtLevel | undefined): Promise<void> {
    return this.#safely(this.#choices.setThoughtLevel(level));
  }

  /** Looks up the model for what `thoughtLevels` says; a model that cannot be had has no levels. */
  async findThoughtLevels(): Promise<readonly ThoughtLevel[]> {
    await this.parts.model.get().catch(() => undefined);
    return this.thoughtLevels;
  }

  /** For the runtime of this package: what a call of this model is told. */
  thoughtLevelFor(model: Model): ThoughtLevel | undefined {
    return this.#choices.thoughtLevelFor(model);
  }

  /**
   * Sums up the conversation now; waits for its turn like a prompt.
   * @throws MODEL_FAILED, AGENT_STORE_FAILED; the abort's error
   */
  compact({ signal }: { readonly signal?: AbortSignal } = {}): Promise<CompactResult> {
    const work = (own: AbortSignal): Promise<CompactResult> => this.#safely(this.#compact(own));
    return this.queue.run(work, { signal, cancelled: notBegun });
  }

  /**
   * Gives files back what they held before event `toSeq`; default: before the last turn that changed files. Waits for its
   * turn like a prompt; what has begun is finished.
   * @throws AGENT_UNDO_REFUSED when there is nothing to undo or somebody else changed a file since; AGENT_STORE_FAILED; the
   * abort's error
   */
  undo(options: { readonly toSeq?: number; readonly signal?: AbortSignal } = {}): Promise<Undone> {
    const { toSeq, signal } = options;
    const { opened, log, workspace, fileOperations: operations } = this.parts;
    return this.queue.run(
      async () => {
        const seq = toSeq ?? (await this.#lastChangingTurn());
        return undoTo(opened, log, { workspace, operations, toSeq: seq });
      },
      { signal, cancelled: notBegun },
    );
  }

  /** From the log: what it has used, and what its next request begins with. */
  status(): SessionStatus {
    const usage = this.events.flatMap((event) => (event.type === "USAGE" ? [event.payload] : []));
    const last = usage.at(-1);
    const sum = (read: (one: (typeof usage)[number]) => number): number =>
      usage.reduce((total, one) => total + read(one), 0);
    const priced = usage.every(({ cost }) => cost !== undefined);
    const { thoughtLevel } = this;
    return {
      model: this.model,
      ...(thoughtLevel !== undefined && { thoughtLevel }),
      mode: this.mode,
      effectiveMode: this.effectiveMode,
      trusted: this.trusted,
      busy: this.busy,
      contextTokens: last?.context_tokens ?? 0,
      contextWindow:
        this.parts.model.resolved?.capabilities.contextWindow ?? last?.context_window ?? null,
      inputTokens: sum(({ input_tokens: tokens }) => tokens),
      outputTokens: sum(({ output_tokens: tokens }) => tokens),
      ...(priced && usage.length > 0 && { cost: sum(({ cost = 0 }) => cost) }),
    };
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

  /** Says once what it means that the workspace is not trusted: what does not count, and that `auto` acts as `safe`. */
  async tellTrust(record: Record): Promise<void> {
    const text = this.parts.trustNote.take(this.mode !== this.effectiveMode);
    if (text === undefined) return;
    await record({
      type: "ASSISTANT_MESSAGE",
      payload: {
        message_id: createId(),
        kind: "command",
        text,
        skill_ids: [],
      },
    });
  }

  /** For the runtime of this package: logs an event without secrets. @throws AGENT_STORE_FAILED */
  record(draft: EventDraft, place: EventPlace = OUTSIDE_TURNS): Promise<SessionEvent> {
    return this.log.record(redactEvent(draft, this.parts.redact), place);
  }

  /** Failures tell no secrets either. */
  async #safely<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw redactError(error, this.parts.redact);
    }
  }

  async #compact(signal: AbortSignal): Promise<CompactResult> {
    const { model: sessionModel, prompt, redact } = this.parts;
    const model = await untilAborted(sessionModel.get(), signal);
    const compaction = await makeRoom({
      events: this.events,
      turnId: null,
      model,
      system: redact(systemPrompt(prompt)),
      tools: this.tools(),
      record: (draft) => this.record(draft),
      signal,
      note: { session: this.id },
      force: true,
    });
    if (compaction.state === "failed") throw compaction.error;
    const [first] = compaction.drafts;
    if (first === undefined) return NOTHING_COMPACTED;
    return {
      compacted: true,
      tokensBefore: first.payload.tokens_before,
      tokensAfter: compaction.drafts.at(-1)?.payload.tokens_after ?? 0,
    };
  }

  /** Seq of its first event; behind the log when no turn changed a file. */
  async #lastChangingTurn(): Promise<number> {
    const last = (await this.parts.opened.beforeImages()).at(-1);
    if (last === undefined) return (this.events.at(-1)?.seq ?? 0) + 1;
    const call = this.events.find(({ seq }) => seq === last.seq);
    const first = this.events.find(({ turn_id: turn }) => turn !== null && turn === call?.turn_id);
    return first?.seq ?? last.seq;
  }

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

function notBegun(): never {
  throw abortError(AbortSignal.abort());
}
