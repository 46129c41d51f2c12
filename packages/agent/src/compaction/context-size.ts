import type { Model } from "@acumen/models";
import type { ConversationTarget } from "../conversation/model-parts.ts";
import { continuationRequest, restoredNote } from "../conversation/notes.ts";
import type { SessionEvent } from "../events/session-event.ts";
import { estimateBlocks, estimateJson, estimateText } from "./estimate-tokens.ts";

/** Tokens that are taken to fit where nothing is known about the model. */
const DEFAULT_CONTEXT_WINDOW = 128_000;
/** For what estimates get wrong, as a share of the window. */
const MARGIN = 0.05;
/** The answer never takes more than this share of the window from the conversation. */
const MAX_RESERVE = 0.5;

/** The model that conversations are rendered for. Images go only to models that are known to see them. */
export function targetOf({ provider, model, capabilities }: Model): ConversationTarget {
  return { provider, model, vision: capabilities.vision === true };
}

export interface WindowRoom {
  /** Tokens of input and output together. */
  readonly window: number;
  /** Above this many tokens of input a conversation is compacted. */
  readonly limit: number;
}

/** Room for a conversation: the window without the answer and a margin. */
export function windowRoom({ capabilities }: Model, maxOutputTokens: number): WindowRoom {
  const window = capabilities.contextWindow ?? DEFAULT_CONTEXT_WINDOW;
  const reserve = Math.min(maxOutputTokens + window * MARGIN, window * MAX_RESERVE);
  return { window, limit: Math.floor(window - reserve) };
}

/**
 * Tokens of the next request: what the service counted last (`context_tokens` of USAGE, or `tokens_after` of a COMPACT
 * behind it) and an estimate of what was added since. Undefined while nothing was counted.
 */
export function countedTokens(events: readonly SessionEvent[]): number | undefined {
  const counted = events.findLast(isCount);
  const base = counted === undefined ? 0 : countOf(counted);
  return counted === undefined || base === 0 ? undefined : base + addedSince(events, counted);
}

type Count = SessionEvent<"USAGE"> | SessionEvent<"COMPACT">;

function isCount(event: SessionEvent): event is Count {
  return event.type === "USAGE" || event.type === "COMPACT";
}

function countOf(event: Count): number {
  return event.type === "USAGE" ? event.payload.context_tokens : event.payload.tokens_after;
}

/** What the service has not counted yet. Its answer counts as output, wherever its events stand. */
function addedSince(events: readonly SessionEvent[], counted: Count): number {
  return events.reduce((sum, event) => {
    const ofCounted =
      counted.type === "USAGE" && event.turn_id === counted.turn_id && event.step === counted.step;
    const isLater = event.seq > counted.seq;
    if (event.type === "TOOL_RESULT") {
      return isLater || ofCounted ? sum + estimateBlocks(event.payload.output) : sum;
    }
    const isOutput = event.type === "ASSISTANT_MESSAGE" || event.type === "TOOL_CALL";
    return isLater && !(isOutput && ofCounted) ? sum + estimateAdded(event) : sum;
  }, 0);
}

function estimateAdded(event: SessionEvent): number {
  if (event.type === "USER_MESSAGE")
    return event.turn_id === null ? 0 : estimateBlocks(event.payload.content);
  if (event.type === "ASSISTANT_MESSAGE") return estimateText(event.payload.text);
  if (event.type === "TOOL_CALL") return estimateJson(event.payload.input);
  if (event.type === "AUTO_CONTINUE")
    return estimateText(continuationRequest(event.payload.reason));
  if (event.type === "FILES_RESTORED") return estimateText(restoredNote(event.payload.paths));
  return 0;
}
