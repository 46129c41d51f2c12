import { createId } from "@acumen/core";
import { checkThoughtLevel, type Model, modelFailureKind } from "@acumen/models";
import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { DEFAULT_MODE } from "../approval/session-mode.ts";
import { agentError } from "../errors.ts";
import type { EventPayload, SessionEvent } from "../events/session-event.ts";
import { createRedactor, type Redactor } from "../redaction/redactor.ts";
import { CodingSession } from "../session/coding-session.ts";
import { OUTSIDE_TURNS } from "../session/event-log.ts";
import { levelField } from "../session/thought-level-field.ts";
import type { SessionMeta } from "../session/session-meta.ts";
import type { OpenedSession, SessionStore } from "../session/session-store.ts";
import { SkillShelf } from "../skills/skill-shelf.ts";
import { HeadlessCodingSessionRuntime } from "../turn/headless-runtime.ts";
import type {
  CodingAgentOptions,
  CreateSessionOptions,
  OpenSessionOptions,
} from "./agent-options.ts";
import { type Ground, SessionAssembly } from "./session-assembly.ts";

/** Any number of coding sessions of one process, which share a store, a home folder and the way to models. */
export class CodingAgent {
  readonly runtime = new HeadlessCodingSessionRuntime();
  readonly #options: CodingAgentOptions;
  readonly #assembly: SessionAssembly;
  readonly #open = new Map<string, CodingSession>();
  #closed = false;

  constructor(options: CodingAgentOptions) {
    this.#options = options;
    this.#assembly = new SessionAssembly(options, new SkillShelf(options.home));
  }

  get store(): SessionStore {
    return this.#options.store;
  }

  /** Sessions that are open in this agent. */
  get sessions(): readonly CodingSession[] {
    return [...this.#open.values()];
  }

  /**
   * Stored when it resolves. A model whose key is missing is no reason to refuse: the first turn says so. A thought level that
   * the model does not have is one (MODEL_FAILED).
   * @throws AGENT_WORKSPACE_INVALID, AGENT_RULE_INVALID, AGENT_STORE_FAILED, MODEL_FAILED
   */
  async createSession(options: CreateSessionOptions): Promise<CodingSession> {
    this.#checkOpen();
    const cwd = resolve(options.cwd);
    const directories = (options.additionalDirectories ?? []).map((path) => resolve(path));
    const model = await this.#modelFor(options.model);
    if (model !== undefined) checkThoughtLevel(options.thoughtLevel, model, model.capabilities);
    const ground = await this.#assembly.prepare(
      { cwd, additionalDirectories: directories },
      options,
    );
    let opened: OpenedSession | undefined;
    try {
      const { meta, created } = this.#firstRecords(options, ground);
      opened = await this.store.create(meta, [created]);
      const session = await this.#assemble(opened, ground, options, model);
      session.mcp?.start();
      return session;
    } catch (error) {
      await opened?.close();
      await closeSources(ground);
      throw error;
    }
  }

