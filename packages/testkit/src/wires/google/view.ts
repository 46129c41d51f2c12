import {
  type JsonObject,
  listOf,
  objectOf,
  optionalNumber,
  optionalText,
  textOf,
  shown,
} from "../json-read.ts";
import {
  joinMessages,
  type NeutralMessage,
  type NeutralPart,
  type NeutralRequest,
  type NeutralTool,
} from "../neutral-request.ts";
import type { GenerateCall } from "../wire.ts";
import { type Content, contentsOf } from "./contents.ts";

export function viewGoogleCall({ body, model, stream }: GenerateCall): NeutralRequest {
  const config = objectOf(body["generationConfig"]);
  const maxOutputTokens = optionalNumber(config["maxOutputTokens"]);
  const temperature = optionalNumber(config["temperature"]);
  const schema = config["responseSchema"] ?? config["responseJsonSchema"];
  const json = config["responseMimeType"] === "application/json";
  return {
    model,
    stream,
    system: listOf(objectOf(body["systemInstruction"])["parts"])
      .map((part) => textOf(objectOf(part)["text"]))
      .join("\n\n"),
    messages: joinMessages(contentsOf(body).flatMap(messagesOf)),
    tools: listOf(body["tools"])
      .flatMap((tool) => listOf(objectOf(tool)["functionDeclarations"]))
      .map((declaration) => toolOf(objectOf(declaration))),
    ...choiceOf(body),
    responseFormat: json
      ? {
          type: "json",
          through: schema === undefined ? "mode" : "schema",
          ...(schema !== undefined && { schema }),
        }
      : { type: "text" },
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
  };
}

function messagesOf({ role, parts }: Content): NeutralMessage[] {
  const neutral = parts.map(partOf);
  if (role === "model") return [{ role: "assistant", parts: neutral }];
  return [
    { role: "tool", parts: neutral.filter(({ type }) => type === "tool-result") },
    { role: "user", parts: neutral.filter(({ type }) => type !== "tool-result") },
  ];
}

function partOf(part: JsonObject): NeutralPart {
  const signature = optionalText(part["thoughtSignature"]);
  if (part["functionCall"] !== undefined) {
    const { id, name, args } = objectOf(part["functionCall"]);
    return { type: "tool-call", id: textOf(id), name: textOf(name), input: args ?? {} };
  }
  if (part["functionResponse"] !== undefined) {
    const { id, name, response } = objectOf(part["functionResponse"]);
    return {
      type: "tool-result",
      id: textOf(id),
      name: textOf(name),
      output: outputText(response),
    };
  }
  if (part["text"] === undefined) {
    const { mimeType } = objectOf(part["inlineData"] ?? part["fileData"]);
    return { type: "file", mediaType: optionalText(mimeType) ?? "*/*" };
  }
  const text = textOf(part["text"]);
  return part["thought"] === true
    ? { type: "reasoning", text, ...(signature !== undefined && { signature }) }
    : { type: "text", text };
}

/** The provider package wraps results as `{name, content}`. */
function outputText(response: unknown): string {
  const { content, output } = objectOf(response);
  const value = content ?? output ?? response;
  return typeof value === "string" ? value : JSON.stringify(value);
}

function toolOf(declaration: JsonObject): NeutralTool {
  const description = optionalText(declaration["description"]);
  return {
    name: textOf(declaration["name"]),
    ...(description !== undefined && { description }),
    schema: declaration["parameters"] ?? declaration["parametersJsonSchema"],
  };
}

function choiceOf(body: JsonObject): Pick<NeutralRequest, "toolChoice"> {
  const config = objectOf(objectOf(body["toolConfig"])["functionCallingConfig"]);
  const [named] = listOf(config["allowedFunctionNames"]);
  if (named !== undefined) return { toolChoice: { tool: shown(named) } };
  switch (config["mode"]) {
    case "AUTO":
    case "VALIDATED":
      return { toolChoice: "auto" };
    case "NONE":
      return { toolChoice: "none" };
    case "ANY":
      return { toolChoice: "required" };
    default:
      return {};
  }
}
