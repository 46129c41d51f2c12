import { callResult } from "../conversation/call-result.ts";
import { messagesOf } from "../conversation/conversation.ts";
import { type Call, callsOf, type Entry, type History } from "../conversation/history.ts";
import type { ConversationTarget } from "../conversation/model-parts.ts";
import { estimateJson, estimateMessages, IMAGE_TOKENS } from "./estimate-tokens.ts";

/** A compaction has to free so much that the next one is not due at once. */
const AIM = 0.7;

export interface Measure {
  readonly target: ConversationTarget;
  /** What a service counts where the estimate says 1. */
  readonly scale: number;
}

/** From which seq on outputs stay whole, when previews of older ones free enough; the newest step stays whole. */
export function planPreviews(
  { entries, previewBefore }: History,
  tokens: number,
  limit: number,
  measure: Measure,
):
  | { readonly keptFromSeq: number; readonly calls: number; readonly tokensAfter: number }
  | undefined {
  const newest = entries.findLast((entry) => callsOf([entry]).length > 0);
  let tokensAfter = tokens;
  let calls = 0;
  for (const call of callsOf(entries)) {
    const { seq } = call.event;
    if (newest === undefined || seq >= newest.seq) return undefined;
    if (seq < previewBefore) continue;
    tokensAfter -= savingOf(call, measure);
    calls += 1;
    if (tokensAfter <= limit * AIM) {
      return { keptFromSeq: seq + 1, calls, tokensAfter: Math.ceil(tokensAfter) };
    }
  }
  return undefined;
}

function savingOf(call: Call, { target, scale }: Measure): number {
  const tokensAs = (previewBefore: number): number => {
    const { output, images } = callResult(call, { target, previewBefore });
    return estimateJson(output) + images.length * IMAGE_TOKENS;
  };
  return (tokensAs(0) - tokensAs(Number.POSITIVE_INFINITY)) * scale;
}

/** A place where the history can be cut: entries from `index` on are kept. */
export interface Cut {
  readonly index: number;
  readonly keptFromSeq: number;
  /** The outputs of the kept entries become previews too. */
  readonly previewAll: boolean;
}

/**
 * Cuts to try, the best first: a recent part of at most `keepTokens`; the newest step or prompt alone; the same with
 * previews; nothing at all. A prompt that nothing was answered to is always kept, and no cut parts a call from its result.
 */
export function cutsOf(
  { entries, previewBefore }: History,
  keepTokens: number,
  { target, scale }: Measure,
  lastSeq: number,
): Cut[] {
  const waiting = waitingFrom(entries);
  const places = placesOf(entries).filter((index) => index <= waiting);
  const isPlace = new Set(places);
  const newest = places.at(-1) ?? 0;
  let kept = 0;
  let recent: number | undefined;
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const messages = messagesOf(
      { entries: entries.slice(index, index + 1) },
      { target, previewBefore },
    );
    kept += estimateMessages(messages) * scale;
    if (kept > keepTokens) break;
    if (isPlace.has(index)) recent = index;
  }
  const cutAt = (index: number, previewAll: boolean): Cut => ({
    index,
    keptFromSeq: entries[index]?.seq ?? lastSeq + 1,
    previewAll,
  });
  const cuts = [
    ...(recent === undefined ? [] : [cutAt(recent, false)]),
    cutAt(newest, false),
    cutAt(newest, true),
    ...(waiting === entries.length ? [cutAt(entries.length, false)] : []),
  ];
  return cuts.filter(({ index }) => index > 0);
}

/** Index of the first of the last entries that no step answered; the number of entries when a step is the last one. */
function waitingFrom(entries: readonly Entry[]): number {
  return entries.findLastIndex(({ type }) => type === "step") + 1;
}

/** Indexes where everything before has ended. */
function placesOf(entries: readonly Entry[]): number[] {
  let end = 0;
  return entries.flatMap((entry, index) => {
    const isPlace = end < entry.seq;
    end = Math.max(end, endOf(entry));
    return isPlace ? [index] : [];
  });
}

/** Seq of the last event that belongs to an entry. */
function endOf(entry: Entry): number {
  if (entry.type !== "step") return entry.seq;
  const seqs = entry.parts.map((part) =>
    "event" in part ? (part.result ?? part.event).seq : part.seq,
  );
  return Math.max(entry.seq, ...seqs);
}
