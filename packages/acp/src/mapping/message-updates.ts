import type { EventPayload, SessionEvent } from "@acumen/agent";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { wireBlock } from "./content-blocks.ts";
import type { MappingContext } from "./mapping-context.ts";
import type { NoticeText } from "./notice-text.ts";

/**
 * Changes nothing, and lends its `_meta` to an event that is shown already. An empty piece of text would not do: hosts that
 * group by kind begin a new, empty thought for it.
 */
export const NOTHING_NEW = { sessionUpdate: "session_info_update" } satisfies SessionUpdate;

/** What the person wrote; live the host shows that itself. */
export function promptUpdates(
  { event_id: messageId, timestamp, payload }: SessionEvent<"USER_MESSAGE">,
  { replay }: MappingContext,
): SessionUpdate[] {
  if (!replay) return [{ ...NOTHING_NEW, updatedAt: timestamp }];
  const chunks = payload.content.map((block): SessionUpdate => ({
    sessionUpdate: "user_message_chunk",
    messageId,
    content: wireBlock(block),
  }));
  return chunks.length === 0 ? [NOTHING_NEW] : chunks;
}

/** The whole text, unless it was shown in pieces. */
export function messageUpdates(
  { kind, message_id: id, text }: EventPayload<"ASSISTANT_MESSAGE">,
  { streamed }: MappingContext,
): SessionUpdate[] {
  const unseen = streamed.take(id) ?? text;
  return [unseen === "" ? NOTHING_NEW : textUpdate(kind, id, unseen)];
}

export function textUpdate(
  kind: EventPayload<"ASSISTANT_MESSAGE">["kind"],
  messageId: string,
  text: string,
): SessionUpdate {
  const sessionUpdate = kind === "reasoning" ? "agent_thought_chunk" : "agent_message_chunk";
  return { sessionUpdate, messageId, content: { type: "text", text } };
}

/** As a notice where the host shows those, else as a short thought. */
export function noticeUpdates(
  text: NoticeText | undefined,
  messageId: string,
  { features }: MappingContext,
): SessionUpdate[] {
  if (text === undefined) return [];
  if (features.notices) return [{ sessionUpdate: "notice", ...text }];
  const { title, description } = text;
  const line = description === undefined ? `${title}.` : `${title}. ${description}`;
  // On lines of its own, also where a host joins all thoughts.
  return [textUpdate("reasoning", messageId, `\n${line}\n`)];
}

/** A summary where the host shows compactions. */
export function compactionUpdates(
  { event_id: id, payload: { summary } }: SessionEvent<"COMPACT">,
  text: NoticeText | undefined,
  context: MappingContext,
): SessionUpdate[] {
  if (!context.features.compaction) return noticeUpdates(text, id, context);
  return [
    {
      sessionUpdate: "compaction_update",
      compactionId: id,
      status: "completed",
      ...(summary !== "" && { summary: [{ type: "text", text: summary }] }),
    },
  ];
}
