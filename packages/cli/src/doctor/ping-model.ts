import { resolveModel, type ResolveOptions, type Usage } from "@acumen/models";

const ANSWER_MS = 30_000;
/** A model that thinks spends output before it says a word; with less, some services refuse or give nothing. */
const MAX_OUTPUT_TOKENS = 64;

export interface Pong {
  /** From the call to the whole answer. */
  readonly milliseconds: number;
  readonly usage: Usage;
}

/**
 * One tiny question, asked once, so that a person waits for an answer and not for retries.
 * @throws MODEL_FAILED
 */
export async function pingModel(
  id: string,
  { env, allowScripted = false, signal }: PingOptions,
): Promise<Pong> {
  const model = await resolveModel(id, {
    env,
    allowScripted,
    retry: { attempts: 1 },
    timeouts: { answerMs: ANSWER_MS },
  });
  const started = performance.now();
  const { usage } = await model.generate({
    messages: [{ role: "user", content: [{ type: "text", text: "Answer with the word OK." }] }],
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    signal,
  });
  return { milliseconds: Math.round(performance.now() - started), usage };
}

export type PingOptions = Pick<ResolveOptions, "env" | "allowScripted"> & {
  readonly signal: AbortSignal;
};
