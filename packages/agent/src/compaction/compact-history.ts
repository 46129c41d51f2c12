import { AcumenError, throwIfAborted } from "@acumen/core";
import {
  type CallNote,
  type Model,
  modelFailureKind,
  NO_USAGE,
  type RetryNotice,
  type Usage,
} from "@acumen/models";
import { conversationOf } from "../conversation/conversation.ts";
import { type History, historyOf } from "../conversation/history.ts";
import type { EventDraft, SessionEvent } from "../events/session-event.ts";
import { type Cut, cutsOf, type Measure, planPreviews } from "./compaction-plan.ts";
import { countedTokens, targetOf, type WindowRoom, windowRoom } from "./context-size.ts";
import { estimateRequestTokens, type ModelTools } from "./estimate-tokens.ts";
import { SummaryWriter } from "./summary-writer.ts";

export interface CompactOptions {
  /** The whole log. */
  readonly events: readonly SessionEvent[];
  /** Turn in which the COMPACT events will be recorded; null outside of turns. */
  readonly turnId: string | null;
  readonly model: Model;
  /** System text and tools of the session's requests. */
  readonly system: string;
  readonly tools: ModelTools;
  /** Of the session's requests, in tokens. */
  readonly maxOutputTokens: number;
  /**
   * Compact although the numbers say that it fits: on demand, or because the service said that it does not. Outside of a
   * turn everything is summed up, inside of one all but the newest part.
   */
  readonly force?: boolean;
  readonly note?: CallNote;
  readonly signal?: AbortSignal;
  readonly onRetry?: (notice: RetryNotice) => void;
}

/**
 * `fits`: nothing to do. `compacted`: record the drafts in their order, and behind what the summary cost. `context_full`:
 * not even a summary gets the conversation under the window. `failed`: the model gave no summary; the history stays as it
 * is, and the call may be made again when `error.retryable`.
 */
export type Compaction =
  | {
      readonly state: "fits" | "compacted" | "context_full";
      readonly drafts: readonly EventDraft<"COMPACT">[];
      /** Of the calls for summaries. */
      readonly usage: Usage;
      /** Tokens of the next request, as far as they are known. */
      readonly contextTokens: number;
    }
  | {
      readonly state: "failed";
      readonly drafts: readonly [];
      readonly usage: Usage;
      readonly contextTokens: number;
      readonly error: AcumenError;
    };

/** Shares of the room that a checkpoint leaves to the newest part of the history. */
const KEPT = 0.25;
const KEPT_BY_FORCE = 0.1;
/** A summary is taken to be as long as this before it is written. */
const SUMMARY_TOKENS = 3_000;
const SUMMARY_SHARE = 1 / 8;

/**
 * Makes room in a conversation when the next request would not fit: outputs of old calls become previews, and where that
 * is not enough, older turns and steps become a summary that the model writes. Decides by what the service counted last
 * and an estimate of what was added since. A window that is not known is taken for 128,000 tokens.
 * @throws the abort's error
 */
export async function compactHistory(options: CompactOptions): Promise<Compaction> {
  const { events, model, system, tools, force = false } = options;
  const target = targetOf(model);
  const room = windowRoom(model, options.maxOutputTokens);
  const counted = countedTokens(events);
  const fits = (contextTokens: number): Compaction => ({
    state: "fits",
    drafts: [],
    usage: NO_USAGE,
    contextTokens,
  });
  if (!force && counted !== undefined && counted <= room.limit) return fits(counted);
  const messages = conversationOf(events, target);
  const estimate = estimateRequestTokens({ system, tools, messages });
  const tokens = counted ?? estimate;
  if (!force && tokens <= room.limit) return fits(tokens);
  const scale = Math.min(MAX_SCALE, Math.max(MIN_SCALE, tokens / estimate));
  const work = new CompactionWork(options, room, tokens, { target, scale });
  return force ? work.checkpoint() : (work.previews() ?? work.checkpoint());
}

/** Counts of services and estimates differ by tokenizer and by what cannot be seen; beyond this it is a fault. */
const MIN_SCALE = 0.1;
const MAX_SCALE = 3;

class CompactionWork {
  readonly #options: CompactOptions;
  readonly #room: WindowRoom;
  readonly #tokens: number;
  readonly #measure: Measure;
  readonly #history: History;

  constructor(options: CompactOptions, room: WindowRoom, tokens: number, measure: Measure) {
    this.#options = options;
    this.#room = room;
    this.#tokens = tokens;
    this.#measure = measure;
    this.#history = historyOf(options.events);
  }

