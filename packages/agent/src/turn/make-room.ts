import {
  type CallNote,
  defaultMaxOutputTokens,
  type Model,
  type RetryNotice,
} from "@acumen/models";
import { type Compaction, compactHistory } from "../compaction/compact-history.ts";
import type { EventDraft, SessionEvent } from "../events/session-event.ts";
import type { ExposedTool } from "../tools/tool-registry.ts";
import { modelTools } from "./model-tools.ts";
import { usagePayload } from "./usage-payload.ts";

export interface RoomOptions {
  readonly events: readonly SessionEvent[];
  /** Null outside of turns. */
  readonly turnId: string | null;
  readonly model: Model;
  /** The whole system prompt. */
  readonly system: string;
  readonly tools: readonly ExposedTool[];
  readonly record: (draft: EventDraft) => Promise<SessionEvent>;
  readonly signal: AbortSignal;
  readonly note: CallNote;
  /** Compact although the numbers say that it fits. */
  readonly force?: boolean;
  readonly onRetry?: (notice: RetryNotice) => void;
}

/** Compacts the history when the next request would not fit, and records that. @throws the abort's error, the store's error */
export async function makeRoom(options: RoomOptions): Promise<Compaction> {
  const { events, turnId, model, system, tools, record, signal, note, force, onRetry } = options;
  const compaction = await compactHistory({
    events,
    turnId,
    model,
    system,
    tools: modelTools(tools),
    maxOutputTokens: defaultMaxOutputTokens(model.capabilities),
    note,
    signal,
    ...(force !== undefined && { force }),
    ...(onRetry !== undefined && { onRetry }),
  });
  const { drafts, usage, contextTokens } = compaction;
  for (const draft of drafts) await record(draft);
  if (usage.inputTokens + usage.outputTokens > 0) {
    // What the next request will hold, not what the summary's own request held.
    const payload = usagePayload(model, usage, contextTokens);
    await record({ type: "USAGE", payload });
  }
  return compaction;
}
