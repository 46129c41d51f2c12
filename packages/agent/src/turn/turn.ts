import { citedSkillIds } from "@acumen/ace";
import { throwIfAborted, untilAborted } from "@acumen/core";
import type { CallNote, Model } from "@acumen/models";
import { modelFailureKind } from "@acumen/models";
import { type ContentBlock, textOf } from "../content/content-block.ts";
import { conversationOf } from "../conversation/conversation.ts";
import type { EventDraft, EventPayload, SessionEvent } from "../events/session-event.ts";
import { systemPrompt } from "../prompt/system-prompt.ts";
import type { CodingSession } from "../session/coding-session.ts";
import type { SessionParts } from "../agent/session-parts.ts";
import { CallRunner, type EndedCall } from "./call-runner.ts";
import { ModelCaller } from "./model-caller.ts";
import type { ModelStep, StepMessage } from "./model-step.ts";
import { redactEvent } from "./redact-event.ts";
import { MAX_REPEATS, RepeatedCalls } from "./repeated-calls.ts";
import { titleOf } from "./session-title.ts";
import { SinkChannel } from "./sink-channel.ts";
import { ToolExecutor } from "./tool-executor.ts";
import { TurnBudget } from "./turn-budget.ts";
import {
  codedFailure,
  errorPayload,
  isStoreFailure,
  lacksCredentials,
  noCredentials,
} from "./turn-failure.ts";
import type { TurnResult } from "./turn-result.ts";
import type { StopReason, TurnSink } from "./turn-sink.ts";
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

type Ending = Omit<TurnResult, "usage" | "turnId" | "text">;

const STOP_OF_LIMIT: Readonly<Record<EventPayload<"AUTO_STOP">["reason"], StopReason>> = {
  step_limit: "max_turn_requests",
  token_budget: "max_tokens",
  repeated_call: "max_turn_requests",
  continuation_limit: "max_turn_requests",
  wall_clock: "max_turn_requests",
};

/** One prompt until its stop reason. */
export class Turn {
  readonly #session: CodingSession;
  readonly #parts: SessionParts;
  readonly #input: TurnInput;
  readonly #budget: TurnBudget;
  readonly #clock: WorkClock;
  /** Ends the work when the turn has taken too long. */
  readonly #timeUp = new AbortController();
  /** Of the caller or of {@link #timeUp}. */
  readonly #signal: AbortSignal;
  readonly #sink: SinkChannel;
  readonly #caller: ModelCaller;
  readonly #executor: ToolExecutor;
  readonly #repeated = new RepeatedCalls();
  #skillIds: readonly string[] = [];
  #plan: EventPayload<"PLAN_UPDATED">["entries"] = [];
  #askedUser = false;
  #last: EndedCall | undefined;
  #text = "";
  /** The answer that comes next is the rest of the last one. */
  #goesOn = false;
  #attempt = 1;

