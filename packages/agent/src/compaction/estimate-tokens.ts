import type { ModelMessages, ModelRequest } from "@acumen/models";
import type { ContentBlock } from "../content/content-block.ts";

export type ModelTools = NonNullable<ModelRequest["tools"]>;

/** UTF-8 bytes for a token: code has a little more than 3, English prose more than 4, other scripts about 3. */
const BYTES_PER_TOKEN = 3.5;
/** What services count for an image of usual size. */
export const IMAGE_TOKENS = 1_600;
/** Role, separators, names of fields. */
const OVERHEAD_TOKENS = 4;

interface EstimatedRequest {
  readonly system: string;
  readonly messages: ModelMessages;
  readonly tools: ModelTools;
}

/**
 * Tokens of a request before a service has counted them: system text, tools with their schemas, and every part of every
 * message, arguments of calls included. A guess, on the high side for prose.
 */
export function estimateRequestTokens({ system, messages, tools }: EstimatedRequest): number {
  return estimateText(system) + estimateTools(tools) + estimateMessages(messages);
}

function estimateTools(tools: ModelTools): number {
  return tools.reduce(
    (sum, { name, description = "", inputSchema }) =>
      sum + OVERHEAD_TOKENS + estimateText(`${name}${description}${JSON.stringify(inputSchema)}`),
    0,
  );
}

export function estimateMessages(messages: ModelMessages): number {
  return messages.reduce((sum, message) => sum + OVERHEAD_TOKENS + estimateMessage(message), 0);
}

/** Blocks as they will be sent. */
export function estimateBlocks(blocks: readonly ContentBlock[]): number {
  return blocks.reduce((sum, block) => {
    switch (block.type) {
      case "text":
        return sum + estimateText(block.text);
      case "image":
        return sum + IMAGE_TOKENS;
      case "audio":
        return sum + OVERHEAD_TOKENS;
      case "resource":
        return sum + estimateText(block.text ?? "") + (block.blob === undefined ? 0 : IMAGE_TOKENS);
      case "resource_link":
      case "structured":
        return sum + estimateText(JSON.stringify(block));
    }
  }, OVERHEAD_TOKENS);
}

export function estimateText(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

export function estimateJson(value: unknown): number {
  return estimateText(JSON.stringify(value) ?? "");
}

function estimateMessage(message: ModelMessages[number]): number {
  if (message.role === "system") return estimateText(message.content);
  return message.content.reduce((sum, part) => sum + estimatePart(part), 0);
}

type Part = Exclude<ModelMessages[number]["content"], string>[number];

function estimatePart(part: Part): number {
  switch (part.type) {
    case "text":
    case "reasoning":
      // Encrypted thoughts are sent too.
      return estimateText(part.text) + estimateJson(part.providerOptions ?? null);
    case "file":
      return IMAGE_TOKENS;
    case "tool-call":
      return OVERHEAD_TOKENS + estimateText(part.toolName) + estimateJson(part.input);
    case "tool-result":
      return OVERHEAD_TOKENS + estimateJson(part.output);
    case "tool-approval-response":
      return OVERHEAD_TOKENS;
  }
}
