import type { Model, ModelMessages, ModelReply, ModelRequest } from "@acumen/models";

export interface StubModel extends Model {
  readonly requests: ModelRequest[];
}

/**
 * A model that answers with these values in order, the last one for ever; a text is sent as it is, anything else as JSON.
 * @param part of every reply
 */
export function stubModelWith(
  part: Partial<ModelReply>,
  ...answers: readonly unknown[]
): StubModel {
  const requests: ModelRequest[] = [];
  const generate = async (request: ModelRequest): Promise<ModelReply> => {
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    requests.push(request);
    if (answer instanceof Error) throw answer;
    const text = typeof answer === "string" ? answer : JSON.stringify(answer);
    return {
      text,
      toolCalls: [],
      finishReason: "stop",
      usage: { inputTokens: 10, outputTokens: 5 },
      ...part,
    };
  };
  return {
    id: "stub/one",
    provider: "stub",
    model: "one",
    capabilities: { snapshotDate: "2026-01-01" },
    requests,
    generate,
    stream: () => {
      throw new Error("no role streams");
    },
    get languageModel(): never {
      throw new Error("no role uses the AI SDK's model");
    },
  };
}

export function stubModel(...answers: readonly unknown[]): StubModel {
  return stubModelWith({}, ...answers);
}

/** The prompt as one text: a heading for each message, parts separated by a line. */
export function promptAsText(messages: ModelMessages): string {
  return `${messages.map((message) => `===== ${message.role} =====\n${textOf(message)}`).join("\n\n")}\n`;
}

/** The text of the last user message. */
export function userText(messages: ModelMessages): string {
  const message = messages.findLast(({ role }) => role === "user");
  return message === undefined ? "" : textOf(message);
}

export function systemText(messages: ModelMessages): string {
  return messages.flatMap((message) => (message.role === "system" ? [message.content] : [])).join();
}

function textOf({ content }: ModelMessages[number]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : `(${part.type})`)).join("\n\n");
}
