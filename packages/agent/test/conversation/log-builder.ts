import { textBlock } from "../../src/content/content-block.ts";
import type { EventDraft, EventPayload, SessionEvent } from "../../src/events/session-event.ts";

/** Builds a log as the runtime writes it: `turn` and `step` place what follows. */
export class LogBuilder {
  readonly events: SessionEvent[] = [];
  turnId: string | null = null;
  stepNumber = 0;

  add(draft: EventDraft): this {
    const seq = this.events.length + 1;
    this.events.push({
      seq,
      event_id: `event-${seq}`,
      session_id: "session",
      turn_id: this.turnId,
      step: this.stepNumber,
      timestamp: new Date(seq * 1000).toISOString(),
      ...draft,
    } as SessionEvent);
    return this;
  }

  /** Begins a turn with a prompt. */
  user(text: string, ...more: EventPayload<"USER_MESSAGE">["content"]): this {
    this.turnId = `turn-${this.events.length + 1}`;
    this.stepNumber = 0;
    return this.add({
      type: "USER_MESSAGE",
      payload: { content: [textBlock(text), ...more], source: "test" },
    });
  }

  step(): this {
    this.stepNumber += 1;
    return this;
  }

  say(text: string, more: Partial<EventPayload<"ASSISTANT_MESSAGE">> = {}): this {
    return this.add({
      type: "ASSISTANT_MESSAGE",
      payload: {
        message_id: `message-${this.events.length + 1}`,
        kind: "assistant",
        text,
        skill_ids: [],
        ...more,
      },
    });
  }

  call(
    id: string,
    tool: string,
    input: unknown,
    more: Partial<EventPayload<"TOOL_CALL">> = {},
  ): this {
    return this.add({
      type: "TOOL_CALL",
      payload: {
        call_id: id,
        tool,
        exposed_name: tool,
        kind: "other",
        title: tool,
        input,
        locations: [],
        diff: [],
        ...more,
      },
    });
  }

  result(id: string, text: string, more: Partial<EventPayload<"TOOL_RESULT">> = {}): this {
    return this.add({
      type: "TOOL_RESULT",
      payload: {
        call_id: id,
        status: "completed",
        output: text === "" ? [] : [textBlock(text)],
        exit_code: null,
        duration_ms: 1,
        truncated: false,
        diff: [],
        ...more,
      },
    });
  }

  usage(input: number, output: number): this {
    return this.add({
      type: "USAGE",
      payload: {
        input_tokens: input,
        cached_input_tokens: 0,
        output_tokens: output,
        context_tokens: input + output,
        context_window: null,
      },
    });
  }

  compact(strategy: EventPayload<"COMPACT">["strategy"], keptFrom: number, summary = ""): this {
    return this.add({
      type: "COMPACT",
      payload: { tokens_before: 0, tokens_after: 0, strategy, summary, kept_from_seq: keptFrom },
    });
  }

  /** Seq of the next event. */
  get next(): number {
    return this.events.length + 1;
  }
}