  /**
   * Goes on with a stored session; the log alone says what happened in it.
   * @throws AGENT_SESSION_NOT_FOUND, AGENT_SESSION_LOCKED, AGENT_SESSION_INVALID, AGENT_WORKSPACE_INVALID (also when `options`
   * name another working directory than the session's), AGENT_STORE_FAILED, and MODEL_FAILED for a model or a thought level that `options` name
   */
  async openSession(sessionId: string, options: OpenSessionOptions = {}): Promise<CodingSession> {
    this.#checkOpen();
    const opened = await this.store.open(sessionId);
    let ground: Ground | undefined;
    let session: CodingSession | undefined;
    try {
      if (options.cwd !== undefined) await checkFolder(options.cwd, opened.meta);
      await followLog(opened, createRedactor(this.#options.secrets));
      const { cwd, additional_directories: own, model, mode } = opened.meta;
      const others = options.additionalDirectories?.map((path) => resolve(path)) ?? own;
      ground = await this.#assembly.prepare({ cwd, additionalDirectories: others }, options);
      const { directories } = ground.workspace;
      if (!isDeepStrictEqual(directories, own))
        await opened.updateMeta({ additional_directories: [...directories] });
      session = await this.#assemble(opened, ground, options);
      await session.log.record(
        {
          type: "SESSION_RESUMED",
          payload: {
            model,
            mode,
            ...levelField(opened.meta.thought_level),
            skipped_records: opened.skipped.length,
          },
        },
        OUTSIDE_TURNS,
      );
      if (options.model !== undefined) await session.setModel(options.model);
      if (options.thoughtLevel !== undefined) await session.setThoughtLevel(options.thoughtLevel);
      if (options.mode !== undefined) await session.setMode(options.mode);
      session.mcp?.start();
      return session;
    } catch (error) {
      if (session !== undefined) await session.close();
      else {
        if (ground !== undefined) await closeSources(ground);
        await opened.close();
      }
      throw error;
    }
  }

  /** Closes every session. May be called twice. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.sessions.map((session) => session.close()));
  }

  async #assemble(
    opened: OpenedSession,
    ground: Ground,
    host: CreateSessionOptions | OpenSessionOptions,
    model?: Model,
  ): Promise<CodingSession> {
    const parts = await this.#assembly.assemble(opened, ground, host, model);
    const { session_id: id } = opened.meta;
    const session = new CodingSession(parts, () => this.#open.delete(id));
    this.#open.set(id, session);
    if (this.#closed) await session.close();
    this.#checkOpen();
    return session;
  }

  #firstRecords(
    { model, mode = DEFAULT_MODE, thoughtLevel }: CreateSessionOptions,
    { workspace }: Ground,
  ): { readonly meta: SessionMeta; readonly created: SessionEvent } {
    const sessionId = createId();
    const timestamp = this.#assembly.clock.now().toISOString();
    const { cwd, directories } = workspace;
    const meta: SessionMeta = {
      format: "acumen.session",
      version: 1,
      session_id: sessionId,
      cwd,
      additional_directories: [...directories],
      title: "",
      model,
      mode,
      ...levelField(thoughtLevel),
      remembered: [],
      created_at: timestamp,
      updated_at: timestamp,
    };
    const created: SessionEvent = {
      seq: 1,
      event_id: createId(),
      session_id: sessionId,
      turn_id: null,
      step: 0,
      type: "SESSION_CREATED",
      timestamp,
      payload: {
        cwd,
        additional_directories: [...directories],
        model,
        mode,
        ...levelField(thoughtLevel),
      },
    };
    return { meta, created };
  }

  /** Undefined: the key is missing. @throws MODEL_FAILED for everything else */
  async #modelFor(id: string): Promise<Model | undefined> {
    try {
      return await this.#options.resolveModel(id);
    } catch (error) {
      if (modelFailureKind(error) === "auth") return undefined;
      throw error;
    }
  }

  #checkOpen(): void {
    if (this.#closed) {
      throw agentError("AGENT_SESSION_CLOSED", "The agent was closed; it opens no sessions.");
    }
  }
}

/** @throws AGENT_WORKSPACE_INVALID */
async function checkFolder(path: string, { session_id: id, cwd }: SessionMeta): Promise<void> {
  const real = await realpath(path).catch(() => resolve(path));
  if (real === cwd) return;
  throw agentError(
    "AGENT_WORKSPACE_INVALID",
    `The session ${id} was begun in ${cwd}, not in ${path}. Open it there, or begin another one here.`,
    { details: { path, cwd } },
  );
}

async function closeSources({ sources }: Ground): Promise<void> {
  await Promise.allSettled(sources.map((source) => source.close()));
}

type Facts = Partial<Pick<SessionMeta, "model" | "mode" | "thought_level" | "title">>;

/** The log says what a session's model, thought level, mode and title are; metadata that a crash or a full disk kept behind is mended. */
async function followLog(opened: OpenedSession, redact: Redactor): Promise<void> {
  const { meta, events } = opened;
  const { model = meta.model, mode = meta.mode, title = meta.title, ...facts } = factsOf(events);
  const known = meta.thought_level ?? null;
  const { thought_level = known } = facts;
  const isSameModel = model === meta.model || model === redact(meta.model);
  const isSameLevel = thought_level === known;
  if (isSameModel && isSameLevel && mode === meta.mode && title === meta.title) return;
  await opened.updateMeta({
    mode,
    title,
    ...(!isSameModel && { model }),
    ...(!isSameLevel && { thought_level }),
  });
}

function factsOf(events: readonly SessionEvent[]): Facts {
  return events.reduce((facts: Facts, { type, payload }) => {
    if (type === "MODE_CHANGED") return { ...facts, mode: payload.mode };
    if (type === "TITLE_CHANGED") return { ...facts, title: payload.title };
    if (type === "MODEL_CHANGED") return { ...facts, ...modelFacts(payload) };
    if (type !== "SESSION_CREATED" && type !== "SESSION_RESUMED") return facts;
    return { ...facts, ...modelFacts(payload), mode: payload.mode };
  }, {});
}

type ModelPayload = Pick<EventPayload<"MODEL_CHANGED">, "model" | "thought_level">;

function modelFacts({ model, thought_level: level }: ModelPayload): Facts {
  return { model, thought_level: level ?? null };
}
