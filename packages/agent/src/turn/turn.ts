import { citedSkillIds } from "@acumen/ace";
import { AcumenError, throwIfAborted, untilAborted } from "@acumen/core";
import { type CallNote, type Model, modelFailureKind } from "@acumen/models";
import type { SessionParts } from "../agent/session-parts.ts";
import { attachFiles } from "../attachments/attach-files.ts";
import type { Compaction } from "../compaction/compact-history.ts";
import { targetOf } from "../compaction/context-size.ts";
import { type ContentBlock, textOf } from "../content/content-block.ts";
import { conversationOf } from "../conversation/conversation.ts";
import type { MadeBy } from "../events/event-payloads.ts";
import type { EventDraft, SessionEvent } from "../events/session-event.ts";
import {
  joinedPrompt,
  serverTexts,
  stablePrompt,
  systemMessages,
  type SystemPrompt,
} from "../prompt/system-prompt.ts";
import type { CodingSession } from "../session/coding-session.ts";
import { CallRunner } from "./call-runner.ts";
import { makeRoom } from "./make-room.ts";
import { ModelCaller } from "./model-caller.ts";
import type { ModelStep, StepMessage, StepPart } from "./model-step.ts";
import { redactError } from "./redact-error.ts";
import { replayable } from "./replayable.ts";
import { titleOf } from "./session-title.ts";
import { SinkChannel } from "./sink-channel.ts";
import { ToolExecutor } from "./tool-executor.ts";
import { ToolQuarantine } from "./tool-quarantine.ts";
import { TurnBudget } from "./turn-budget.ts";
import { type Ending, TurnCourse } from "./turn-course.ts";
import {
  codedFailure,
  errorPayload,
  isStoreFailure,
  lacksCredentials,
  noCredentials,
} from "./turn-failure.ts";
import type { TurnResult } from "./turn-result.ts";
import type { TurnSink } from "./turn-sink.ts";
import { usagePayload } from "./usage-payload.ts";
import { WorkClock } from "./work-clock.ts";

export interface TurnInput {
  readonly turnId: string;
  /** Checked. */
  readonly prompt: readonly ContentBlock[];
  /** Who asks, for USER_MESSAGE. */
  readonly source: string;
  readonly sink?: TurnSink;
  readonly signal: AbortSignal;
  readonly note?: Pick<CallNote, "phase" | "run">;
}

/** One prompt until its stop reason. */
export class Turn {
  readonly #session: CodingSession;
  readonly #parts: SessionParts;
  readonly #input: TurnInput;
  readonly #note: CallNote;
  readonly #budget: TurnBudget;
  readonly #course: TurnCourse;
  readonly #clock: WorkClock;
  /** Ends the work when the turn has taken too long. */
  readonly #timeUp = new AbortController();
  /** Ends the work when nothing can be logged any more. */
  readonly #halt = new AbortController();
  /** Of the caller, or of one of these two. */
  readonly #signal: AbortSignal;
  readonly #sink: SinkChannel;
  readonly #caller: ModelCaller;
  readonly #executor: ToolExecutor;
  readonly #quarantine: ToolQuarantine;
  #system: SystemPrompt = { stable: "", skills: "" };
  #madeBy: MadeBy | undefined;
  #skillIds: readonly string[] = [];
  #text = "";
  /** The answer that comes next is the rest of the last one. */
  #goesOn = false;
  #mayCompact = true;
  #storeFailure: AcumenError | undefined;