  constructor(session: CodingSession, input: TurnInput) {
    const { parts } = session;
    const { turnId } = input;
    const { settings, clock, logger } = parts;
    this.#session = session;
    this.#parts = parts;
    this.#input = input;
    this.#budget = new TurnBudget(settings.limits);
    const limitMs = settings.limits.wallClockMs;
    this.#clock = new WorkClock(clock, {
      ...(limitMs !== undefined && { limitMs }),
      onExpired: () => this.#timeUp.abort(),
    });
    this.#signal = AbortSignal.any([input.signal, this.#timeUp.signal]);
    const signal = this.#signal;
    this.#sink = new SinkChannel(input.sink, { signal, logger });
    const note = { session: session.id, ...input.note };
    this.#caller = new ModelCaller({ turnId, signal, sink: this.#sink, logger, note });
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
      record: (draft) => this.#record(draft),
    });
    this.#executor = new ToolExecutor(runner, signal);
  }

  /** @throws a coded error when the model, the store or the program failed; what was logged stays */
  async run(): Promise<TurnResult> {
    const { log, people } = this.#parts;
    const { turnId } = this.#input;
    const unsubscribe = log.subscribe((event) =>
      event.turn_id === turnId ? this.#sink.event(event) : undefined,
    );
    const detach = people.attach(this.#clock);
    try {
      const ending = await this.#endingOf(() => this.#work());
      return { ...ending, usage: this.#budget.usage, turnId, text: this.#text };
    } finally {
      detach();
      await this.#sink.close();
      unsubscribe();
    }
  }

  async #endingOf(work: () => Promise<Ending>): Promise<Ending> {
    try {
      const ending = await work();
      return this.#input.signal.aborted ? { stopReason: "cancelled" } : ending;
    } catch (error) {
      if (isStoreFailure(error)) throw error;
      if (this.#input.signal.aborted) return { stopReason: "cancelled" };
      if (this.#timeUp.signal.aborted) {
        return await this.#autoStop({
          reason: "wall_clock",
          limit: this.#parts.settings.limits.wallClockMs ?? 0,
        });
      }
      throw await this.#failure(error);
    }
  }

  async #failure(error: unknown): Promise<unknown> {
    const coded = codedFailure(error);
    if (!lacksCredentials(coded)) {
      await this.#record({ type: "ERROR", payload: errorPayload(coded, this.#attempt) });
      return coded;
    }
    const missing = noCredentials(coded);
    await this.#record({ type: "ERROR", payload: errorPayload(missing, this.#attempt) });
    await this.#record({
      type: "BLOCKED",
      payload: { reason: "no_credentials", detail: missing.message },
    });
    return missing;
  }

  async #work(): Promise<Ending> {
    await this.#accept();
    const system = await this.#systemPrompt();
    throwIfAborted(this.#signal);
    await untilAborted(this.#parts.registry.ready(this.#signal), this.#signal);
    for (;;) {
      const ending = await this.#step(system);
      if (ending !== undefined) return ending;
    }
  }

  async #accept(): Promise<void> {
    const { opened } = this.#parts;
    const { prompt, source } = this.#input;
    await this.#record({ type: "USER_MESSAGE", payload: { content: [...prompt], source } });
    const title = opened.meta.title === "" ? titleOf(prompt) : "";
    if (title !== "") await this.#record({ type: "TITLE_CHANGED", payload: { title } });
    await opened.updateMeta(title === "" ? {} : { title: this.#parts.redact(title) });
    await this.#session.tellTrust((draft) => this.#record(draft));
  }

  async #systemPrompt(): Promise<string> {
    const { skills, workspace, trusted, prompt, logger } = this.#parts;
    const { block, skillIds, reason, problems } = await skills.choose({
      workspace: { cwd: workspace.cwd, trusted },
      question: textOf(this.#input.prompt),
    });
    for (const { code, message } of problems)
      logger.warn("a skillbook was left out", { code, message });
    this.#skillIds = skillIds;
    await this.#record({
      type: "SKILLS_APPLIED",
      payload: { skill_ids: [...skillIds], reason },
    });
    return systemPrompt({ ...prompt, skills: block });
  }

  /** One model call and what follows from it; undefined: the turn goes on. */
  async #step(system: string): Promise<Ending | undefined> {
    if (this.#clock.expired) this.#timeUp.abort();
    throwIfAborted(this.#signal);
    const limit = this.#budget.limit();
    if (limit !== undefined) return this.#autoStop(limit);
    this.#budget.beginStep();
    const model = await this.#parts.model.get();
    const answer = await this.#ask(model, system);
    if (answer === "context_full") return this.#contextFull();
    await this.#logAnswer(model, answer);
    if (answer.finish === "content-filter") return { stopReason: "refusal" };
    if (answer.calls.length === 0) return this.#afterStop(answer.finish === "length");
    this.#goesOn = false;
    const madeBy = { provider: model.provider, model: model.model };
    return this.#afterCalls(await this.#executor.run(answer.calls, madeBy));
  }

  async #ask(model: Model, system: string): Promise<ModelStep | "context_full"> {
    const { provider, capabilities } = model;
    const target = { provider, model: model.model, vision: capabilities.vision ?? false };
    const tools = this.#parts.registry.current();
    const answer = await this.#caller.ask({
      model,
      messages: [
        { role: "system", content: system },
        ...conversationOf(this.#parts.log.events, target),
      ],
      tools,
    });
    if (!("error" in answer)) return answer;
    const { error, step, attempt } = answer;
    await this.#logMessages(model, step.wholeMessages);
    if (!this.#signal.aborted && modelFailureKind(error) === "context_length")
      return "context_full";
    this.#attempt = attempt;
    throw error;
  }

  async #logAnswer(model: Model, answer: ModelStep): Promise<void> {
    const { messages, usage } = answer;
    await this.#logMessages(model, messages);
    const said = messages.flatMap(({ kind, text }) => (kind === "assistant" ? [text] : []));
    this.#text = `${this.#goesOn ? this.#text : ""}${said.join("\n\n")}`;
    this.#budget.add(usage);
    const { contextWindow = null, inputPrice, outputPrice } = model.capabilities;
    const { inputTokens, outputTokens, cachedInputTokens = 0 } = usage;
    await this.#record({
      type: "USAGE",
      payload: {
        input_tokens: inputTokens,
        cached_input_tokens: cachedInputTokens,
        output_tokens: outputTokens,
        context_tokens: inputTokens + outputTokens,
        context_window: contextWindow,
        ...(inputPrice !== undefined &&
          outputPrice !== undefined && {
            // Cached input is cheaper, by how much is in no table: this is the most it can have cost.
            cost: (inputTokens * inputPrice + outputTokens * outputPrice) / 1_000_000,
          }),
      },
    });
  }

  async #logMessages(model: Model, messages: readonly StepMessage[]): Promise<void> {
    for (const { messageId, kind, text, metadata } of messages) {
      await this.#record({
        type: "ASSISTANT_MESSAGE",
        payload: {
          message_id: messageId,
          kind,
          text,
          skill_ids: citedSkillIds(text, this.#skillIds),
          made_by: { provider: model.provider, model: model.model },
          ...(metadata !== undefined && { provider_metadata: metadata }),
        },
      });
    }
  }

  async #afterCalls(ended: readonly EndedCall[]): Promise<Ending | undefined> {
    throwIfAborted(this.#signal);
    if (ended.some(({ turnCancelled }) => turnCancelled === true)) {
      this.#session.cancel();
      return { stopReason: "cancelled" };
    }
    let circles = false;
    for (const { call, input, status, outcome, tool } of ended) {
      if (outcome.plan !== undefined) this.#plan = [...outcome.plan];
      if (tool?.origin.type === "builtin" && tool.name === "ask_user") this.#askedUser = true;
      if (this.#repeated.add(call.exposedName, input, status, outcome.output)) circles = true;
    }
    this.#last = ended.at(-1);
    const question = ended.find(({ outcome }) => outcome.unanswered !== undefined);
    if (question !== undefined) {
      return this.#blocked("question", question.outcome.unanswered ?? "");
    }
    if (circles) return this.#autoStop({ reason: "repeated_call", limit: MAX_REPEATS });
    return undefined;
  }

  /** The model has ended: does the runtime go on by itself? */
  async #afterStop(cutOff: boolean): Promise<Ending | undefined> {
    if (cutOff) return this.#goOn("output_limit");
    const last = this.#last;
    if (last?.status === "rejected") return this.#blocked("approval_rejected", last.title);
    if (last !== undefined && last.tool === undefined) {
      return this.#blocked("missing_tool", last.call.exposedName);
    }
    const open = this.#plan.some(({ status }) => status === "in_progress");
    if (open && !this.#askedUser) return this.#goOn("open_plan");
    return { stopReason: "end_turn" };
  }

  async #goOn(reason: "output_limit" | "open_plan"): Promise<Ending | undefined> {
    const stop = this.#budget.limit() ?? this.#budget.continuationLimit();
    if (stop !== undefined) {
      const ending = await this.#autoStop(stop);
      return reason === "output_limit" && stop.reason === "continuation_limit"
        ? { ...ending, stopReason: "max_tokens" }
        : ending;
    }
    this.#goesOn = reason === "output_limit";
    const count = this.#budget.beginContinuation();
    await this.#record({ type: "AUTO_CONTINUE", payload: { reason, count } });
    return undefined;
  }

  async #contextFull(): Promise<Ending> {
    const ending = await this.#blocked(
      "context_full",
      "The conversation does not fit into the model's context window any more.",
    );
    return { ...ending, stopReason: "max_tokens" };
  }

  async #blocked(reason: EventPayload<"BLOCKED">["reason"], detail: string): Promise<Ending> {
    const blocked = { reason, detail };
    await this.#record({ type: "BLOCKED", payload: blocked });
    return { stopReason: "end_turn", blocked };
  }

  async #autoStop(autoStop: EventPayload<"AUTO_STOP">): Promise<Ending> {
    await this.#record({ type: "AUTO_STOP", payload: autoStop });
    return { stopReason: STOP_OF_LIMIT[autoStop.reason], autoStop };
  }

  #record(draft: EventDraft): Promise<SessionEvent> {
    const { log, redact } = this.#parts;
    const place = { turnId: this.#input.turnId, step: this.#budget.step };
    return log.record(redactEvent(draft, redact), place);
  }
}
