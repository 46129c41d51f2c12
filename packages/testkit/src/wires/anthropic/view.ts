import {
  type JsonObject,
  listOf,
  objectOf,
  optionalNumber,
  optionalText,
  textOf,
} from "../json-read.ts";
import {
  joinMessages,
  type NeutralMessage,
  type NeutralPart,
  type NeutralRequest,
  type NeutralResponseFormat,
  type NeutralTool,
} from "../neutral-request.ts";
import type { GenerateCall } from "../wire.ts";
import { blocksOf } from "./conversation.ts";

/** The tool by which the provider package asks for a structured answer where the service has no schema setting. */
export function jsonTool(body: JsonObject): JsonObject | undefined {
  return listOf(body["tools"])
    .map(objectOf)
    .find(
      (tool) => tool["name"] === "json" && tool["description"] === "Respond with a JSON object.",
    );
}

export function viewAnthropicCall({ body, model, stream }: GenerateCall): NeutralRequest {
  const answerTool = jsonTool(body);
  const maxOutputTokens = optionalNumber(body["max_tokens"]);
  const temperature = optionalNumber(body["temperature"]);
  return {
    model,
    stream,
    system: blocksOf(body["system"], "system")
      .map(({ block }) => textOf(block["text"]))
      .join("\n\n"),
    messages: joinMessages(
      listOf(body["messages"]).flatMap((value) => messagesOf(objectOf(value))),
    ),
    tools: listOf(body["tools"])
      .map(objectOf)
      .filter((tool) => tool["name"] !== answerTool?.["name"])
      .map(toolOf),
    ...choiceOf(body["tool_choice"], answerTool !== undefined),
    responseFormat: formatOf(body, answerTool),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
  };
}

/** Results of tools travel in user messages; here they have their own. */
function messagesOf(message: JsonObject): NeutralMessage[] {
  const parts = blocksOf(message["content"], "").map(({ block }) => partOf(block));
  if (message["role"] === "assistant") return [{ role: "assistant", parts }];
  return [
    { role: "tool", parts: parts.filter(({ type }) => type === "tool-result") },
    { role: "user", parts: parts.filter(({ type }) => type !== "tool-result") },
  ];
}

function partOf(block: JsonObject): NeutralPart {
  switch (block["type"]) {
    case "text":
      return { type: "text", text: textOf(block["text"]) };
    case "thinking": {
      const signature = optionalText(block["signature"]);
      const text = textOf(block["thinking"]);
      return { type: "reasoning", text, ...(signature !== undefined && { signature }) };
    }
    case "redacted_thinking":
      return { type: "reasoning", text: "", signature: textOf(block["data"]) };
    case "tool_use":
      return {
        type: "tool-call",
        id: textOf(block["id"]),
        name: textOf(block["name"]),
        input: block["input"],
      };
    case "tool_result":
      return {
        type: "tool-result",
        id: textOf(block["tool_use_id"]),
        output: blocksOf(block["content"], "")
          .map((entry) => textOf(entry.block["text"]))
          .join("\n"),
        ...(block["is_error"] === true && { isError: true }),
      };
    default: {
      const mediaType = optionalText(objectOf(block["source"])["media_type"]);
      return { type: "file", mediaType: mediaType ?? `${textOf(block["type"])}/*` };
    }
  }
}

function toolOf(tool: JsonObject): NeutralTool {
  const description = optionalText(tool["description"]);
  return {
    name: textOf(tool["name"]),
    ...(description !== undefined && { description }),
    schema: tool["input_schema"],
    ...(typeof tool["strict"] === "boolean" && { strict: tool["strict"] }),
  };
}

function choiceOf(choice: unknown, forAnswer: boolean): Pick<NeutralRequest, "toolChoice"> {
  const { type, name } = objectOf(choice);
  if (forAnswer) return {};
  if (type === "auto" || type === "none") return { toolChoice: type };
  if (type === "any") return { toolChoice: "required" };
  return type === "tool" ? { toolChoice: { tool: textOf(name) } } : {};
}

function formatOf(body: JsonObject, answerTool: JsonObject | undefined): NeutralResponseFormat {
  if (answerTool !== undefined) {
    return { type: "json", through: "tool", schema: answerTool["input_schema"] };
  }
  const format = objectOf(objectOf(body["output_config"])["format"]);
  if (format["type"] !== "json_schema") return { type: "text" };
  return { type: "json", through: "schema", schema: format["schema"] };
}
