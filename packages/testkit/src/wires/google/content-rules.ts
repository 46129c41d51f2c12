import { isJsonObject } from "@acumen/core";
import { objectOf, optionalText, textOf } from "../json-read.ts";
import type { Report } from "../wire.ts";
import type { CallLedger } from "./call-ledger.ts";
import { type Content, contentsOf } from "./contents.ts";
import { isGemini3 } from "./model-traits.ts";

const DATA_FIELDS = [
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
];
/** Lets calls of another origin through; a call of this service has its own signature. */
const SKIP_SIGNATURE = "skip_thought_signature_validator";

export function checkContents(
  body: Record<string, unknown>,
  model: string,
  ledger: CallLedger,
  report: Report,
): void {
  const contents = contentsOf(body);
  if (contents.length === 0) {
    report({ message: "* GenerateContentRequest.contents: contents is not specified\n" });
    return;
  }
  for (const content of contents) checkContent(content, report);
  for (const [position, content] of contents.entries()) {
    checkTurn(content, contents[position - 1], contents[position + 1], report);
  }
  if (contents.at(-1)?.role === "model" && contents.at(-1)?.calls.length === 0) {
    report({
      message: "Please ensure that multiturn requests end with a user role or a function response.",
    });
  }
  checkSignatures(contents, model, ledger, report);
}

function checkContent({ role, index, parts }: Content, report: Report): void {
  const path = `contents[${index}].parts`;
  if (role !== "user" && role !== "model") {
    report({ message: "Please use a valid role: user, model." });
  }
  if (parts.length === 0) {
    report({ message: `* GenerateContentRequest.${path}: contents.parts must not be empty.\n` });
  }
  for (const [position, part] of parts.entries()) {
    if (!DATA_FIELDS.some((field) => part[field] !== undefined)) {
      report({
        message: `* GenerateContentRequest.${path}[${position}].data: required oneof field 'data' must have one initialized field\n`,
      });
    }
    checkStruct(part["functionCall"], "args", `${path}[${position}].function_call`, report);
    checkStruct(
      part["functionResponse"],
      "response",
      `${path}[${position}].function_response`,
      report,
    );
  }
}

function checkStruct(value: unknown, field: string, path: string, report: Report): void {
  if (value === undefined) return;
  const struct = objectOf(value)[field];
  if (isJsonObject(struct) || (struct === undefined && field === "args")) return;
  report({
    message: `Invalid value at '${path}.${field}' (type.googleapis.com/google.protobuf.Struct), ${JSON.stringify(struct ?? null)}`,
    param: `${path}.${field}`,
    code: "payload",
  });
}

function checkTurn(
  content: Content,
  before: Content | undefined,
  after: Content | undefined,
  report: Report,
): void {
  if (content.calls.length > 0) {
    if (before?.role !== "user") {
      report({
        message:
          "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
      });
    }
    if (after?.responses.length !== content.calls.length) {
      report({
        message:
          "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
      });
    }
  }
  if (content.responses.length > 0) checkResponses(content, before, report);
  // Only the oldest models say so themselves, and a user's words right behind tool results are usual in agents;
  // anything else is a history that went wrong.
  const afterResults = content.role === "user" && (before?.responses.length ?? 0) > 0;
  if (before?.role === content.role && !afterResults) {
    report({ message: "Please ensure that multiturn requests alternate between user and model." });
  }
  if (before === undefined && content.role === "model") {
    report({ message: "Please ensure that multiturn requests start with a user role." });
  }
}

function checkResponses(content: Content, before: Content | undefined, report: Report): void {
  if ((before?.calls.length ?? 0) === 0) {
    report({
      message:
        "Please ensure that function response turn comes immediately after a function call turn.",
    });
    return;
  }
  const names = (before?.calls ?? []).map((part) => objectOf(part["functionCall"])["name"]);
  for (const part of content.responses) {
    const name = textOf(objectOf(part["functionResponse"])["name"]);
    if (names.includes(name)) continue;
    report({
      message: `Please ensure that each function response has the name of a function call of the turn before it: '${name}' has none.`,
    });
  }
}

function checkSignatures(
  contents: readonly Content[],
  model: string,
  ledger: CallLedger,
  report: Report,
): void {
  // The service looks at calls since the last words of the user; earlier ones it lets pass.
  const turnStart = contents.findLastIndex(
    ({ role, responses }) => role === "user" && responses.length === 0,
  );
  for (const content of contents) {
    for (const part of content.parts) {
      const signature = optionalText(part["thoughtSignature"]);
      if (signature === undefined || signature === SKIP_SIGNATURE) continue;
      if (!ledger.knows(signature)) report({ message: "Thought signature is not valid." });
    }
    for (const [position, part] of content.calls.entries()) {
      const { id, name, args } = objectOf(part["functionCall"]);
      const issued = ledger.candidates(optionalText(id), textOf(name), args ?? {});
      const given = optionalText(part["thoughtSignature"]);
      const foreign = issued.length === 0;
      const required =
        !foreign || (isGemini3(model) && position === 0 && content.index > turnStart);
      const present = foreign
        ? given !== undefined
        : issued.some(({ signature }) => signature === given);
      if (required && !present) missingSignature(textOf(name), content.index + 1, report);
    }
  }
}

function missingSignature(name: string, position: number, report: Report): void {
  report({
    message: `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${position}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
  });
}
