import type { EventDraft, SessionEvent, TransientUpdate } from "@acumen/agent";
import type { SessionConfigOption, SessionUpdate } from "@agentclientprotocol/sdk";
import { SessionUpdates } from "../../../src/mapping/session-updates.ts";
import { schemaFault } from "../../support/wire-schema.ts";

/** A draft with its turn, or something transient. */
export type Happening =
  | { readonly turn: string | null; readonly draft: EventDraft }
  | { readonly transient: TransientUpdate };

export function inTurn(turn: string, ...drafts: EventDraft[]): Happening[] {
  return drafts.map((draft) => ({ turn, draft }));
}

export function outside(...drafts: EventDraft[]): Happening[] {
  return drafts.map((draft) => ({ turn: null, draft }));
}

/** Happenings in their order, each event with its place in the log. */
export function logged(happenings: readonly Happening[]): (SessionEvent | TransientUpdate)[] {
  let seq = 0;
  return happenings.map((one) => {
    if ("transient" in one) return one.transient;
    seq += 1;
    return {
      seq,
      event_id: `event-${seq}`,
      session_id: "s1",
      turn_id: one.turn,
      step: 0,
      timestamp: new Date(seq * 1_000).toISOString(),
      ...one.draft,
    } as SessionEvent;
  });
}

export function isEvent(one: SessionEvent | TransientUpdate): one is SessionEvent {
  return "seq" in one;
}

export const OPTIONS: readonly SessionConfigOption[] = [
  selectOption("mode", "safe", ["auto", "safe", "manual"]),
  selectOption("model", "m/one", ["m/one", "m/two"]),
];

function selectOption(id: string, currentValue: string, values: string[]): SessionConfigOption {
  const options = values.map((value) => ({ value, name: value }));
  return { id, name: id, category: id, type: "select", currentValue, options };
}

export interface Mapped {
  readonly notices?: boolean;
  readonly compaction?: boolean;
  readonly replay?: boolean;
  readonly trusted?: boolean;
  readonly past?: readonly SessionEvent[];
  readonly late?: () => void;
}

export function mapperFor(options: Mapped = {}): SessionUpdates {
  const { notices = false, compaction = false, replay = false, ...more } = options;
  return new SessionUpdates({
    features: { notices, compaction },
    replay,
    configOptions: () => OPTIONS,
    ...more,
  });
}

/** What a host is sent for them; each update keeps the protocol. */
export function updatesOf(
  happenings: readonly (SessionEvent | TransientUpdate)[],
  options: Mapped = {},
): SessionUpdate[] {
  const mapper = mapperFor(options);
  const updates = happenings.flatMap((one) => {
    if (isEvent(one)) return [...mapper.ofEvent(one)];
    return options.replay === true ? [] : [...mapper.ofTransient(one)];
  });
  const all = [...updates, ...mapper.unfinished()];
  for (const update of all) {
    const fault = schemaFault("session/update", "Notification", { sessionId: "s1", update });
    if (fault !== undefined) throw new Error(`${fault}\n${JSON.stringify(update)}`);
  }
  return all;
}

interface EventRecord {
  readonly seq: number;
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export function recordOf(update: SessionUpdate | undefined): EventRecord | undefined {
  return update?._meta?.["acumen/event"] as EventRecord | undefined;
}

function pieceOf(update: SessionUpdate): string {
  const isChunk = "messageId" in update && "content" in update;
  return isChunk && update.content.type === "text" ? update.content.text : "";
}

/** A message of the model, at the place of its first piece. */
interface Message {
  text: string;
  record?: EventRecord;
}

/** Without what is defined to differ between live and replay: pieces of texts, in_progress, prompts, timestamps. */
export function comparable(updates: readonly SessionUpdate[]): unknown[] {
  const messages = new Map<string, Message>();
  const shown = updates.flatMap((update): unknown[] => {
    const record = recordOf(update);
    if (update.sessionUpdate === "tool_call_update" && update.status === "in_progress") return [];
    if (record?.type === "USER_MESSAGE") return [];
    const isPiece = record === undefined && "messageId" in update;
    if (isPiece || record?.type === "ASSISTANT_MESSAGE") {
      const id = String(isPiece ? update.messageId : record?.payload["message_id"]);
      const known = messages.get(id);
      const message = known ?? { text: "" };
      messages.set(id, message);
      message.text += pieceOf(update);
      if (record !== undefined) message.record = record;
      return known === undefined ? [message] : [];
    }
    const { updatedAt: _time, ...rest } = update as SessionUpdate & { updatedAt?: string };
    return [rest];
  });
  const unfinished = new Set<unknown>(
    [...messages.values()].filter(({ record }) => record === undefined),
  );
  return shown.filter((one) => !unfinished.has(one));
}
