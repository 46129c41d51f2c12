import { type JsonObject, listOf, objectOf, shown, textOf } from "../json-read.ts";
import { checkName } from "../openai/tool-rules.ts";
import type { Report } from "../wire.ts";

const ROLES = ["system", "assistant", "user", "function", "tool", "developer"];
const PART_TYPES: Record<string, readonly string[]> = {
  user: ["text", "image_url", "input_audio", "file"],
  assistant: ["text", "refusal"],
  other: ["text"],
};

/** Shape and order of the messages. */
export function checkMessages(messages: readonly unknown[], report: Report): void {
  if (messages.length === 0) return emptyArray("messages", report);
  const list = messages.map(objectOf);
  for (const [index, message] of list.entries()) checkMessage(message, index, report);
  checkCalls(list, report);
}

function checkMessage(message: JsonObject, index: number, report: Report): void {
  const path = `messages[${index}]`;
  const { role } = message;
  if (!ROLES.includes(shown(role))) {
    report({
      message: `Invalid value: '${shown(role)}'. Supported values are: ${ROLES.map((name) => `'${name}'`).join(", ")}.`,
      param: `${path}.role`,
      code: "invalid_value",
    });
    return;
  }
  checkContent(message, path, report);
  if (message["tool_calls"] === undefined) return;
  const calls = listOf(message["tool_calls"]).map(objectOf);
  if (calls.length === 0) emptyArray(`${path}.tool_calls`, report);
  for (const [callIndex, call] of calls.entries()) {
    checkCall(call, `${path}.tool_calls[${callIndex}]`, report);
  }
}

function checkContent(message: JsonObject, path: string, report: Report): void {
  const { role, content } = message;
  if (typeof content === "string") return;
  if (Array.isArray(content)) {
    if (content.length === 0) emptyArray(`${path}.content`, report);
    const allowed = PART_TYPES[shown(role)] ?? PART_TYPES["other"] ?? [];
    for (const [index, part] of content.entries()) {
      const type = shown(objectOf(part)["type"]);
      if (allowed.includes(type)) continue;
      report({
        message: `Invalid value: '${type}'. Supported values are: ${allowed.map((name) => `'${name}'`).join(", ")}.`,
        param: `${path}.content[${index}].type`,
        code: "invalid_value",
      });
    }
    return;
  }
  const callsInstead = role === "assistant" && message["tool_calls"] !== undefined;
  if (callsInstead && (content === null || content === undefined)) return;
  const found = content === undefined || content === null ? "null" : typeof content;
  report({
    message: `Invalid value for 'content': expected a string, got ${found}.`,
    param: `${path}.content`,
  });
}

function checkCall(call: JsonObject, path: string, report: Report): void {
  const definition = objectOf(call["function"]);
  for (const [key, value] of [
    ["id", call["id"]],
    ["type", call["type"]],
    ["function.arguments", definition["arguments"]],
  ] as const) {
    if (typeof value === "string") continue;
    report({
      message: `Missing required parameter: '${path}.${key}'.`,
      param: `${path}.${key}`,
      code: "missing_required_parameter",
    });
  }
  checkName(definition["name"], `${path}.function.name`, report);
}

/** The answers to all calls of a message stand directly behind it. */
function checkCalls(messages: readonly JsonObject[], report: Report): void {
  let open = new Map<string, true>();
  const reportOpen = (): void => {
    if (open.size === 0) return;
    report({
      message: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open.keys()].join(", ")}`,
      param: "messages",
    });
  };
  for (const [index, message] of messages.entries()) {
    if (message["role"] === "tool") {
      if (open.delete(textOf(message["tool_call_id"]))) continue;
      report({
        message:
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        param: `messages.[${index}].role`,
      });
      continue;
    }
    reportOpen();
    const ids = listOf(message["tool_calls"]).map((call) => textOf(objectOf(call)["id"]));
    open = new Map(ids.map((id) => [id, true]));
  }
  reportOpen();
}

function emptyArray(param: string, report: Report): void {
  report({
    message: `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
    param,
    code: "empty_array",
  });
}
