import { AcumenError, untilAborted } from "@acumen/core";
import {
  type CallNote,
  type Model,
  type ModelMessages,
  modelFailureKind,
  type ModelRequest,
  type RetryNotice,
  type ThoughtLevel,
} from "@acumen/models";
import type { ExposedTool } from "../tools/tool-registry.ts";
import type { RedactionStream, Redactor } from "../redaction/redactor.ts";
import { ModelStep, type ShowDelta } from "./model-step.ts";
import { modelTools } from "./model-tools.ts";
import type { SinkChannel } from "./sink-channel.ts";

export interface ModelCallerOptions {
  readonly turnId: string;
  readonly signal: AbortSignal;
  readonly sink: SinkChannel;
  readonly note: CallNote;
  /** For what is shown while it comes; the log has a redaction of its own. */
  readonly redact: Redactor;
}

export interface StepRequest {
  readonly model: Model;
  readonly messages: ModelMessages;
  readonly tools: readonly ExposedTool[];
  /** Undefined: the model's default. */
  readonly thoughtLevel: ThoughtLevel | undefined;
}

/** An answer that did not come to its end. */
export interface BrokenAnswer {
  readonly error: unknown;
  readonly step: ModelStep;
}

/** Answers that broke off after their first words; before them the models package tries again by itself. */
const MAX_ATTEMPTS = 3;
const RETRY_BASE_MS = 250;

/** Asks the model for one answer and shows it while it comes. */
export class ModelCaller {
  readonly #options: ModelCallerOptions;
  /** Of messages that are still coming. */
  readonly #shown = new Map<string, RedactionStream>();
  /** Attempts of the call that failed before the one that runs. */
  #failed = 0;

  constructor(options: ModelCallerOptions) {
    this.#options = options;
  }

  /** Number of the attempt that ran last, from 1; those that the models package repeats by itself count too. */
  get attempt(): number {
    return this.#failed + 1;
  }

  /** What comes is another call, whose attempts are counted anew. */
  beginCall(): void {
    this.#failed = 0;
  }

  /** Never throws what the model throws: it comes back with what was whole of the answer. */
  async ask(request: StepRequest): Promise<ModelStep | BrokenAnswer> {
    const { signal } = this.#options;
    this.beginCall();
    for (let attempt = 1; ; attempt += 1) {
      this.#shown.clear();
      const step = new ModelStep(this.#showDelta);
      try {
        await untilAborted(step.read(request.model.stream(this.#requestOf(request))), signal);
        return step;
      } catch (error) {
        const mayRetry =
          step.said &&
          attempt < MAX_ATTEMPTS &&
          AcumenError.isInstance(error) &&
          error.retryable &&
          modelFailureKind(error) !== undefined;
        if (signal.aborted || !mayRetry) return { error, step };
        const delayMs = RETRY_BASE_MS * 2 ** (attempt - 1);
        this.#tellRetry(delayMs, error);
        await pause(delayMs, signal);
        if (signal.aborted) return { error, step };
      }
    }
  }

  #requestOf({ messages, tools, thoughtLevel }: StepRequest): ModelRequest {
    const { signal, note } = this.#options;
    return {
      messages,
      tools: modelTools(tools),
      ...(thoughtLevel !== undefined && { thoughtLevel }),
      note,
      signal,
      onRetry: ({ delayMs, error }) => this.#tellRetry(delayMs, error),
    };
  }

  readonly #showDelta: ShowDelta = ({ messageId, kind }, text, last) => {
    const { sink, turnId, redact, signal } = this.#options;
    // A stream that does not listen to the signal goes on for a while.
    if (!sink.takesUpdates || signal.aborted) return undefined;
    const stream = this.#shown.get(messageId) ?? redact.stream();
    this.#shown.set(messageId, stream);
    const safe = stream.push(text) + (last ? stream.end() : "");
    if (last) this.#shown.delete(messageId);
    if (safe === "") return undefined;
    return sink.update({
      type: "delta",
      turn_id: turnId,
      message_id: messageId,
      kind,
      text: safe,
    });
  };

  /** Of a call that is made elsewhere, and of the calls behind it: each begins with attempt 1. */
  tellRetry({ attempt, delayMs, error }: RetryNotice): void {
    this.#failed = attempt - 1;
    this.#tellRetry(delayMs, error);
  }

  #tellRetry(delayMs: number, { message }: Error): void {
    this.#failed += 1;
    const { turnId, sink, redact } = this.#options;
    void sink.update({
      type: "model_retry",
      turn_id: turnId,
      attempt: this.#failed,
      delay_ms: delayMs,
      message: redact(message),
    });
  }
}

/** Ends early, without an error, when the signal aborts. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", done, { once: true });
    if (signal.aborted) done();
  });
}
