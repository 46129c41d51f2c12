import { isJsonObject } from "@acumen/core";
import { type JsonObject, listOf, objectOf, shown } from "../json-read.ts";
import type { Report } from "../wire.ts";

/** The service does not say what its limit is; reports exist from about six levels on, and ten is refused for sure. */
const MAX_LEVELS = 10;
const STRING_FORMATS = ["enum", "date-time"];

interface Place {
  /** `parameters.a.b`, as Vertex AI names it. */
  readonly dotted: string;
  /** `GenerateContentRequest.tools[0]…`. */
  readonly request: string;
  readonly level: number;
}

/**
 * Rules for the parameters of functions beyond those of every schema, in the words of the Gemini API or of Vertex AI, which
 * serve the same models. Sources: google-gemini/gemini-cli issues 3178 (formats) and 5923 (depth), google/adk-python issue
 * 3281 (`any_of` alone), zereight/gitlab-mcp issue 223 (the name in the depth error).
 */
export function checkFunctionParameters(
  { name, parameters }: JsonObject,
  path: string,
  report: Report,
): void {
  const place = {
    dotted: "parameters",
    request: `GenerateContentRequest.${path}.parameters`,
    level: 1,
  };
  new ParameterCheck(shown(name), report).node(parameters, place);
}

class ParameterCheck {
  readonly #name: string;
  readonly #report: Report;

  constructor(name: string, report: Report) {
    this.#name = name;
    this.#report = report;
  }

  node(schema: unknown, place: Place): void {
    if (!isJsonObject(schema)) return;
    if (place.level > MAX_LEVELS) {
      this.#report({
        message: `FunctionDeclaration '${this.#name}' in the request exceeds the maximum allowed nesting depth.`,
      });
      return;
    }
    const { type, format, items } = schema;
    const union = listOf(schema["anyOf"]);
    if (union.length > 0 && Object.keys(schema).length > 1) {
      this.#vertex(
        place,
        "schema specified other fields alongside any_of. When using any_of, it must be the only field set.",
      );
    }
    if (union.length === 0 && type === undefined) {
      this.#vertex(
        place,
        "schema didn't specify the schema type field. Ensure all Schema type fields are specified.",
      );
    }
    const isText = shown(type).toUpperCase() === "STRING";
    if (isText && format !== undefined && !STRING_FORMATS.includes(shown(format))) {
      this.#report({
        message: `* ${place.request}.format: only 'enum' and 'date-time' are supported for STRING type\n`,
      });
    }
    for (const [key, value] of Object.entries(objectOf(schema["properties"]))) {
      this.node(value, below(place, `.${key}`, `.properties[${key}]`, 1));
    }
    this.node(items, below(place, "", ".items", 1));
    for (const [index, branch] of union.entries()) {
      this.node(branch, below(place, "", `.any_of[${index}]`, 0));
    }
  }

  #vertex({ dotted }: Place, text: string): void {
    this.#report({
      message: `Unable to submit request because \`${this.#name}\` functionDeclaration \`${dotted}\` ${text}`,
    });
  }
}

function below(place: Place, dotted: string, request: string, levels: number): Place {
  return {
    dotted: `${place.dotted}${dotted}`,
    request: `${place.request}${request}`,
    level: place.level + levels,
  };
}
