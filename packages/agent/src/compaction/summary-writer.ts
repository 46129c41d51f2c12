import {
  addUsage,
  type CallNote,
  type Model,
  modelError,
  modelFailureKind,
  NO_USAGE,
  type RetryNotice,
  type Usage,
} from "@acumen/models";
import { AcumenError, untilAborted } from "@acumen/core";
import { messagesOf, withMarks, withRequest } from "../conversation/conversation.ts";
import type { Entry, History } from "../conversation/history.ts";
import type { ConversationTarget } from "../conversation/model-parts.ts";
import { compactionPrompt } from "./compaction-prompt.ts";
import { estimateMessages, estimateRequestTokens, type ModelTools } from "./estimate-tokens.ts";

interface SummaryWriterOptions {
  readonly model: Model;
  readonly target: ConversationTarget;
  readonly system: string;
  readonly tools: ModelTools;
  /** Of the model, in tokens. */
  readonly window: number;
  /** Of an answer, in tokens. */
  readonly maxOutputTokens: number;
  /** What a service counts where the estimate says 1. */
  readonly scale: number;
  readonly note?: CallNote;
  readonly signal?: AbortSignal;
  readonly onRetry?: (notice: RetryNotice) => void;
}

/** A part of a history that one request can hold. */
interface Piece {
  readonly entries: readonly Entry[];
  readonly leftOut: number;
}

/** Below this a summary is cut off before it says anything useful. */
const MIN_OUTPUT_TOKENS = 2_000;
const MAX_OUTPUT_TOKENS = 12_000;
const MAX_WORDS = 1_500;
const WORDS_PER_TOKEN = 0.4;
const MAX_SUMMARY_CHARS = 40_000;
/** Of a text in a history that is summarised in pieces. */
const MAX_TEXT_CHARS = 4_000;
/** Older pieces are left out and counted: each one is a call of its own. */
const MAX_PIECES = 12;
/** Parts of the room that a request may fill; less after the service said that it was too much. */
const SHARES = [0.95, 0.5, 0.25];

const NO_TEXT =
  "Your last answer held no summary. Answer with the summary as text, and with nothing else.";
const TOO_LONG = "Your last answer was cut off at the output limit. Write at most half as much.";
const CUT_OFF = "[The summary was cut off here.]";

/** Has a model sum up a history, in several requests where one cannot hold it. */
export class SummaryWriter {
  readonly #options: SummaryWriterOptions;
  readonly #maxOutputTokens: number;
  readonly #words: number;
  #usage: Usage = NO_USAGE;

  constructor(options: SummaryWriterOptions) {
    this.#options = options;
    const { window, maxOutputTokens } = options;
    const wanted = Math.min(maxOutputTokens, MAX_OUTPUT_TOKENS, Math.floor(window / 8));
    this.#maxOutputTokens = Math.max(MIN_OUTPUT_TOKENS, wanted);
    this.#words = Math.min(MAX_WORDS, Math.floor(this.#maxOutputTokens * WORDS_PER_TOKEN));
  }

  /** Of all calls so far, failed ones included as far as they were counted. */
  get usage(): Usage {
    return this.#usage;
  }