  constructor(session: CodingSession, input: TurnInput) {
    const { parts } = session;
    const { settings, clock, logger } = parts;
    const { turnId } = input;
    this.#session = session;
    this.#parts = parts;
    this.#input = input;
    this.#note = { session: session.id, ...input.note };
    const record = (draft: EventDraft): Promise<SessionEvent> => this.#record(draft);
    this.#budget = new TurnBudget(settings.limits);
    this.#course = new TurnCourse({ budget: this.#budget, record });
    const limitMs = settings.limits.wallClockMs;
    this.#clock = new WorkClock(clock, {
      ...(limitMs !== undefined && { limitMs }),
      onExpired: () => this.#timeUp.abort(),
    });
    this.#signal = AbortSignal.any([input.signal, this.#timeUp.signal, this.#halt.signal]);
    const signal = this.#signal;
    this.#sink = new SinkChannel(input.sink, { signal, logger });
    this.#caller = new ModelCaller({
      turnId,
      signal,
      sink: this.#sink,
      note: this.#note,
      redact: parts.redact,
    });
    const runner = new CallRunner({
      sessionId: session.id,
      turnId,
      registry: parts.registry,
      gate: parts.gate,
      mode: () => session.effectiveMode,
      signal,
      clock,
      logger,
      sink: this.#sink,
      redact: parts.redact,
      record,
    });
    this.#quarantine = new ToolQuarantine(parts.registry, record);
    this.#executor = new ToolExecutor(runner, (message) => this.#say(message), signal);
  }

  /** @throws a coded error when the model, the store or the program failed; what was logged stays */
  async run(): Promise<TurnResult> {
    const { log, people, redact } = this.#parts;
    const { turnId } = this.#input;
    const unsubscribe = log.subscribe((event) =>
      event.turn_id === turnId ? this.#sink.event(event) : undefined,
    );
    const detach = people.attach(this.#clock);
    try {
      const { blocked, ...ending } = await this.#ending();
      return {
        ...ending,
        ...(blocked !== undefined && { blocked: { ...blocked, detail: redact(blocked.detail) } }),
        usage: this.#budget.usage,
        turnId,
        text: redact(this.#text),
      };
    } catch (error) {
      throw redactError(error, redact);
    } finally {
      detach();
      await this.#sink.close();
      unsubscribe();
    }
  }

  async #ending(): Promise<Ending> {
    const { signal } = this.#input;
    try {
      const ending = await this.#work();
      return signal.aborted ? { stopReason: "cancelled" } : ending;
    } catch (error) {
      if (this.#storeFailure !== undefined) throw this.#storeFailure;
      if (signal.aborted) return { stopReason: "cancelled" };
      if (this.#timeUp.signal.aborted) {
        const limit = this.#parts.settings.limits.wallClockMs ?? 0;
        return await this.#course.stop({ reason: "wall_clock", limit });
      }
      throw await this.#failure(error);
    }
  }

  /** Logged, and the error that the caller gets. */
  async #failure(error: unknown): Promise<unknown> {
    const coded = codedFailure(error);
    // The turn has not begun.
    if (coded.code === "AGENT_PROMPT_INVALID") return coded;
    const missing = lacksCredentials(coded) ? noCredentials(coded) : undefined;
    await this.#record({
      type: "ERROR",
      payload: errorPayload(missing ?? coded, this.#caller.attempt),
    });
    if (missing !== undefined) await this.#course.blocked("no_credentials", missing.message);
    return missing ?? coded;
  }

  async #work(): Promise<Ending> {
    await this.#accept();
    this.#system = await this.#systemPrompt();
    await this.#unlessAborted(this.#parts.registry.ready(this.#signal));
    for (;;) {
      const ending = await this.#step();
      if (ending !== undefined) return ending;
    }
  }

  async #accept(): Promise<void> {
    const { opened, redact, workspace, reads, gate, fileOperations } = this.#parts;
    const { prompt, source } = this.#input;
    const { content, seen } = await this.#unlessAborted(
      attachFiles(prompt, workspace, {
        reads,
        redact,
        deniedRead: gate.deniedRead,
        signal: this.#signal,
        ...(fileOperations !== undefined && { operations: fileOperations }),
      }),
    );
    await this.#record({
      type: "USER_MESSAGE",
      payload: { content: [...content], source, ...(seen.length > 0 && { seen: [...seen] }) },
    });
    const title = opened.meta.title === "" ? redact(titleOf(prompt)) : "";
    if (title !== "") await this.#record({ type: "TITLE_CHANGED", payload: { title } });
    await opened.updateMeta(title === "" ? {} : { title });
    await this.#session.tellTrust((draft) => this.#record(draft));
  }

  async #systemPrompt(): Promise<SystemPrompt> {
    const { skills, workspace, trusted, prompt, redact, logger } = this.#parts;
    const { block, skillIds, reason, problems } = await this.#unlessAborted(
      skills.choose({
        workspace: { cwd: workspace.cwd, trusted },
        question: textOf(this.#input.prompt),
      }),
    );
    for (const { code, message } of problems) {
      logger.warn("a skillbook was left out", { code, message });
    }
    this.#skillIds = skillIds;
    await this.#record({ type: "SKILLS_APPLIED", payload: { skill_ids: [...skillIds], reason } });
    // Like every event: what the model never sees, it cannot repeat while its answer streams.
    return { stable: redact(stablePrompt(prompt)), skills: redact(block) };
  }

  /** With the texts of the servers whose tools the next model call is given. */
  #systemNow(): SystemPrompt {
    const servers = this.#parts.mcp?.instructions() ?? [];
    return { ...this.#system, servers: serverTexts(servers) };
  }

  /** One model call and what follows from it; undefined: the turn goes on. */
  async #step(): Promise<Ending | undefined> {
    if (this.#clock.expired) this.#timeUp.abort();
    throwIfAborted(this.#signal);
    const limit = this.#budget.limit();
    if (limit !== undefined) return this.#course.stop(limit);
    this.#budget.beginStep();
    this.#quarantine.beginStep();
    this.#caller.beginCall();
    const model = await this.#unlessAborted(this.#parts.model.get());
    this.#madeBy = { provider: model.provider, model: model.model };
    if ((await this.#makeRoom(model)) === "context_full") return this.#course.contextFull();
    const answer = await this.#ask(model);
    if (answer === undefined) return this.#course.contextFull();
    const parts = replayable(answer.parts, this.#parts.redact);
    const firstCall = parts.findIndex(({ type }) => type === "call");
    const before = firstCall === -1 ? parts.length : firstCall;
    await this.#say(...parts.slice(0, before).filter((part) => part.type === "message"));
    await this.#count(model, answer);
    if (answer.finish === "content-filter") return { stopReason: "refusal" };
    if (answer.calls.length === 0) return this.#afterStop(model, answer);
    this.#goesOn = false;
    const work = parts.slice(before).map((part) => this.#named(part));
    const ended = await this.#executor.run(work, this.#madeBy);
    throwIfAborted(this.#signal);
    const ending = await this.#course.afterCalls(ended);
    if (ending?.stopReason === "cancelled") this.#session.cancel();
    return ending;
  }

  /** For work that may not watch the signal, or not at once. */
  #unlessAborted<T>(work: Promise<T>): Promise<T> {
    return untilAborted(work, this.#signal);
  }

  #named(part: StepPart): StepPart {
    return part.type === "call"
      ? { ...part, callId: this.#session.callIds.take(part.callId) }
      : part;
  }

  /** Undefined: the service says that the conversation is too long, also after it was compacted. */
  async #ask(model: Model): Promise<ModelStep | undefined> {
    for (let compacted = false; ;) {
      const { log, redact } = this.#parts;
      const tools = this.#session.tools();
      // Servers change their tools while the model thinks; what it calls is what it was given.
      this.#parts.registry.give(tools);
      const answer = await this.#caller.ask({
        model,
        messages: [
          ...systemMessages(this.#systemNow()),
          ...conversationOf(log.events, targetOf(model)),
        ],
        tools,
        thoughtLevel: this.#session.thoughtLevelFor(model),
      });
      if (!("error" in answer)) return answer;
      const { error, step } = answer;
      await this.#say(...replayable(step.wholeMessages, redact));
      throwIfAborted(this.#signal);
      if (await this.#quarantine.leaveOut(error, tools, this.#caller.attempt)) continue;
      if (modelFailureKind(error) !== "context_length") throw error;
      if (compacted || (await this.#makeRoom(model, true)) !== "compacted") return undefined;
      compacted = true;
    }
  }

  /** A history that could not be compacted is tried as it is: the numbers are estimates. */
  async #makeRoom(model: Model, force = false): Promise<Compaction["state"]> {
    const { log } = this.#parts;
    if (!force && !this.#mayCompact) return "fits";
    this.#caller.beginCall();
    const compaction = await makeRoom({
      events: log.events,
      turnId: this.#input.turnId,
      model,
      system: joinedPrompt(this.#systemNow()),
      tools: this.#session.tools(),
      record: (draft) => this.#record(draft),
      signal: this.#signal,
      note: this.#note,
      force,
      onRetry: (notice) => this.#caller.tellRetry(notice),
    });
    this.#budget.add(compaction.usage);
    if (compaction.state !== "failed") return compaction.state;
    if (force) throw compaction.error;
    // Each try is a call that costs; the service will say when the conversation really is too long.
    this.#mayCompact = false;
    const payload = errorPayload(compaction.error, this.#caller.attempt);
    await this.#record({ type: "ERROR", payload });
    return compaction.state;
  }

  async #afterStop(model: Model, { finish }: ModelStep): Promise<Ending | undefined> {
    const reason = this.#course.reasonToGoOn(finish);
    if (reason === undefined) return this.#course.end();
    const stop = await this.#course.limitOf(reason);
    if (stop !== undefined) return stop;
    const state = await this.#makeRoom(model);
    if (state === "context_full") return this.#course.contextFull();
    this.#goesOn = reason === "output_limit";
    await this.#course.goOn(state === "compacted" ? "after_compact" : reason);
    return undefined;
  }

  async #count(model: Model, { messages, usage }: ModelStep): Promise<void> {
    const said = messages.flatMap(({ kind, text }) => (kind === "assistant" ? [text] : []));
    this.#text = `${this.#goesOn ? this.#text : ""}${said.join("\n\n")}`;
    this.#budget.add(usage);
    await this.#record({ type: "USAGE", payload: usagePayload(model, usage) });
  }

  async #say(...messages: readonly StepMessage[]): Promise<void> {
    for (const { messageId, kind, text, metadata } of messages) {
      await this.#record({
        type: "ASSISTANT_MESSAGE",
        payload: {
          message_id: messageId,
          kind,
          text,
          skill_ids: citedSkillIds(text, this.#skillIds),
          ...(this.#madeBy !== undefined && { made_by: this.#madeBy }),
          ...(metadata !== undefined && { provider_metadata: metadata }),
        },
      });
    }
  }

  async #record(draft: EventDraft): Promise<SessionEvent> {
    const place = { turnId: this.#input.turnId, step: this.#budget.step };
    try {
      return await this.#session.record(draft, place);
    } catch (error) {
      if (AcumenError.isInstance(error) && isStoreFailure(error)) {
        this.#storeFailure ??= error;
        this.#halt.abort();
      }
      throw error;
    }
  }
}
