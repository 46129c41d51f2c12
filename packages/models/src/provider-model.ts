import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3GenerateResult,
} from "@ai-sdk/provider";
import { mergeOptions } from "./call/cache-marks.ts";
import type { ModelCalls } from "./call/model-calls.ts";
import { jsonAnswer } from "./call/structured-output.ts";
import type { ModelCapabilities } from "./capabilities.ts";
import { jsonIn } from "./json/json-text.ts";
import type { ModelId } from "./model-id.ts";
import type {
  FinishReason,
  Model,
  ModelReply,
  ModelRequest,
  ModelStreamPart,
} from "./model-types.ts";
import type { StructuredOutput } from "./providers/opened-model.ts";
import { usageOf } from "./usage.ts";

/** A resolved model. */
export class ProviderModel implements Model {
  readonly id: string;
  readonly provider: string;
  readonly model: string;
  readonly capabilities: ModelCapabilities;
  readonly languageModel: LanguageModelV3;
  readonly #calls: ModelCalls;

  constructor(
    id: string,
    { provider, model }: ModelId,
    capabilities: ModelCapabilities,
    calls: ModelCalls,
    supportedUrls: LanguageModelV3["supportedUrls"],
  ) {
    this.id = id;
    this.provider = provider;
    this.model = model;
    this.capabilities = capabilities;
    this.#calls = calls;
    this.languageModel = {
      specificationVersion: "v3",
      provider,
      modelId: model,
      supportedUrls,
      doGenerate: async (options) => (await calls.generate(options)).result,
      doStream: (options) => calls.stream(options),
    };
  }

  async generate(request: ModelRequest): Promise<ModelReply> {
    const call = callOf(request);
    const { result, structuredOutput } = await this.#calls.generate(call, request.onRetry);
    return replyOf(result, call, structuredOutput);
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelStreamPart, void, undefined> {
    const { stream } = await this.#calls.stream(callOf(request), request.onRetry);
    yield* stream;
  }
}

function callOf(request: ModelRequest): LanguageModelV3CallOptions {
  const { messages, responseFormat, tools, signal, note, onRetry: _ours, ...rest } = request;
  const { providerOptions, thoughtLevel, ...settings } = rest;
  const options = mergeOptions(
    providerOptions,
    note === undefined && thoughtLevel === undefined
      ? undefined
      : { acumen: { ...note, ...(thoughtLevel !== undefined && { thoughtLevel }) } },
  );
  return {
    ...settings,
    prompt: messages,
    ...(responseFormat !== undefined && { responseFormat }),
    ...(tools !== undefined && tools.length > 0 && { tools: [...tools] }),
    ...(Object.keys(options).length > 0 && { providerOptions: options }),
    ...(signal !== undefined && { abortSignal: signal }),
  };
}

function replyOf(
  { content, finishReason, usage }: LanguageModelV3GenerateResult,
  { responseFormat }: LanguageModelV3CallOptions,
  way: StructuredOutput,
): ModelReply {
  const textOf = (type: "text" | "reasoning"): string =>
    content.map((part) => (part.type === type ? part.text : "")).join("");
  const text = textOf("text");
  const reasoning = textOf("reasoning");
  const json = responseFormat?.type === "json" ? jsonIn(text) : undefined;
  return {
    text,
    ...(reasoning !== "" && { reasoning }),
    toolCalls: content.flatMap((part) =>
      part.type === "tool-call"
        ? [{ id: part.toolCallId, name: part.toolName, input: part.input }]
        : [],
    ),
    finishReason: finishOf(finishReason.unified),
    usage: usageOf(usage),
    ...(json !== undefined &&
      responseFormat?.type === "json" && { json: jsonAnswer(json, responseFormat, way) }),
  };
}

function finishOf(unified: LanguageModelV3GenerateResult["finishReason"]["unified"]): FinishReason {
  return unified === "error" ? "other" : unified;
}
