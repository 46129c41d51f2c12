import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  LanguageModelV3StreamResult,
} from "@ai-sdk/provider";
import type { AcumenError, Logger } from "@acumen/core";
import type { ModelCapabilities } from "../capabilities.ts";
import { classify, type FailureContext } from "../failure/classify.ts";
import type { ModelId } from "../model-id.ts";
import type { RetryNotice } from "../model-types.ts";
import type { OpenedModel, StructuredOutput } from "../providers/opened-model.ts";
import { checkThoughtLevel, chosenLevel } from "../reasoning/chosen-level.ts";
import { ToolSchemas } from "../tools/tool-schemas.ts";
import { concede, type Concessions, united } from "./concessions.ts";
import { Deadline } from "./deadline.ts";
import { prepareCall } from "./prepare-call.ts";
import { type RetryPolicy, withRetries } from "./retry.ts";
import { checkFinish, guardStream, isSaid } from "./stream-guard.ts";

export interface Timeouts {
  /** A whole answer, or a streamed one up to its first words, in milliseconds. */
  readonly answerMs: number;
  /** Between two parts of a stream that has begun to speak. */
  readonly idleMs: number;
}

/** Long thinking without a word takes minutes; Node's own client gives up after 300 s. */
export const DEFAULT_TIMEOUTS: Timeouts = { answerMs: 290_000, idleMs: 120_000 };

export interface ModelCallsOptions {
  readonly id: ModelId;
  readonly opened: OpenedModel;
  readonly capabilities: ModelCapabilities;
  readonly failure: FailureContext;
  readonly retry: RetryPolicy;
  readonly timeouts: Timeouts;
  readonly logger: Logger;
}

type OnRetry = ((notice: RetryNotice) => void) | undefined;
type Parts = AsyncGenerator<LanguageModelV3StreamPart, void, undefined>;

/** A provider's model with deadlines, classified errors, retries and whole answers only. */
export class ModelCalls {
  readonly #options: ModelCallsOptions;
  readonly #model: LanguageModelV3;
  readonly #schemas: ToolSchemas;
  #concessions: Concessions;

