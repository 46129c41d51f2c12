import { type JsonObject, listOf, objectOf, textOf } from "../json-read.ts";
import { isReasoningModel } from "../openai/model-traits.ts";
import { checkKnownParameters, checkMinimum, checkTemperature } from "../openai/setting-rules.ts";
import {
  checkAnswerSchema,
  checkFunctionTools,
  checkToolChoice,
  type FunctionTool,
} from "../openai/tool-rules.ts";
import type { GenerateCall, Report } from "../wire.ts";
import { inputItems, isModelItem, itemType } from "./input-items.ts";
import { checkItem } from "./item-rules.ts";
import { checkReplay } from "./replay-rules.ts";
import type { ResponseLedger } from "./response-ledger.ts";

const PARAMETERS = new Set(
  `background conversation include input instructions max_output_tokens max_tool_calls metadata model
  parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention
  reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice tools
  top_logprobs top_p truncation user`.split(/\s+/),
);
/** The service's own lower bound. */
const MIN_OUTPUT_TOKENS = 16;

export function validateResponsesCall(
  { body, model }: GenerateCall,
  ledger: ResponseLedger,
  report: Report,
): void {
  checkKnownParameters(body, PARAMETERS, report);
  if (model === "") missing("model", report);
  checkInput(body, ledger, report);
  checkTools(body, report);
  checkSettings(body, model, report);
}

function checkInput(body: JsonObject, ledger: ResponseLedger, report: Report): void {
  const { input } = body;
  if (input === undefined) return missing("input", report);
  if (Array.isArray(input) && input.length === 0) {
    report({
      message:
        "Invalid 'input': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      param: "input",
      code: "empty_array",
    });
    return;
  }
  const previous = body["previous_response_id"];
  if (previous !== undefined && !ledger.conversations.has(textOf(previous))) {
    report({
      message: `Previous response with id '${textOf(previous)}' not found.`,
      param: "previous_response_id",
      code: "previous_response_not_found",
    });
  }
  const items = inputItems(body, ledger);
  for (const { item, path } of items) checkItem(item, path, report);
  checkReplay(items, ledger, report);
  checkCalls(
    items.map(({ item }) => item),
    report,
  );
}

/** Each call has its output somewhere later, each output its call somewhere before. */
function checkCalls(items: readonly JsonObject[], report: Report): void {
  const open = new Set<string>();
  for (const item of items) {
    const id = textOf(item["call_id"]);
    const type = itemType(item);
    if (type === "function_call") open.add(id);
    else if (type === "function_call_output" && !open.delete(id)) {
      report({
        message: `No tool call found for function call output with call_id ${id}.`,
        param: "input",
      });
    }
  }
  for (const id of open) {
    report({ message: `No tool output found for function call ${id}.`, param: "input" });
  }
  const last = items.at(-1);
  if (
    open.size === 0 &&
    last !== undefined &&
    itemType(last) === "reasoning" &&
    isModelItem(last)
  ) {
    report({
      message: `Item '${textOf(last["id"])}' of type 'reasoning' was provided without its required following item.`,
      param: "input",
    });
  }
}

function checkTools(body: JsonObject, report: Report): void {
  const tools: FunctionTool[] = listOf(body["tools"])
    .map((tool, index) => ({ definition: objectOf(tool), path: `tools[${index}]` }))
    .filter(({ definition }) => definition["type"] === "function");
  for (const [index, tool] of listOf(body["tools"]).entries()) {
    if (objectOf(tool)["type"] === undefined) missing(`tools[${index}].type`, report);
  }
  checkFunctionTools(tools, report);
  checkToolChoice(body, tools, report);
}

function checkSettings(body: JsonObject, model: string, report: Report): void {
  const reasoning = objectOf(body["reasoning"]);
  checkTemperature(body, model, reasoning["effort"], report);
  checkMinimum(body, "max_output_tokens", MIN_OUTPUT_TOKENS, report);
  const format = objectOf(objectOf(body["text"])["format"]);
  if (format["type"] === "json_schema") {
    const where = { name: "text.format.name", schema: "text.format.schema" };
    checkAnswerSchema(format, where, report);
  }
  if (format["type"] === "json_object" && !/json/i.test(JSON.stringify(body["input"]))) {
    report({
      message:
        "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
      param: "input",
    });
  }
  if (isReasoningModel(model)) return;
  if (listOf(body["include"]).includes("reasoning.encrypted_content")) {
    report({ message: "Encrypted content is not supported with this model.", param: "include" });
  }
  if (body["reasoning"] !== undefined && Object.keys(reasoning).length > 0) {
    const param = `reasoning.${Object.keys(reasoning)[0] ?? ""}`;
    report({
      message: `Unsupported parameter: '${param}' is not supported with this model.`,
      param,
      code: "unsupported_parameter",
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
