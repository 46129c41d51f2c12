import { type JsonObject, objectOf, textOf } from "../json-read.ts";
import type { Report } from "../wire.ts";
import { functionSchemaFault, strictSchemaFault } from "./strict-schema.ts";

const NAME = /^[a-zA-Z0-9_-]+$/;
const MAX_NAME = 64;
const MAX_TOOLS = 128;

/** A function definition and where its fields are in the request, since the two wires nest them differently. */
export interface FunctionTool {
  readonly definition: JsonObject;
  /** `tools[0].function` or `tools[0]`. */
  readonly path: string;
}

export function checkFunctionTools(tools: readonly FunctionTool[], report: Report): void {
  if (tools.length > MAX_TOOLS) {
    report({
      message: `Invalid 'tools': array too long. Expected an array with maximum length ${MAX_TOOLS}, but got an array with length ${tools.length} instead.`,
      param: "tools",
      code: "array_above_max_length",
    });
  }
  const seen = new Set<string>();
  for (const { definition, path } of tools) {
    checkName(definition["name"], `${path}.name`, report);
    const name = textOf(definition["name"]);
    if (seen.has(name)) {
      // Not sure in life: the service may take the last one, and then calls reach the wrong tool.
      report({
        message: `Invalid '${path}.name': duplicate function name '${name}'.`,
        param: `${path}.name`,
        code: "invalid_value",
      });
    }
    seen.add(name);
    checkParameters(definition, `${path}.parameters`, report);
  }
}

export function checkName(value: unknown, param: string, report: Report): void {
  const name = textOf(value);
  if (value === undefined) {
    report({
      message: `Missing required parameter: '${param}'.`,
      param,
      code: "missing_required_parameter",
    });
  } else if (name === "") {
    report({
      message: `Invalid '${param}': empty string. Expected a string with minimum length 1, but got an empty string instead.`,
      param,
      code: "empty_string",
    });
  } else if (name.length > MAX_NAME) {
    report({
      message: `Invalid '${param}': string too long. Expected a string with maximum length ${MAX_NAME}, but got a string with length ${name.length} instead.`,
      param,
      code: "string_above_max_length",
    });
  } else if (!NAME.test(name)) {
    report({
      message: `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      param,
      code: "invalid_value",
    });
  }
}

function checkParameters(definition: JsonObject, param: string, report: Report): void {
  const schema = definition["parameters"];
  // Without parameters a function takes none.
  if (schema === undefined || schema === null) return;
  const fault =
    functionSchemaFault(schema) ??
    (definition["strict"] === true ? strictSchemaFault(schema) : undefined);
  if (fault === undefined) return;
  report({
    message: `Invalid schema for function '${textOf(definition["name"])}': ${fault}`,
    param,
    code: "invalid_function_parameters",
  });
}

/** `tool_choice` and `parallel_tool_calls` need tools, and a named tool must be there. */
export function checkToolChoice(
  body: JsonObject,
  tools: readonly FunctionTool[],
  report: Report,
): void {
  for (const param of ["tool_choice", "parallel_tool_calls"]) {
    if (body[param] !== undefined && tools.length === 0) {
      report({ message: `'${param}' is only allowed when 'tools' are specified.`, param });
    }
  }
  const choice = objectOf(body["tool_choice"]);
  const named = textOf(objectOf(choice["function"])["name"] ?? choice["name"]);
  if (named !== "" && !tools.some(({ definition }) => definition["name"] === named)) {
    report({
      message: `Tool choice '${named}' not found in 'tools' parameter.`,
      param: "tool_choice",
    });
  }
}

/** The schema of a structured answer. `format`: object with `name`, `schema`, `strict`. */
export function checkAnswerSchema(
  format: JsonObject,
  where: { readonly name: string; readonly schema: string },
  report: Report,
): void {
  checkName(format["name"], where.name, report);
  if (format["schema"] === undefined) {
    report({
      message: `Missing required parameter: '${where.schema}'.`,
      param: where.schema,
      code: "missing_required_parameter",
    });
    return;
  }
  const fault = format["strict"] === true ? strictSchemaFault(format["schema"]) : undefined;
  if (fault === undefined) return;
  report({
    message: `Invalid schema for response_format '${textOf(format["name"])}': ${fault}`,
    param: where.schema,
    code: "invalid_json_schema",
  });
}
