import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
} from "@ai-sdk/provider";
import { AcumenError, isJsonObject, parseJson, readTextFile } from "@acumen/core";
import { createHash } from "node:crypto";
import { appendFile } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";
import { modelsError } from "../errors.ts";
import type { ModelId } from "../model-id.ts";
import type { OpenedModel } from "../providers/opened-model.ts";
import { lastUserText } from "./expectation.ts";

const header = z.object({
  format: z.literal("acumen.recorded"),
  version: z.literal(1),
  structured_output: z.enum(["strict", "schema", "object", "prompt"]),
});
const answer = z.object({
  /** Hash of what was asked. */
  key: z.string(),
  generate: z.record(z.string(), z.unknown()).optional(),
  stream: z.array(z.record(z.string(), z.unknown())).optional(),
});
type Answer = z.output<typeof answer>;

const MAX_BYTES = 256 * 1024 * 1024;

/**
 * The model, with every whole answer appended to a file of JSON lines. Keys, addresses and prompts are not written; what
 * was asked is a hash only.
 */
export async function recordAnswers(
  opened: OpenedModel,
  id: ModelId,
  path: string,
): Promise<OpenedModel> {
  const inner = opened.languageModel;
  const file = resolve(path);
  const append = (value: unknown): Promise<void> =>
    appendFile(file, `${JSON.stringify(value)}\n`, { mode: 0o600 });
  await append({
    format: "acumen.recorded",
    version: 1,
    ...id,
    structured_output: opened.traits.structuredOutput,
  });
  const languageModel: LanguageModelV3 = {
    specificationVersion: "v3",
    provider: inner.provider,
    modelId: inner.modelId,
    supportedUrls: inner.supportedUrls,
    doGenerate: async (call) => {
      const result = await inner.doGenerate(call);
      const { content, finishReason, usage, providerMetadata } = result;
      await append({
        key: keyOf(call),
        generate: { content, finishReason, usage, providerMetadata },
      });
      return result;
    },
    doStream: async (call) => {
      const result = await inner.doStream(call);
      const parts: LanguageModelV3StreamPart[] = [];
      const stream = result.stream.pipeThrough(
        new TransformStream<LanguageModelV3StreamPart, LanguageModelV3StreamPart>({
          transform: (part, controller) => {
            if (part.type !== "raw" && part.type !== "response-metadata") parts.push(part);
            controller.enqueue(part);
          },
          flush: () => append({ key: keyOf(call), stream: parts }),
        }),
      );
      return { ...result, stream };
    },
  };
  return { ...opened, languageModel };
}

/**
 * A model that answers from such a file. Equal questions get their answers in the order in which they were recorded.
 * @throws MODEL_SCRIPT_INVALID for a file that cannot be read; calls reject with MODEL_SCRIPT_MISMATCH
 */
export async function openRecordedModel(path: string): Promise<OpenedModel> {
  const { structuredOutput, answers } = await readRecording(path);
  const take = (call: LanguageModelV3CallOptions, form: "generate" | "stream"): Answer => {
    const key = keyOf(call);
    const at = answers.findIndex((item) => item.key === key && item[form] !== undefined);
    const [found] = at === -1 ? [] : answers.splice(at, 1);
    if (found !== undefined) return found;
    throw modelsError(
      "MODEL_SCRIPT_MISMATCH",
      `The recording "${path}" has no (further) answer to this call. Actual: ${lastUserText(call.prompt).slice(0, 500)}`,
      {
        details: {
          ...failureDetails(path),
          expected: `one of ${answers.length} answers left`,
          actual: key,
        },
      },
    );
  };
  const languageModel: LanguageModelV3 = {
    specificationVersion: "v3",
    provider: "recorded",
    modelId: path,
    supportedUrls: {},
    doGenerate: async (call) => {
      await Promise.resolve();
      return {
        ...(take(call, "generate").generate as unknown as LanguageModelV3GenerateResult),
        warnings: [],
      };
    },
    doStream: async (call) => {
      await Promise.resolve();
      const parts = take(call, "stream").stream as unknown as LanguageModelV3StreamPart[];
      return { stream: ReadableStream.from(parts) };
    },
  };
  return { languageModel, traits: { structuredOutput }, secrets: [] };
}

/** What was asked, without what differs between wires and days: provider options, limits, temperature. */
function keyOf({ prompt, tools = [], responseFormat }: LanguageModelV3CallOptions): string {
  const asked = {
    prompt: withoutOptions(prompt),
    tools: tools.map(({ name }) => name),
    format: responseFormat?.type ?? "text",
  };
  return createHash("sha256").update(JSON.stringify(asked)).digest("hex");
}

function withoutOptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOptions);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== "providerOptions")
      .map(([key, part]) => [key, withoutOptions(part)]),
  );
}

async function readRecording(
  path: string,
): Promise<{ structuredOutput: OpenedModel["traits"]["structuredOutput"]; answers: Answer[] }> {
  try {
    const text = await readTextFile(resolve(path), { maxBytes: MAX_BYTES });
    const [first, ...lines] = text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => parseJson(line));
    const { structured_output: structuredOutput } = header.parse(first);
    // Recording into one file twice leaves a second head in the middle.
    const answers = lines.filter((line) => !header.safeParse(line).success);
    return { structuredOutput, answers: z.array(answer).parse(answers) };
  } catch (error) {
    const reason =
      error instanceof z.ZodError ? "it is not a recording of version 1" : reasonOf(error);
    throw modelsError("MODEL_SCRIPT_INVALID", `The recording "${path}" cannot be used: ${reason}`, {
      details: failureDetails(path),
    });
  }
}

function reasonOf(error: unknown): string {
  return AcumenError.isInstance(error) ? error.message : String(error);
}

function failureDetails(path: string): Record<string, unknown> {
  return { provider: "recorded", model: path, kind: "bad_request", retryable: false };
}
