import { type JsonObject, objectOf, optionalText, textOf } from "../json-read.ts";
import type { NeutralRequest, NeutralTool } from "../neutral-request.ts";

/** From `{name, description, parameters, strict}`. */
export function toolView(definition: JsonObject): NeutralTool {
  const description = optionalText(definition["description"]);
  return {
    name: textOf(definition["name"]),
    ...(description !== undefined && { description }),
    schema: definition["parameters"],
    ...(typeof definition["strict"] === "boolean" && { strict: definition["strict"] }),
  };
}

export function toolChoiceView(choice: unknown): Pick<NeutralRequest, "toolChoice"> {
  if (choice === "auto" || choice === "none" || choice === "required")
    return { toolChoice: choice };
  const named = objectOf(choice);
  const tool = textOf(objectOf(named["function"])["name"] ?? named["name"]);
  return tool === "" ? {} : { toolChoice: { tool } };
}