  constructor(options: ModelCallsOptions) {
    this.#options = options;
    this.#schemas = new ToolSchemas(options.opened.traits.toolSchemas);
    this.#model = options.opened.languageModel;
    this.#concessions = {
      structuredOutput: options.opened.traits.structuredOutput,
      noTemperature: false,
    };
  }

  /** The answer, and how it was asked for when it had to be JSON. */
  async generate(
    call: LanguageModelV3CallOptions,
    onRetry?: OnRetry,
  ): Promise<{
    readonly result: LanguageModelV3GenerateResult;
    readonly structuredOutput: StructuredOutput;
  }> {
    const { value, sent } = await this.#run(call, onRetry, async (options, deadline) => {
      try {
        const work = this.#model.doGenerate(options);
        const result = await deadline.wait(work, this.#options.timeouts.answerMs);
        checkFinish(result.finishReason, this.#options.id, result.content.length > 0);
        return result;
      } finally {
        deadline.end();
      }
    });
    return { result: value, structuredOutput: sent.structuredOutput };
  }

  /** Asks again only while nothing was said yet. */
  async stream(
    call: LanguageModelV3CallOptions,
    onRetry?: OnRetry,
  ): Promise<LanguageModelV3StreamResult> {
    const { value } = await this.#run(call, onRetry, (options, deadline) =>
      this.#open(options, deadline),
    );
    const { result, head, parts } = value;
    const whole = this.#whole(head, parts, call.abortSignal);
    return { ...result, stream: readable(whole, () => parts.return()) };
  }

  async #open(
    options: LanguageModelV3CallOptions,
    deadline: Deadline,
  ): Promise<{
    result: LanguageModelV3StreamResult;
    head: LanguageModelV3StreamPart[];
    parts: Parts;
  }> {
    const { answerMs, idleMs } = this.#options.timeouts;
    const wordsBy = performance.now() + answerMs;
    try {
      const result = await deadline.wait(this.#model.doStream(options), answerMs);
      const limits = { wordsBy, idleMs };
      const parts = guardStream(result.stream, this.#options.id, deadline, limits);
      const head: LanguageModelV3StreamPart[] = [];
      for (;;) {
        const { done, value } = await parts.next();
        if (done === true) break;
        head.push(value);
        if (isSaid(value)) break;
      }
      return { result, head, parts };
    } catch (error) {
      deadline.end();
      throw error;
    }
  }

  async *#whole(
    head: readonly LanguageModelV3StreamPart[],
    parts: Parts,
    signal: AbortSignal | undefined,
  ): Parts {
    try {
      for (const part of head) {
        signal?.throwIfAborted();
        yield part;
      }
      yield* parts;
    } catch (error) {
      throw this.#classify(error, signal);
    } finally {
      // Before the head is through, the guard has not been entered by `yield*` and would not be closed with it.
      await parts.return();
    }
  }

  async #run<T>(
    call: LanguageModelV3CallOptions,
    onRetry: OnRetry,
    attempt: (options: LanguageModelV3CallOptions, deadline: Deadline) => Promise<T>,
  ): Promise<{ readonly value: T; readonly sent: Concessions }> {
    const { retry, capabilities, opened, logger, id } = this.#options;
    const signal = call.abortSignal;
    const called = { model: id.model, traits: opened.traits, capabilities };
    checkThoughtLevel(chosenLevel(call), id, capabilities);
    // Of this call: calls at the same time learn too, and would change what the model knows under it.
    let sent = this.#concessions;
    const once = (): Promise<T> =>
      withRetries(
        async (number) => {
          const deadline = new Deadline(signal);
          sent = this.#concessions;
          const prepared = prepareCall(call, called, sent, this.#schemas);
          const note = opened.traits.takesNote === true ? { attempt: number } : undefined;
          return attempt({ ...withNote(prepared, note), abortSignal: deadline.signal }, deadline);
        },
        {
          policy: retry,
          classify: (error) => this.#classify(error, signal),
          signal,
          onRetry: (notice) => {
            const { attempt: failed, delayMs, error } = notice;
            logger.warn("model call is retried", {
              ...id,
              attempt: failed,
              delay_ms: delayMs,
              kind: error.details["kind"],
            });
            onRetry?.(notice);
          },
        },
      );
    for (;;) {
      try {
        return { value: await once(), sent };
      } catch (error) {
        const simpler = concede(call, error as AcumenError, sent);
        if (simpler === undefined) throw error;
        this.#learn(simpler);
      }
    }
  }

  #classify(error: unknown, signal: AbortSignal | undefined): AcumenError {
    return classify(error, this.#options.failure, signal);
  }

  /** Logged once, however many calls were refused together. */
  #learn(simpler: Concessions): void {
    const all = united(this.#concessions, simpler);
    if (all === this.#concessions) return;
    this.#concessions = all;
    this.#options.logger.info("model call is repeated in a simpler form", {
      ...this.#options.id,
      structured_output: all.structuredOutput,
      temperature: !all.noTemperature,
    });
  }
}

/** `ReadableStream.from` would not end the request when nobody reads: a generator that never began has no `finally`. */
function readable(
  parts: Parts,
  onCancel: () => Promise<unknown>,
): ReadableStream<LanguageModelV3StreamPart> {
  return new ReadableStream<LanguageModelV3StreamPart>(
    {
      pull: async (controller) => {
        const { done, value } = await parts.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => {
        await parts.return();
        await onCancel();
      },
    },
    { highWaterMark: 0 },
  );
}

function withNote(
  call: LanguageModelV3CallOptions,
  note: { readonly attempt: number } | undefined,
): LanguageModelV3CallOptions {
  if (note === undefined) return call;
  const { acumen } = call.providerOptions ?? {};
  return { ...call, providerOptions: { ...call.providerOptions, acumen: { ...acumen, ...note } } };
}
