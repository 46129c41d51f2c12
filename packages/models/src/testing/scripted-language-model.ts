import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3ToolCall,
  LanguageModelV3Usage,
} from "@ai-sdk/provider";
import type { ModelScript, ScriptStep } from "./script.ts";
import { ScriptPlayer } from "./script-player.ts";

const DEFAULT_CHUNK_SIZE = 16;
/** A usual rule of thumb; scripts whose usage matters say it. */
const CHARS_PER_TOKEN = 4;

/** A script behind the interface of the provider packages. */
export function scriptedLanguageModel(script: ModelScript, path: string): LanguageModelV3 {
  const player = new ScriptPlayer(script, path);
  return {
    specificationVersion: "v3",
    provider: "scripted",
    modelId: path,
    supportedUrls: {},
    doGenerate: async (call) => {
      const step = player.take(call);
      const { abortSignal } = call;
      const inputs = toolCallsOf(step, call).map(({ input }) => input);
      const deltas = [step.reasoning, step.text, ...inputs].flatMap((text) =>
        chunks(text, step.chunkSize),
      );
      for (const _delta of deltas) await pause(step.delayMs, abortSignal);
      return {
        content: contentOf(step, call),
        finishReason: finishOf(step),
        usage: usageOf(step, call),
        warnings: [],
      };
    },
    doStream: async (call) => {
      await Promise.resolve();
      const step = player.take(call);
      return { stream: ReadableStream.from(partsOf(step, call)) };
    },
  };
}

async function* partsOf(
  step: ScriptStep,
  call: LanguageModelV3CallOptions,
): AsyncGenerator<LanguageModelV3StreamPart> {
  yield { type: "stream-start", warnings: [] };
  for (const [kind, text] of [
    ["reasoning", step.reasoning],
    ["text", step.text],
  ] as const) {
    if (text === undefined) continue;
    const id = `${kind}-1`;
    yield { type: `${kind}-start`, id };
    for (const delta of chunks(text, step.chunkSize)) {
      await pause(step.delayMs, call.abortSignal);
      yield { type: `${kind}-delta`, id, delta };
    }
    yield { type: `${kind}-end`, id };
  }
  for (const toolCall of toolCallsOf(step, call)) {
    const { toolCallId: id, toolName, input } = toolCall;
    yield { type: "tool-input-start", id, toolName };
    for (const delta of chunks(input, step.chunkSize)) {
      await pause(step.delayMs, call.abortSignal);
      yield { type: "tool-input-delta", id, delta };
    }
    yield { type: "tool-input-end", id };
    yield toolCall;
  }
  yield { type: "finish", finishReason: finishOf(step), usage: usageOf(step, call) };
}

function contentOf(step: ScriptStep, call: LanguageModelV3CallOptions): LanguageModelV3Content[] {
  return [
    ...(step.reasoning === undefined ? [] : [{ type: "reasoning" as const, text: step.reasoning }]),
    ...(step.text === undefined ? [] : [{ type: "text" as const, text: step.text }]),
    ...toolCallsOf(step, call),
  ];
}

/** Ids go on after those of the conversation, which may come from an earlier process. */
function toolCallsOf(
  { toolCalls = [] }: ScriptStep,
  { prompt }: LanguageModelV3CallOptions,
): LanguageModelV3ToolCall[] {
  const known = prompt.flatMap((message) =>
    message.role === "assistant"
      ? message.content.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []))
      : [],
  );
  const last = Math.max(0, ...known.map((id) => Number(/^call_(\d+)$/.exec(id)?.[1] ?? 0)));
  return toolCalls.map(({ id, tool, input }, index) => ({
    type: "tool-call",
    toolCallId: id ?? `call_${last + index + 1}`,
    toolName: tool,
    input: JSON.stringify(input ?? {}),
  }));
}

function finishOf({ finish, toolCalls = [] }: ScriptStep): LanguageModelV3FinishReason {
  const unified = finish ?? (toolCalls.length > 0 ? "tool-calls" : "stop");
  return { unified, raw: unified };
}

function usageOf(step: ScriptStep, { prompt }: LanguageModelV3CallOptions): LanguageModelV3Usage {
  const tokens = (value: unknown): number =>
    Math.ceil(JSON.stringify(value ?? "").length / CHARS_PER_TOKEN);
  const said = [step.text, step.reasoning, step.toolCalls];
  const input = step.usage?.inputTokens ?? tokens(prompt);
  const output = step.usage?.outputTokens ?? tokens(said);
  return {
    inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: output, reasoning: undefined },
  };
}

/** Whole characters, never half of one. */
function chunks(text: string | undefined, size = DEFAULT_CHUNK_SIZE): string[] {
  const points = Array.from(text ?? "");
  const pieces: string[] = [];
  for (let start = 0; start < points.length; start += size) {
    pieces.push(points.slice(start, start + size).join(""));
  }
  return pieces;
}

/** @throws the signal's reason when it aborts in the meantime */
function pause(milliseconds = 0, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  if (milliseconds === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
