import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  LanguageModelV3StreamResult,
} from "@ai-sdk/provider";
import type { AcumenError, Logger } from "@acumen/core";
import type { ModelCapabilities } from "../capabilities.ts";
import { modelFailureKind } from "../errors.ts";
import { classify, type FailureContext } from "../failure/classify.ts";
import type { ModelId } from "../model-id.ts";
import type { RetryNotice } from "../model-types.ts";
import type { OpenedModel } from "../providers/opened-model.ts";
import { Deadline } from "./deadline.ts";
import { type Concessions, prepareCall } from "./prepare-call.ts";
import { type RetryPolicy, withRetries } from "./retry.ts";
import { checkFinish, guardStream, isSaid } from "./stream-guard.ts";
import { WEAKER } from "./structured-output.ts";

export interface Timeouts {
  /** A whole answer, or the beginning of a streamed one, in milliseconds. */
  readonly answerMs: number;
  /** Between two parts of a stream. */
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
  #concessions: Concessions;

  constructor(options: ModelCallsOptions) {
    this.#options = options;
    this.#model = options.opened.languageModel;
    this.#concessions = {
      structuredOutput: options.opened.traits.structuredOutput,
      noTemperature: false,
    };
  }

  /** How a JSON answer was asked for in the latest call. */
  get structuredOutput(): Concessions["structuredOutput"] {
    return this.#concessions.structuredOutput;
  }

  generate(
    call: LanguageModelV3CallOptions,
    onRetry?: OnRetry,
  ): Promise<LanguageModelV3GenerateResult> {
    return this.#run(call, onRetry, async (options, deadline) => {
      try {
        const work = this.#model.doGenerate(options);
        const result = await deadline.wait(work, this.#options.timeouts.answerMs);
        checkFinish(result.finishReason, this.#options.id, result.content.length > 0);
        return result;
      } finally {
        deadline.end();
      }
    });
  }

  /** Asks again only while nothing was said yet. */
  async stream(
    call: LanguageModelV3CallOptions,
    onRetry?: OnRetry,
  ): Promise<LanguageModelV3StreamResult> {
    const { result, head, parts } = await this.#run(call, onRetry, (options, deadline) =>
      this.#open(options, deadline),
    );
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
    try {
      const result = await deadline.wait(this.#model.doStream(options), answerMs);
      const parts = guardStream(result.stream, this.#options.id, deadline, idleMs);
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
  ): Promise<T> {
    const { retry, capabilities, opened, logger, id } = this.#options;
    const signal = call.abortSignal;
    const once = (): Promise<T> =>
      withRetries(
        async (number) => {
          const deadline = new Deadline(signal);
          const prepared = prepareCall(call, opened.traits, capabilities, this.#concessions);
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
        return await once();
      } catch (error) {
        if (!this.#concede(call, error as AcumenError)) throw error;
      }
    }
  }

  #classify(error: unknown, signal: AbortSignal | undefined): AcumenError {
    return classify(error, this.#options.failure, signal);
  }

  /** Whether the call may be made once more in a simpler form, because the service refused a part that is not essential. */
  #concede(call: LanguageModelV3CallOptions, error: AcumenError): boolean {
    if (modelFailureKind(error) !== "bad_request" || error.details["status"] === undefined)
      return false;
    const { structuredOutput, noTemperature } = this.#concessions;
    const weaker = WEAKER[structuredOutput];
    if (
      call.temperature !== undefined &&
      !noTemperature &&
      /temperature|sampling/i.test(error.message)
    ) {
      this.#concessions = { structuredOutput, noTemperature: true };
    } else if (
      call.responseFormat?.type === "json" &&
      weaker !== undefined &&
      /response_?format|json_?schema|structured output|output_config|responseschema|grammar|strict/i.test(
        error.message,
      )
    ) {
      this.#concessions = { structuredOutput: weaker, noTemperature };
    } else return false;
    this.#options.logger.info("model call is repeated in a simpler form", {
      ...this.#options.id,
      structured_output: this.#concessions.structuredOutput,
      temperature: !this.#concessions.noTemperature,
    });
    return true;
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