  /** @throws MODEL_FAILED; the abort's error */
  async write(history: History, attempt = 0): Promise<string> {
    const { window, scale } = this.#options;
    const room = ((window - this.#maxOutputTokens) * (SHARES[attempt] ?? 0)) / scale;
    try {
      return attempt === 0 && this.#estimate(history) <= room
        ? await this.#ask(history, 0)
        : await this.#inPieces(history, room);
    } catch (error) {
      const isTooLong =
        AcumenError.isInstance(error) && modelFailureKind(error) === "context_length";
      if (!isTooLong || attempt + 1 === SHARES.length) throw error;
    }
    return this.write(history, attempt + 1);
  }

  /** Each summary is the beginning of what the next one sums up. */
  async #inPieces(history: History, room: number): Promise<string> {
    let { summary } = history;
    let text = "";
    for (const { entries, leftOut } of this.#piecesOf(history, room)) {
      const { previewBefore } = history;
      const piece = { previewBefore, entries, ...(summary !== undefined && { summary }) };
      text = await this.#ask(piece, leftOut, MAX_TEXT_CHARS);
      summary = { text, requests: [] };
    }
    return text;
  }

  /** The newest pieces, at least one. An entry that would fill a request alone is left out, and what is older than the pieces kept. */
  #piecesOf(history: History, room: number): Piece[] {
    const around = this.#estimate({ ...history, entries: [] });
    const summaryRoom = this.#maxOutputTokens / this.#options.scale;
    const forEntries = room - around - summaryRoom;
    const pieces: { entries: Entry[]; tokens: number; leftOut: number }[] = [];
    let leftOut = 0;
    for (const entry of history.entries) {
      const tokens = estimateMessages(
        this.#render({ ...history, entries: [entry] }, MAX_TEXT_CHARS),
      );
      const last = pieces.at(-1);
      if (tokens > forEntries) leftOut += 1;
      else if (last !== undefined && last.tokens + tokens <= forEntries) {
        last.entries.push(entry);
        last.tokens += tokens;
        last.leftOut += leftOut;
        leftOut = 0;
      } else {
        pieces.push({ entries: [entry], tokens, leftOut });
        leftOut = 0;
      }
    }
    if (pieces.length === 0) return [{ entries: [], leftOut }];
    const kept = pieces.slice(-MAX_PIECES);
    const dropped = pieces.slice(0, -MAX_PIECES);
    const older = dropped.reduce((sum, piece) => sum + piece.entries.length + piece.leftOut, 0);
    return kept.map((piece, index) => ({
      entries: piece.entries,
      leftOut:
        piece.leftOut + (index === 0 ? older : 0) + (index === kept.length - 1 ? leftOut : 0),
    }));
  }

  #render(history: History, maxChars?: number): ReturnType<typeof messagesOf> {
    const { target } = this.#options;
    const { previewBefore } = history;
    return messagesOf(history, {
      target,
      previewBefore,
      ...(maxChars !== undefined && { maxChars }),
    });
  }

  #estimate(history: History): number {
    const { system, tools } = this.#options;
    const request = compactionPrompt({ words: this.#words, leftOut: 0 });
    const messages = withRequest(this.#render(history), request);
    return estimateRequestTokens({ system, tools, messages });
  }

  /** One summary. An answer without text, or one that was cut off, is asked for once more. */
  async #ask(history: History, leftOut: number, maxChars?: number): Promise<string> {
    const { model, system, tools, note, signal, onRetry } = this.#options;
    const conversation = withMarks(this.#render(history, maxChars));
    let best = "";
    let reminder: string | undefined;
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const prompt = compactionPrompt({
        words: this.#words,
        leftOut,
        ...(reminder !== undefined && { reminder }),
      });
      const answer = model.generate({
        messages: [{ role: "system", content: system }, ...withRequest(conversation, prompt)],
        maxOutputTokens: this.#maxOutputTokens,
        // Calls in the history need their tools declared; none of them may be called now.
        ...(tools.length > 0 && { tools, toolChoice: { type: "none" } }),
        note: { ...note, purpose: "compaction" },
        ...(signal !== undefined && { signal }),
        ...(onRetry !== undefined && { onRetry }),
      });
      const reply = await untilAborted(answer, signal);
      this.#usage = addUsage(this.#usage, reply.usage);
      const text = reply.finishReason === "content-filter" ? "" : reply.text.trim();
      if (text !== "" && reply.finishReason !== "length") return text.slice(0, MAX_SUMMARY_CHARS);
      if (text !== "") best = `${text.slice(0, MAX_SUMMARY_CHARS)}\n${CUT_OFF}`;
      reminder = text === "" ? NO_TEXT : TOO_LONG;
    }
    if (best !== "") return best;
    throw modelError(
      `The model ${model.id} wrote no summary of the conversation, twice. Try again, or go on with another model.`,
      { provider: model.provider, model: model.model, kind: "invalid_output", retryable: true },
    );
  }
}
