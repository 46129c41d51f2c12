import type { FinishReason } from "@acumen/models";
import type { EventDraft, EventPayload } from "../events/session-event.ts";
import type { EndedCall } from "./call-runner.ts";
import { MAX_REPEATS, RepeatedCalls } from "./repeated-calls.ts";
import type { TurnBudget } from "./turn-budget.ts";
import type { TurnResult } from "./turn-result.ts";
import type { StopReason } from "./turn-sink.ts";

export type Ending = Omit<TurnResult, "usage" | "turnId" | "text">;

type ContinueReason = EventPayload<"AUTO_CONTINUE">["reason"];

const STOP_OF_LIMIT: Readonly<Record<EventPayload<"AUTO_STOP">["reason"], StopReason>> = {
  step_limit: "max_turn_requests",
  token_budget: "max_tokens",
  repeated_call: "max_turn_requests",
  continuation_limit: "max_turn_requests",
  wall_clock: "max_turn_requests",
};

/** Decides by facts whether a turn goes on, and records why it does or does not. */
export class TurnCourse {
  readonly #budget: TurnBudget;
  readonly #record: (draft: EventDraft) => Promise<unknown>;
  readonly #repeated = new RepeatedCalls();
  #plan: EventPayload<"PLAN_UPDATED">["entries"] = [];
  #askedUser = false;
  #last: EndedCall | undefined;

  constructor(options: {
    readonly budget: TurnBudget;
    readonly record: (draft: EventDraft) => Promise<unknown>;
  }) {
    this.#budget = options.budget;
    this.#record = options.record;
  }

  /** Undefined: the model gets the results. */
  async afterCalls(ended: readonly EndedCall[]): Promise<Ending | undefined> {
    let circles = false;
    for (const { call, input, status, outcome, tool } of ended) {
      if (outcome.plan !== undefined) this.#plan = [...outcome.plan];
      if (tool?.origin.type === "builtin" && tool.name === "ask_user") this.#askedUser = true;
      if (this.#repeated.add(call.exposedName, input, status, outcome.output)) circles = true;
    }
    this.#last = ended.at(-1);
    if (ended.some(({ turnCancelled }) => turnCancelled === true)) {
      return { stopReason: "cancelled" };
    }
    const question = ended.find(({ outcome }) => outcome.unanswered !== undefined);
    if (question !== undefined) {
      return this.blocked("question", question.outcome.unanswered ?? "");
    }
    return circles ? this.stop({ reason: "repeated_call", limit: MAX_REPEATS }) : undefined;
  }

  /** The model made no call: why the runtime goes on all the same, or undefined. */
  reasonToGoOn(finish: FinishReason): ContinueReason | undefined {
    if (finish === "length") return "output_limit";
    // Anything else than "stop" is no end that the model chose.
    if (finish !== "stop") return undefined;
    const open = this.#plan.some(({ status }) => status === "in_progress");
    return open && !this.#askedUser && this.#blockedBy() === undefined ? "open_plan" : undefined;
  }

  /** The end that the model chose. */
  async end(): Promise<Ending> {
    const blocked = this.#blockedBy();
    return blocked === undefined
      ? { stopReason: "end_turn" }
      : this.blocked(blocked.reason, blocked.detail);
  }

  /** The end of the turn when there may be no further step or continuation. */
  async limitOf(reason: ContinueReason): Promise<Ending | undefined> {
    const stop = this.#budget.limit() ?? this.#budget.continuationLimit();
    if (stop === undefined) return undefined;
    const ending = await this.stop(stop);
    // The answer is still cut off.
    return reason === "output_limit" && stop.reason === "continuation_limit"
      ? { ...ending, stopReason: "max_tokens" }
      : ending;
  }

  async goOn(reason: ContinueReason): Promise<void> {
    const count = this.#budget.beginContinuation();
    await this.#record({ type: "AUTO_CONTINUE", payload: { reason, count } });
  }

  async stop(autoStop: EventPayload<"AUTO_STOP">): Promise<Ending> {
    await this.#record({ type: "AUTO_STOP", payload: autoStop });
    return { stopReason: STOP_OF_LIMIT[autoStop.reason], autoStop };
  }

  async blocked(reason: EventPayload<"BLOCKED">["reason"], detail: string): Promise<Ending> {
    const blocked = { reason, detail };
    await this.#record({ type: "BLOCKED", payload: blocked });
    return { stopReason: reason === "context_full" ? "max_tokens" : "end_turn", blocked };
  }

  contextFull(): Promise<Ending> {
    return this.blocked(
      "context_full",
      "The conversation does not fit into the model's context window any more. Sum it up with `/compact`, begin a new session, or choose a model with a larger window.",
    );
  }

  #blockedBy(): EventPayload<"BLOCKED"> | undefined {
    const last = this.#last;
    if (last === undefined) return undefined;
    if (last.status === "rejected") return { reason: "approval_rejected", detail: last.title };
    return last.isUnknown ? { reason: "missing_tool", detail: last.call.exposedName } : undefined;
  }
}
