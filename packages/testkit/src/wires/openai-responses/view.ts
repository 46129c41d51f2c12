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
import { withDefaultStrict } from "../openai/default-strict.ts";
import { toolChoiceView, toolView } from "../openai/tool-view.ts";
import type { GenerateCall } from "../wire.ts";
import { inputItems, itemType } from "./input-items.ts";
import type { ResponseLedger } from "./response-ledger.ts";

export function viewResponsesCall(call: GenerateCall, ledger: ResponseLedger): NeutralRequest {
  const { body, model, stream } = call;
  const system = [textOf(body["instructions"])];
  const messages: NeutralMessage[] = [];
  for (const { item } of inputItems(body, ledger)) {
    const { role } = item;
    if (role === "system" || role === "developer") system.push(contentText(item["content"]));
    else messages.push(messageOf(item));
  }
  const maxOutputTokens = optionalNumber(body["max_output_tokens"]);
  const temperature = optionalNumber(body["temperature"]);
  return {
    model,
    stream,
    system: system.filter((text) => text !== "").join("\n\n"),
    messages: joinMessages(messages),
    tools: listOf(body["tools"])
      .map(objectOf)
      .filter((tool) => tool["type"] === "function")
      .map((tool) => toolView(withDefaultStrict(tool))),
    ...toolChoiceView(body["tool_choice"]),
    responseFormat: formatOf(objectOf(objectOf(body["text"])["format"])),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
  };
}

function messageOf(item: JsonObject): NeutralMessage {
  switch (itemType(item)) {
    case "function_call": {
      const input = parsedOr(textOf(item["arguments"]));
      const part = { id: textOf(item["call_id"]), name: textOf(item["name"]), input };
      return { role: "assistant", parts: [{ type: "tool-call", ...part }] };
    }
    case "function_call_output": {
      const output = contentText(item["output"]);
      const part = { type: "tool-result", id: textOf(item["call_id"]), output } as const;
      return { role: "tool", parts: [part] };
    }
    case "reasoning":
      return { role: "assistant", parts: [reasoningOf(item)] };
    default:
      return {
        role: item["role"] === "assistant" ? "assistant" : "user",
        parts: contentParts(item["content"]),
      };
  }
}

function reasoningOf(item: JsonObject): NeutralPart {
  const signature = optionalText(item["encrypted_content"]);
  const text = listOf(item["summary"])
    .map((part) => textOf(objectOf(part)["text"]))
    .join("\n");
  return { type: "reasoning", text, ...(signature !== undefined && { signature }) };
}

function contentParts(content: unknown): NeutralPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return listOf(content)
    .map(objectOf)
    .map((part): NeutralPart => {
      if (part["text"] !== undefined) return { type: "text", text: textOf(part["text"]) };
      return { type: "file", mediaType: part["type"] === "input_image" ? "image/*" : "*/*" };
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
  const name = optionalText(format["name"]);
  return {
    type: "json",
    through: "schema",
    ...(name !== undefined && { name }),
    schema: format["schema"],
  };
}
