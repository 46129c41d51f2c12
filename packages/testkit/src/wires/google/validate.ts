import { type JsonObject, listOf, objectOf, optionalNumber, shown, textOf } from "../json-read.ts";
import type { GenerateCall, Report } from "../wire.ts";
import type { CallLedger } from "./call-ledger.ts";
import { checkContents } from "./content-rules.ts";
import { isGemini3 } from "./model-traits.ts";
import { checkFunctionParameters } from "./parameter-rules.ts";
import { checkGoogleSchema } from "./schema-rules.ts";

const PARAMETERS = new Set(
  `cachedContent contents continuationToken generationConfig labels safetySettings serviceTier systemInstruction toolConfig
  tools`.split(/\s+/),
);
const CONFIG = new Set(
  `audioTimestamp candidateCount frequencyPenalty imageConfig logprobs maxOutputTokens mediaResolution presencePenalty
  responseJsonSchema responseLogprobs responseMimeType responseModalities responseSchema seed speechConfig stopSequences
  temperature thinkingConfig topK topP`.split(/\s+/),
);
const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;

export function validateGoogleCall(call: GenerateCall, ledger: CallLedger, report: Report): void {
  const { body, model } = call;
  checkNames(body, PARAMETERS, "", report);
  checkNames(objectOf(body["generationConfig"]), CONFIG, "generation_config", report);
  checkContents(body, model, ledger, report);
  checkTools(body, report);
  checkConfig(body, model, report);
}

function checkNames(
  value: JsonObject,
  known: ReadonlySet<string>,
  place: string,
  report: Report,
): void {
  for (const key of Object.keys(value)) {
    if (known.has(key)) continue;
    report({
      message: `Invalid JSON payload received. Unknown name "${key}"${place === "" ? "" : ` at '${place}'`}: Cannot find field.`,
      ...(place !== "" && { param: place }),
      code: "payload",
    });
  }
}

function checkTools(body: JsonObject, report: Report): void {
  const names = new Set<string>();
  for (const [toolIndex, tool] of listOf(body["tools"]).entries()) {
    for (const [index, value] of listOf(objectOf(tool)["functionDeclarations"]).entries()) {
      const path = `tools[${toolIndex}].function_declarations[${index}]`;
      const declaration = objectOf(value);
      const name = textOf(declaration["name"]);
      if (!NAME.test(name)) {
        report({
          message: `The GenerateContentRequest proto is invalid:\n  * ${path}.name: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.`,
        });
      }
      if (names.has(name)) report({ message: `Duplicate function declaration found: ${name}` });
      names.add(name);
      checkParameters(declaration, path, report);
    }
  }
  const config = objectOf(objectOf(body["toolConfig"])["functionCallingConfig"]);
  if (Object.keys(config).length > 0 && names.size === 0) {
    report({ message: "Function calling config is set without function_declarations." });
  }
  for (const allowed of listOf(config["allowedFunctionNames"])) {
    if (names.has(shown(allowed))) continue;
    report({
      message: `allowed_function_names contains an undeclared function: ${shown(allowed)}`,
    });
  }
}

function checkParameters(declaration: JsonObject, path: string, report: Report): void {
  const { parameters, parametersJsonSchema } = declaration;
  if (parametersJsonSchema !== undefined) {
    if (parameters !== undefined) {
      report({
        message: `* GenerateContentRequest.${path}: parameters and parameters_json_schema must not be set at the same time\n`,
      });
    }
    return;
  }
  // A function without arguments has no parameters at all.
  if (parameters === undefined) return;
  checkGoogleSchema(parameters, `${path}.parameters`, report);
  checkFunctionParameters(declaration, path, report);
  const { type, properties } = objectOf(parameters);
  const place = `* GenerateContentRequest.${path}.parameters`;
  if (shown(type).toUpperCase() !== "OBJECT") {
    report({ message: `${place}: schema should be of type OBJECT\n` });
  } else if (Object.keys(objectOf(properties)).length === 0) {
    report({ message: `${place}.properties: should be non-empty for OBJECT type\n` });
  }
}

function checkConfig(body: JsonObject, model: string, report: Report): void {
  const config = objectOf(body["generationConfig"]);
  const temperature = optionalNumber(config["temperature"]);
  if (temperature !== undefined && (temperature < 0 || temperature > 2)) {
    report({
      message:
        "* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0].\n",
    });
  }
  const maxTokens = optionalNumber(config["maxOutputTokens"]);
  if (maxTokens !== undefined && maxTokens < 1) {
    report({ message: "max_output_tokens must be positive." });
  }
  const json = config["responseMimeType"] === "application/json";
  if (config["responseSchema"] !== undefined) {
    checkGoogleSchema(config["responseSchema"], "generation_config.response_schema", report);
    if (!json) {
      report({
        message:
          "* GenerateContentRequest.generation_config.response_schema: only allowed when response_mime_type is 'application/json'\n",
      });
    }
  }
  if (json && listOf(body["tools"]).length > 0 && !isGemini3(model)) {
    report({
      message: "Function calling with a response mime type: 'application/json' is unsupported",
    });
  }
  if (objectOf(config["thinkingConfig"])["thinkingLevel"] !== undefined && !isGemini3(model)) {
    report({ message: "Thinking level is not supported for this model." });
  }
}
