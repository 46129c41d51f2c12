import { isJsonObject } from "@acumen/core";
import { type JsonObject, listOf, objectOf, optionalNumber, textOf } from "../json-read.ts";
import type { GenerateCall, Report } from "../wire.ts";
import { checkMessages } from "./message-rules.ts";
import { maxOutputTokens, rejectsSampling, supportsOutputFormat } from "./model-traits.ts";
import { inputSchemaFault, outputSchemaFault } from "./schema-rules.ts";
import type { ThinkingLedger } from "./thinking-ledger.ts";
import { checkThinking } from "./thinking-rules.ts";

const PARAMETERS = new Set(
  `cache_control container context_management fallbacks inference_geo max_tokens mcp_servers messages metadata model
  output_config safeguards service_tier speed stop_sequences stream system temperature thinking tool_choice tools
  top_k top_p`.split(/\s+/),
);
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;

export function validateAnthropicCall(
  call: GenerateCall,
  ledger: ThinkingLedger,
  report: Report,
): void {
  const { body, model, headers } = call;
  if (headers["anthropic-version"] === undefined) {
    report({ message: "anthropic-version: header is required" });
  }
  if (model === "") report({ message: "model: Field required" });
  const unknown = Object.keys(body).find((key) => !PARAMETERS.has(key));
  if (unknown !== undefined) {
    report({ message: `${unknown}: Extra inputs are not permitted` });
  }
  checkMaxTokens(body, model, report);
  checkMessages(call, report);
  checkTools(body, report);
  checkSampling(body, model, report);
  checkOutputFormat(body, model, report);
  checkThinking(call, ledger, report);
}

function checkMaxTokens(body: JsonObject, model: string, report: Report): void {
  const value = body["max_tokens"];
  if (value === undefined) return report({ message: "max_tokens: Field required" });
  const count = optionalNumber(value);
  const limit = maxOutputTokens(model);
  if (count === undefined || !Number.isInteger(count)) {
    report({ message: "max_tokens: Input should be a valid integer" });
  } else if (count < 1) {
    report({ message: "max_tokens: Input should be greater than or equal to 1" });
  } else if (count > limit) {
    report({
      message: `max_tokens: ${count} > ${limit}, which is the maximum allowed number of output tokens for ${model}`,
    });
  }
}

function checkTools(body: JsonObject, report: Report): void {
  const tools = listOf(body["tools"]).map(objectOf);
  const names = tools.map((tool) => textOf(tool["name"]));
  for (const [index, tool] of tools.entries()) {
    // Tools of the service itself bring neither a free name nor a schema.
    if (tool["type"] !== undefined && tool["type"] !== "custom") continue;
    checkTool(tool, `tools.${index}.custom`, report);
  }
  if (new Set(names).size < names.length) {
    report({ message: "tools: Tool names must be unique." });
  }
  const { tool_choice: choice } = body;
  if (choice === undefined) return;
  if (tools.length === 0) {
    report({ message: "tool_choice may only be specified while providing tools." });
  }
  const { type, name } = objectOf(choice);
  if (type === "tool" && !names.includes(textOf(name))) {
    report({ message: `Tool '${textOf(name)}' not found in provided tools` });
  }
}

function checkTool(tool: JsonObject, path: string, report: Report): void {
  if (tool["name"] === undefined) report({ message: `${path}.name: Field required` });
  else if (!TOOL_NAME.test(textOf(tool["name"]))) {
    report({
      message: `${path}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`,
    });
  }
  const fault = inputSchemaFault(tool["input_schema"]);
  if (fault !== undefined) report({ message: `${path}.input_schema${fault}` });
  else if (tool["strict"] === true) {
    const strictFault = outputSchemaFault(tool["input_schema"]);
    if (strictFault !== undefined) report({ message: `${path}: ${strictFault}` });
  }
}

function checkSampling(body: JsonObject, model: string, report: Report): void {
  const given = ["temperature", "top_p", "top_k"].filter((key) => body[key] !== undefined);
  if (rejectsSampling(model) && given.length > 0) {
    report({ message: `\`${given[0]}\` is deprecated for this model.` });
  }
  const temperature = optionalNumber(body["temperature"]);
  if (temperature !== undefined && (temperature < 0 || temperature > 1)) {
    report({ message: "temperature: range: 0..1" });
  }
  if (given.includes("temperature") && given.includes("top_p")) {
    report({
      message:
        "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
    });
  }
}

function checkOutputFormat(body: JsonObject, model: string, report: Report): void {
  const { format } = objectOf(body["output_config"]);
  if (format === undefined) return;
  if (!supportsOutputFormat(model)) {
    report({ message: `'${model}' does not support output format.` });
  }
  const { schema } = objectOf(format);
  if (!isJsonObject(schema)) {
    report({ message: "output_config.format.schema: Field required" });
    return;
  }
  const fault = outputSchemaFault(schema);
  if (fault !== undefined) report({ message: `output_config.format.schema: ${fault}` });
}