  previews(): Compaction | undefined {
    const plan = planPreviews(this.#history, this.#tokens, this.#room.limit, this.#measure);
    if (plan === undefined) return undefined;
    const { keptFromSeq, calls, tokensAfter } = plan;
    const summary = `Outputs of ${calls} earlier tool calls became previews.`;
    const draft = this.#draft("tool_previews", keptFromSeq, summary, tokensAfter);
    return {
      state: "compacted",
      drafts: [draft],
      usage: NO_USAGE,
      contextTokens: tokensAfter,
    };
  }

  async checkpoint(): Promise<Compaction> {
    const before = { drafts: [], contextTokens: this.#tokens } as const;
    const cut = this.#chooseCut();
    if (typeof cut === "string") return { state: cut, usage: NO_USAGE, ...before };
    const { model, onRetry, note, signal, system, tools, maxOutputTokens } = this.#options;
    const writer = new SummaryWriter({
      model,
      system,
      tools,
      maxOutputTokens,
      window: this.#room.window,
      ...this.#measure,
      ...(note !== undefined && { note }),
      ...(signal !== undefined && { signal }),
      ...(onRetry !== undefined && { onRetry }),
    });
    try {
      const older = { ...this.#history, entries: this.#history.entries.slice(0, cut.index) };
      const drafts = this.#checkpointDrafts(cut, await writer.write(older));
      throwIfAborted(signal);
      const { usage } = writer;
      const after = drafts.at(-1)?.payload.tokens_after ?? 0;
      return after <= this.#room.limit
        ? { state: "compacted", drafts, usage, contextTokens: after }
        : { state: "context_full", usage, ...before };
    } catch (error) {
      if (!AcumenError.isInstance(error) || modelFailureKind(error) === undefined) throw error;
      return { state: "failed", usage: writer.usage, error, ...before };
    }
  }

  /** The first cut that makes enough room, before a summary is paid for. */
  #chooseCut(): Cut | "fits" | "context_full" {
    const { events, turnId, force = false } = this.#options;
    const { limit } = this.#room;
    const lastSeq = events.at(-1)?.seq ?? 0;
    const { entries } = this.#history;
    if (force && turnId === null) {
      const all = { index: entries.length, keptFromSeq: lastSeq + 1, previewAll: false };
      return entries.length === 0 ? "fits" : all;
    }
    const keep = limit * (force ? KEPT_BY_FORCE : KEPT);
    const cuts = cutsOf(this.#history, keep, this.#measure, lastSeq);
    if (force && cuts.length === 0) return "fits";
    const tokens = Math.min(SUMMARY_TOKENS, limit * SUMMARY_SHARE) / this.#measure.scale;
    const summary = "word ".repeat(Math.ceil(tokens * 0.7));
    return cuts.find((cut) => this.#sizeWith(cut, summary) <= limit) ?? "context_full";
  }

  #checkpointDrafts(cut: Cut, summary: string): EventDraft<"COMPACT">[] {
    const size = this.#sizeWith(cut, summary);
    const lastSeq = this.#options.events.at(-1)?.seq ?? 0;
    return [
      this.#draft("checkpoint", cut.keptFromSeq, summary, size),
      ...(cut.previewAll
        ? [this.#draft("tool_previews", lastSeq + 1, "All outputs became previews.", size)]
        : []),
    ];
  }

  /** Tokens of the next request after a cut. */
  #sizeWith(cut: Cut, summary: string): number {
    const { events, turnId, system, tools } = this.#options;
    const [first] = events;
    const lastSeq = events.at(-1)?.seq ?? 0;
    if (first === undefined) return 0;
    const compact = (
      strategy: "checkpoint" | "tool_previews",
      keptFromSeq: number,
    ): SessionEvent => ({
      ...first,
      seq: lastSeq + 1,
      turn_id: turnId,
      ...this.#draft(strategy, keptFromSeq, summary, 0),
    });
    const compacted = [
      ...events,
      compact("checkpoint", cut.keptFromSeq),
      ...(cut.previewAll ? [compact("tool_previews", lastSeq + 1)] : []),
    ];
    const messages = conversationOf(compacted, this.#measure.target);
    return Math.ceil(estimateRequestTokens({ system, tools, messages }) * this.#measure.scale);
  }

  #draft(
    strategy: "checkpoint" | "tool_previews",
    keptFromSeq: number,
    summary: string,
    tokensAfter: number,
  ): EventDraft<"COMPACT"> {
    return {
      type: "COMPACT",
      payload: {
        tokens_before: this.#tokens,
        tokens_after: tokensAfter,
        strategy,
        summary,
        kept_from_seq: keptFromSeq,
      },
    };
  }
}
