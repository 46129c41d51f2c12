import { AcumenError, Mutex } from "@acumen/core";
import { checkThoughtLevel, type Model, type ThoughtLevel } from "@acumen/models";
import type { SessionModel } from "../agent/session-model.ts";
import type { SessionMode } from "../approval/session-mode.ts";
import type { EventDraft, SessionEvent } from "../events/session-event.ts";
import type { SessionMeta } from "./session-meta.ts";
import type { OpenedSession } from "./session-store.ts";
import { levelField } from "./thought-level-field.ts";

interface ChoicesParts {
  readonly opened: OpenedSession;
  readonly model: SessionModel;
  /** @throws AGENT_STORE_FAILED */
  readonly record: (draft: EventDraft) => Promise<SessionEvent>;
}

interface Change {
  /** What is changed to, for messages. */
  readonly name: string;
  readonly forth: EventDraft;
  readonly back: EventDraft;
  readonly meta: Partial<Pick<SessionMeta, "mode" | "model" | "thought_level">>;
  readonly apply: () => void;
  readonly revert: () => void;
}

/** Mode, model and thought level of one session. Changes are made one at a time. */
export class SessionChoices {
  readonly #parts: ChoicesParts;
  readonly #changes = new Mutex();
  #mode: SessionMode;
  #level: ThoughtLevel | undefined;

  constructor(parts: ChoicesParts) {
    this.#parts = parts;
    const { mode, thought_level: level } = parts.opened.meta;
    this.#mode = mode;
    this.#level = level ?? undefined;
  }

  get mode(): SessionMode {
    return this.#mode;
  }

  /** Undefined: the model's default, also when the model has no such level. */
  get thoughtLevel(): ThoughtLevel | undefined {
    const { resolved } = this.#parts.model;
    return resolved === undefined ? this.#level : this.thoughtLevelFor(resolved);
  }

  thoughtLevelFor(model: Model): ThoughtLevel | undefined {
    return levelIn(model, this.#level);
  }

  /** False: it was set already. @throws AGENT_STORE_FAILED, AGENT_SESSION_NOT_FOUND, AGENT_SESSION_CLOSED */
  setMode(mode: SessionMode): Promise<boolean> {
    return this.#changes.run(async () => {
      const previous = this.#mode;
      if (mode === previous) return false;
      await this.#change({
        name: `mode ${mode}`,
        forth: { type: "MODE_CHANGED", payload: { mode, previous } },
        back: { type: "MODE_CHANGED", payload: { mode: previous, previous: mode } },
        meta: { mode },
        apply: () => {
          this.#mode = mode;
        },
        revert: () => {
          this.#mode = previous;
        },
      });
      return true;
    });
  }

  /** A level that the model does not have becomes its default. @throws as `setMode` */
  setModel(id: string, found: Model): Promise<void> {
    return this.#changes.run(async () => {
      if (id === this.#parts.model.id) return;
      await this.#become({ name: `model ${id}`, id, found, level: levelIn(found, this.#level) });
    });
  }

  /** @throws MODEL_FAILED, also for a level that the model does not have; as `setMode` */
  async setThoughtLevel(level: ThoughtLevel | undefined): Promise<void> {
    const { model } = this.#parts;
    if (level !== undefined) await model.get();
    await this.#changes.run(async () => {
      const { id, resolved } = model;
      if (resolved !== undefined) checkThoughtLevel(level, resolved, resolved.capabilities);
      if (level === this.#level) return;
      await this.#become({
        name: `thought level ${level ?? "default"}`,
        id,
        found: resolved,
        level,
      });
    });
  }

  #become({
    name,
    id,
    found,
    level,
  }: {
    readonly name: string;
    readonly id: string;
    readonly found: Model | undefined;
    readonly level: ThoughtLevel | undefined;
  }): Promise<void> {
    const { model } = this.#parts;
    const { id: previous, resolved } = model;
    const former = this.#level;
    return this.#change({
      name,
      forth: { type: "MODEL_CHANGED", payload: { model: id, previous, ...levelField(level) } },
      back: {
        type: "MODEL_CHANGED",
        payload: { model: previous, previous: id, ...levelField(former) },
      },
      meta: { model: id, ...(level !== former && { thought_level: level ?? null }) },
      apply: () => {
        model.use(id, found);
        this.#level = level;
      },
      revert: () => {
        model.use(previous, resolved);
        this.#level = former;
      },
    });
  }

  /** The log says what holds: what the metadata cannot take is taken back in the log. */
  async #change({ name, forth, back, meta, apply, revert }: Change): Promise<void> {
    const { record, opened } = this.#parts;
    apply();
    try {
      await record(forth);
    } catch (error) {
      revert();
      throw error;
    }
    try {
      await opened.updateMeta(meta);
    } catch (error) {
      const isBack = await record(back).then(
        () => true,
        () => false,
      );
      if (isBack) revert();
      throw halfChanged(error, name, isBack);
    }
  }
}

function levelIn(
  { capabilities: { thoughtLevels = [] } }: Model,
  level: ThoughtLevel | undefined,
): ThoughtLevel | undefined {
  return level !== undefined && thoughtLevels.includes(level) ? level : undefined;
}

function halfChanged(error: unknown, name: string, isBack: boolean): AcumenError {
  const reason = error instanceof Error ? error.message : String(error);
  const state = isBack
    ? "nothing has changed"
    : "it holds all the same, because the log has it, and lists show it when the session is opened again";
  const code = AcumenError.isInstance(error) ? error.code : "AGENT_STORE_FAILED";
  return new AcumenError({
    code,
    message: `The session could not be changed to ${name}; ${state}. ${reason}`,
    cause: error,
  });
}
