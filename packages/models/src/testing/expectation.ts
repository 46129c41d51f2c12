import type { LanguageModelV3CallOptions, LanguageModelV3Prompt } from "@ai-sdk/provider";
import { chosenLevel } from "../reasoning/chosen-level.ts";
import type { ScriptStep } from "./script.ts";

export interface Mismatch {
  /** Key of `expect`. */
  readonly field: string;
  readonly expected: string;
  readonly actual: string;
}

/** The first expectation that a call does not meet. */
export function mismatchOf(
  expected: NonNullable<ScriptStep["expect"]>,
  call: LanguageModelV3CallOptions,
): Mismatch | undefined {
  const { prompt, tools = [] } = call;
  const views: Readonly<Record<keyof typeof expected, () => string>> = {
    systemIncludes: () => systemText(prompt),
    lastUserIncludes: () => lastUserText(prompt),
    toolResultIncludes: () => newToolResults(prompt),
    toolsInclude: () => tools.map(({ name }) => name).join("\n"),
    thoughtLevel: () => chosenLevel(call) ?? "default",
  };
  for (const [field, view] of Object.entries(views) as [keyof typeof expected, () => string][]) {
    const wanted = expected[field];
    if (wanted === undefined) continue;
    const actual = view();
    const isWhole = field === "toolsInclude" || field === "thoughtLevel";
    const names = isWhole ? actual.split("\n") : undefined;
    const missing = [wanted]
      .flat()
      .find((text) => !(names === undefined ? actual.includes(text) : names.includes(text)));
    if (missing !== undefined) return { field, expected: missing, actual };
  }
  return undefined;
}

function systemText(prompt: LanguageModelV3Prompt): string {
  return prompt
    .flatMap((message) => (message.role === "system" ? [message.content] : []))
    .join("\n\n");
}

/** Text of the last user message. */
export function lastUserText(prompt: LanguageModelV3Prompt): string {
  const message = prompt.findLast(({ role }) => role === "user");
  if (message?.role !== "user") return "";
  return message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** Results of tools since the last assistant message. */
function newToolResults(prompt: LanguageModelV3Prompt): string {
  const start = prompt.findLastIndex(({ role }) => role === "assistant") + 1;
  return prompt
    .slice(start)
    .flatMap((message) => (message.role === "tool" ? message.content : []))
    .flatMap((part) => (part.type === "tool-result" ? [outputText(part.output)] : []))
    .join("\n");
}

type ToolMessage = Extract<LanguageModelV3Prompt[number], { role: "tool" }>;
type ToolOutput = Extract<ToolMessage["content"][number], { type: "tool-result" }>["output"];

function outputText(output: ToolOutput): string {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value;
    case "json":
    case "error-json":
      return JSON.stringify(output.value);
    case "execution-denied":
      return output.reason ?? "";
    case "content":
      return output.value
        .map((part) => (part.type === "text" ? part.text : `[${part.type}]`))
        .join("\n");
  }
}
