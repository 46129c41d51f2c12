import type { EventPayload, SessionEvent, TransientUpdate } from "@acumen/agent";
import type { SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import type { ClientFeatures } from "../client/client-features.ts";
import { wireBlock } from "./content-blocks.ts";
import { eventMeta } from "./event-record.ts";

export interface SessionUpdatesOptions {
  readonly features: Pick<ClientFeatures, "notices" | "compaction">;
  /** A stored session is shown again: the prompts of the person too. */
  readonly replay: boolean;
}

/** Events and what is transient as updates of the protocol; the same code live and in replay. */
export class SessionUpdates {
  readonly #options: SessionUpdatesOptions;
  /** Messages of which deltas were shown. */
  readonly #streamed = new Set<string>();
  /** Calls without a result. */
  readonly #open = new Set<string>();

  constructor(options: SessionUpdatesOptions) {
    this.#options = options;
  }

  ofTransient(update: TransientUpdate): readonly SessionUpdate[] {
    if (update.type === "delta") {
      this.#streamed.add(update.message_id);
      return [chunk(update.kind, update.message_id, update.text)];
    }
    if (update.type === "tool_started") {
      return [
        { sessionUpdate: "tool_call_update", toolCallId: update.call_id, status: "in_progress" },
      ];
    }
    return [];
  }

  ofEvent(event: SessionEvent): readonly SessionUpdate[] {
    const updates = this.#updatesOf(event);
    const [first, ...rest] = updates;
    return first === undefined ? [] : [{ ...first, _meta: eventMeta(event) }, ...rest];
  }

  /** Calls that never got a result, because the process ended: nothing stays open. */
  unfinished(): readonly SessionUpdate[] {
    const updates = [...this.#open].map((toolCallId): SessionUpdate => ({
      sessionUpdate: "tool_call_update",
      toolCallId,
      status: "failed",
    }));
    this.#open.clear();
    return updates;
  }

  #updatesOf({ type, payload }: SessionEvent): readonly SessionUpdate[] {
    if (type === "USER_MESSAGE") {
      return this.#options.replay
        ? userChunks(payload)
        : [{ sessionUpdate: "session_info_update" }];
    }
    if (type === "ASSISTANT_MESSAGE") {
      const { kind, message_id: id, text } = payload;
      return [chunk(kind, id, this.#streamed.delete(id) ? "" : text)];
    }
    if (type === "TOOL_CALL") {
      this.#open.add(payload.call_id);
      return [toolCall(payload)];
    }
    if (type === "TOOL_RESULT") {
      this.#open.delete(payload.call_id);
      return [toolResult(payload)];
    }
    if (type === "PLAN_UPDATED") return [plan(payload)];
    if (type === "USAGE") return usage(payload);
    if (type === "TITLE_CHANGED") {
      return [{ sessionUpdate: "session_info_update", title: payload.title }];
    }
    return [];
  }
}

function userChunks({ content }: EventPayload<"USER_MESSAGE">): SessionUpdate[] {
  return content.map((block) => ({
    sessionUpdate: "user_message_chunk",
    content: wireBlock(block),
  }));
}

function plan({ entries }: EventPayload<"PLAN_UPDATED">): SessionUpdate {
  return {
    sessionUpdate: "plan",
    entries: entries.map(({ content, status, priority = "medium" }) => ({
      content,
      status,
      priority,
    })),
  };
}

function usage(payload: EventPayload<"USAGE">): SessionUpdate[] {
  const { context_tokens: used, context_window: size } = payload;
  return size === null ? [] : [{ sessionUpdate: "usage_update", used, size }];
}

function chunk(
  kind: EventPayload<"ASSISTANT_MESSAGE">["kind"],
  messageId: string,
  text: string,
): SessionUpdate {
  const sessionUpdate = kind === "reasoning" ? "agent_thought_chunk" : "agent_message_chunk";
  return { sessionUpdate, messageId, content: { type: "text", text } };
}

function toolCall(call: EventPayload<"TOOL_CALL">): SessionUpdate {
  const { call_id: toolCallId, exposed_name: name, kind, title, input, locations } = call;
  return {
    sessionUpdate: "tool_call",
    toolCallId,
    name,
    title,
    kind,
    status: "pending",
    rawInput: input,
    locations: locations.map(({ path, line }) => ({ path, ...(line !== undefined && { line }) })),
    content: diffContent(call.diff),
  };
}

function toolResult(result: EventPayload<"TOOL_RESULT">): SessionUpdate {
  return {
    sessionUpdate: "tool_call_update",
    toolCallId: result.call_id,
    status: result.status === "completed" ? "completed" : "failed",
    content: [
      ...diffContent(result.diff),
      ...result.output.map((block): ToolCallContent => ({
        type: "content",
        content: wireBlock(block),
      })),
    ],
  };
}

export function diffContent(diffs: EventPayload<"TOOL_CALL">["diff"]): ToolCallContent[] {
  return diffs.map(({ path, old_text: oldText, new_text: newText }) => ({
    type: "diff",
    path,
    oldText,
    newText,
  }));
}
