import { type JsonObject, objectOf, shown } from "../json-read.ts";
import { checkName } from "../openai/tool-rules.ts";
import type { Report } from "../wire.ts";
import { itemType } from "./input-items.ts";

const ROLES = ["assistant", "system", "developer", "user"];
const INPUT_PARTS = ["input_text", "input_image", "input_file", "input_audio"];
const OUTPUT_PARTS = ["output_text", "refusal"];
/** Types that are passed through unchecked: hosted tools, which this server does not play. */
const OTHER_TYPES = new Set([
  "item_reference",
  "configuration_update",
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "custom_tool_call",
  "custom_tool_call_output",
]);
const MAX_CALL_ID = 64;

const ID_PREFIX: Record<string, string> = {
  message: "msg",
  function_call: "fc",
  reasoning: "rs",
};

/** The shape of one input item. */
export function checkItem(item: JsonObject, path: string, report: Report): void {
  const type = itemType(item);
  checkId(item, type, path, report);
  switch (type) {
    case "message":
      return checkMessage(item, path, report);
    case "function_call":
      checkText(item, "call_id", path, report);
      checkCallId(item, path, report);
      checkName(item["name"], `${path}.name`, report);
      return checkText(item, "arguments", path, report);
    case "function_call_output":
      checkText(item, "call_id", path, report);
      if (item["output"] === undefined) missing(`${path}.output`, report);
      return;
    case "reasoning":
      if (!Array.isArray(item["summary"])) missing(`${path}.summary`, report);
      return;
    default:
      if (!OTHER_TYPES.has(type)) invalidValue(type, Object.keys(ID_PREFIX), path, report);
  }
}

function checkId(item: JsonObject, type: string, path: string, report: Report): void {
  const id = item["id"];
  const prefix = ID_PREFIX[type];
  if (id === undefined || prefix === undefined) return;
  if (typeof id === "string" && id.startsWith(prefix)) return;
  report({
    message: `Invalid '${path}.id': '${shown(id)}'. Expected an ID that begins with '${prefix}'.`,
    param: `${path}.id`,
    code: "invalid_value",
  });
}

function checkMessage(item: JsonObject, path: string, report: Report): void {
  const { role, content } = item;
  if (!ROLES.includes(shown(role))) return invalidValue(role, ROLES, `${path}.role`, report);
  if (typeof content === "string") return;
  if (!Array.isArray(content)) return missing(`${path}.content`, report);
  const allowed = role === "assistant" ? OUTPUT_PARTS : INPUT_PARTS;
  for (const [index, part] of content.entries()) {
    const partPath = `${path}.content[${index}]`;
    const { type } = objectOf(part);
    if (!allowed.includes(shown(type))) invalidValue(type, allowed, partPath, report);
    else if (shown(type).endsWith("_text")) checkText(objectOf(part), "text", partPath, report);
  }
}

function checkCallId(item: JsonObject, path: string, report: Report): void {
  const id = shown(item["call_id"] ?? "");
  if (id.length <= MAX_CALL_ID) return;
  report({
    message: `Invalid '${path}.call_id': string too long. Expected a string with maximum length ${MAX_CALL_ID}, but got a string with length ${id.length} instead.`,
    param: `${path}.call_id`,
    code: "string_above_max_length",
  });
}

function checkText(item: JsonObject, key: string, path: string, report: Report): void {
  const value = item[key];
  if (value === undefined) missing(`${path}.${key}`, report);
  else if (typeof value !== "string") {
    report({
      message: `Invalid type for '${path}.${key}': expected a string, but got ${value === null ? "null" : typeof value} instead.`,
      param: `${path}.${key}`,
      code: "invalid_type",
    });
  }
}

function missing(param: string, report: Report): void {
  report({
    message: `Missing required parameter: '${param}'.`,
    param,
    code: "missing_required_parameter",
  });
}

function invalidValue(
  value: unknown,
  allowed: readonly string[],
  param: string,
  report: Report,
): void {
  report({
    message: `Invalid value: '${shown(value)}'. Supported values are: ${allowed.map((name) => `'${name}'`).join(", ")}.`,
    param,
    code: "invalid_value",
  });
}
