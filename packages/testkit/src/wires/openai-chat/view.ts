import {
  type JsonObject,
  listOf,
  objectOf,
  optionalNumber,
  optionalText,
  parsedOr,
  textOf,
} from "../json-read.ts";
import {
  joinMessages,
  type NeutralMessage,
  type NeutralPart,
  type NeutralRequest,
  type NeutralResponseFormat,
} from "../neutral-request.ts";
import { toolChoiceView, toolView } from "../openai/tool-view.ts";
import type { GenerateCall } from "../wire.ts";

export function viewChatCall({ body, model, stream }: GenerateCall): NeutralRequest {
  const all = listOf(body["messages"]).map(objectOf);
  const isSystem = ({ role }: JsonObject): boolean => role === "system" || role === "developer";
  const maxOutputTokens = optionalNumber(body["max_completion_tokens"] ?? body["max_tokens"]);
  const temperature = optionalNumber(body["temperature"]);
  return {
    model,
    stream,
    system: all
      .filter(isSystem)
      .map((message) => contentText(message["content"]))
      .join("\n\n"),
    messages: joinMessages(all.filter((message) => !isSystem(message)).map(messageOf)),
    tools: listOf(body["tools"]).map((tool) => toolView(objectOf(objectOf(tool)["function"]))),
    ...toolChoiceView(body["tool_choice"]),
    responseFormat: formatOf(objectOf(body["response_format"])),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
  };
}

function messageOf(message: JsonObject): NeutralMessage {
  if (message["role"] === "tool") {
    const output = contentText(message["content"]);
    const part = { type: "tool-result", id: textOf(message["tool_call_id"]), output } as const;
    return { role: "tool", parts: [part] };
  }
  if (message["role"] !== "assistant") {
    return { role: "user", parts: contentParts(message["content"]) };
  }
  const reasoning = textOf(message["reasoning_content"] ?? message["reasoning"]);
  const calls = listOf(message["tool_calls"]).map((call): NeutralPart => {
    const { id, function: called } = objectOf(call);
    const { name, arguments: text } = objectOf(called);
    return { type: "tool-call", id: textOf(id), name: textOf(name), input: parsedOr(textOf(text)) };
  });
  const thought: NeutralPart[] = reasoning === "" ? [] : [{ type: "reasoning", text: reasoning }];
  return { role: "assistant", parts: [...thought, ...contentParts(message["content"]), ...calls] };
}

function contentParts(content: unknown): NeutralPart[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return listOf(content)
    .map(objectOf)
    .map((part): NeutralPart => {
      if (part["type"] === "text") return { type: "text", text: textOf(part["text"]) };
      return { type: "file", mediaType: part["type"] === "image_url" ? "image/*" : "*/*" };
    });
}

function contentText(content: unknown): string {
  return contentParts(content)
    .map((part) => (part.type === "text" ? part.text : ""))
    .filter((text) => text !== "")
    .join("\n");
}

function formatOf(format: JsonObject): NeutralResponseFormat {
  if (format["type"] === "json_object") return { type: "json", through: "mode" };
  if (format["type"] !== "json_schema") return { type: "text" };
  const schema = objectOf(format["json_schema"]);
  const name = optionalText(schema["name"]);
  return {
    type: "json",
    through: "schema",
    ...(name !== undefined && { name }),
    schema: schema["schema"],
  };
}
