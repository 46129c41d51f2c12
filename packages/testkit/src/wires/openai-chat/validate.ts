import { type JsonObject, listOf, objectOf, shown } from "../json-read.ts";
import { isReasoningModel } from "../openai/model-traits.ts";
import { checkKnownParameters, checkMinimum, checkTemperature } from "../openai/setting-rules.ts";
import {
  checkAnswerSchema,
  checkFunctionTools,
  checkToolChoice,
  type FunctionTool,
} from "../openai/tool-rules.ts";
import type { GenerateCall, Report } from "../wire.ts";
import { checkMessages } from "./message-rules.ts";

const PARAMETERS = new Set(
  `audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages metadata
  modalities model n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options
  prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream
  stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options`.split(
    /\s+/,
  ),
);

export function validateChatCall({ body, model }: GenerateCall, report: Report): void {
  checkKnownParameters(body, PARAMETERS, report);
  if (model === "") report({ message: "you must provide a model parameter" });
  checkMessages(listOf(body["messages"]), report);
  const tools = functionTools(body, report);
  checkFunctionTools(tools, report);
  checkToolChoice(body, tools, report);
  checkTemperature(body, model, body["reasoning_effort"], report);
  checkTokenLimits(body, model, report);
  checkFormat(body, report);
  if (body["stream_options"] !== undefined && body["stream"] !== true) {
    report({
      message: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      param: "stream_options",
    });
  }
}

/**
 * What servers behind the compatible wire (Ollama, LM Studio, vLLM, hosted services) have in common: shape and order
 * of messages and usable tool names. Unknown parameters and odd schemas pass there.
 */
export function validateCompatibleCall({ body, model }: GenerateCall, report: Report): void {
  if (model === "") report({ message: "model is required", param: "model" });
  checkMessages(listOf(body["messages"]), report);
  const tools = functionTools(body, report).map(({ definition, path }) => {
    const { name } = definition;
    return { definition: { name }, path };
  });
  checkFunctionTools(tools, report);
  checkMinimum(body, "max_tokens", 1, report);
}

function functionTools(body: JsonObject, report: Report): FunctionTool[] {
  if (Array.isArray(body["tools"]) && body["tools"].length === 0) {
    report({
      message:
        "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      param: "tools",
      code: "empty_array",
    });
  }
  return listOf(body["tools"]).map((tool, index) => {
    const { type, function: definition } = objectOf(tool);
    if (type !== "function") {
      report({
        message: `Invalid value: '${shown(type)}'. Supported values are: 'function' and 'custom'.`,
        param: `tools[${index}].type`,
        code: "invalid_value",
      });
    }
    return { definition: objectOf(definition), path: `tools[${index}].function` };
  });
}

function checkTokenLimits(body: JsonObject, model: string, report: Report): void {
  checkMinimum(body, "max_tokens", 1, report);
  checkMinimum(body, "max_completion_tokens", 1, report);
  if (body["max_tokens"] === undefined || !isReasoningModel(model)) return;
  report({
    message:
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    param: "max_tokens",
    code: "unsupported_parameter",
  });
}

function checkFormat(body: JsonObject, report: Report): void {
  const format = objectOf(body["response_format"]);
  if (format["type"] === "json_schema") {
    const where = { name: "response_format.json_schema.name", schema: "response_format" };
    checkAnswerSchema(objectOf(format["json_schema"]), where, report);
  }
  if (format["type"] === "json_object" && !/json/i.test(JSON.stringify(body["messages"]))) {
    report({
      message:
        "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      param: "messages",
    });
  }
}
