import type { SessionUpdate } from "@agentclientprotocol/sdk";

/** What hosts were shown of messages and calls that have not come to their end: no log has it yet. */
export class OngoingUpdates {
  /** By id of the message or call. */
  readonly #shown = new Map<string, SessionUpdate>();

  /** Takes what was shown while it happens. */
  show(update: SessionUpdate): void {
    const id = subjectOf(update);
    if (id !== undefined) this.#shown.set(id, joined(this.#shown.get(id), update));
  }

  end(id: string): void {
    this.#shown.delete(id);
  }

  clear(): void {
    this.#shown.clear();
  }

  /** Everything once more: messages as far as they are written, calls as they run. */
  get all(): readonly SessionUpdate[] {
    return [...this.#shown.values()];
  }
}

/** Id of the message or call that an update tells of. */
export function subjectOf(update: SessionUpdate): string | undefined {
  if ("toolCallId" in update) return update.toolCallId;
  return "messageId" in update ? (update.messageId ?? undefined) : undefined;
}

/** Text of a message comes in pieces; of a call the newer fields hold. */
function joined(before: SessionUpdate | undefined, update: SessionUpdate): SessionUpdate {
  if (before === undefined) return update;
  if (update.sessionUpdate === "tool_call_update") return { ...before, ...update } as SessionUpdate;
  if (update.sessionUpdate !== before.sessionUpdate || !("content" in update)) return update;
  const [one, other] = [(before as typeof update).content, update.content];
  if (!isText(one) || !isText(other)) return update;
  return { ...update, content: { ...other, text: `${one.text}${other.text}` } } as SessionUpdate;
}

function isText(content: unknown): content is { readonly type: "text"; readonly text: string } {
  return (
    typeof content === "object" &&
    content !== null &&
    "type" in content &&
    content.type === "text" &&
    "text" in content
  );
}
