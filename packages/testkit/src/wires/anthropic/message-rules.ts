import { isJsonObject } from "@acumen/core";
import { listOf, objectOf, shown, textOf } from "../json-read.ts";
import type { GenerateCall, Report } from "../wire.ts";
import { type Block, blocksOf, blocksOfType, type Turn, turnsOf } from "./conversation.ts";
import { rejectsPrefill } from "./model-traits.ts";

const BLOCK_TYPES = new Set([
  "text",
  "image",
  "document",
  "thinking",
  "redacted_thinking",
  "tool_use",
  "tool_result",
  "server_tool_use",
  "web_search_tool_result",
  "compaction",
]);
const TOOL_ID = /^[a-zA-Z0-9_-]+$/;
const MAX_CACHE_MARKS = 4;
const MID_SYSTEM_BETA = /mid-conversation-system/;

/** Shape and order of the messages, without their reasoning. */
export function checkMessages(call: GenerateCall, report: Report): void {
  const { body, model } = call;
  const { messages } = body;
  if (messages === undefined) return report({ message: "messages: Field required" });
  const list = listOf(messages);
  if (list.length === 0) {
    return report({ message: "messages: at least one message is required" });
  }
  checkSystem(body["system"], report);
  const midSystem = MID_SYSTEM_BETA.test(shown(call.headers["anthropic-beta"]));
  for (const [index, value] of list.entries()) {
    checkMessage(objectOf(value), index, list.length, midSystem, report);
  }
  if (objectOf(list[0])["role"] !== "user") {
    report({ message: 'messages: first message must use the "user" role' });
  }
  const turns = turnsOf(list.filter((value) => objectOf(value)["role"] !== "system"));
  checkToolPairs(turns, report);
  checkLast(turns.at(-1), model, report);
  checkToolsDeclared(body, turns, report);
  checkCacheMarks(body, report);
}

function checkSystem(system: unknown, report: Report): void {
  for (const { block } of blocksOf(system, "system")) {
    if (typeof system !== "string" && textOf(block["text"]) === "") {
      report({ message: "system: text content blocks must be non-empty" });
    }
  }
}

function checkMessage(
  message: Record<string, unknown>,
  index: number,
  count: number,
  midSystem: boolean,
  report: Report,
): void {
  const { role, content } = message;
  if (role === "system" && midSystem && index > 0) return;
  if (role !== "user" && role !== "assistant") {
    report({
      message: `messages: Unexpected role "${shown(role)}". ${role === "system" ? "The Messages API accepts a top-level `system` parameter, not" : 'Allowed roles are "user" or "assistant", not'} "${shown(role)}" as an input message role.`,
    });
    return;
  }
  const blocks = blocksOf(content, `messages.${index}.content`);
  const empty = blocks.length === 0 || content === "";
  if (empty && !(role === "assistant" && index === count - 1)) {
    report({
      message: `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
    });
    return;
  }
  for (const entry of blocks) checkBlock(entry, report);
  if (role === "assistant" && blocks.at(-1)?.block["type"] === "thinking") {
    report({
      message: `messages.${index}: The final block in an assistant message cannot be \`thinking\`.`,
    });
  }
}

function checkBlock({ block, path }: Block, report: Report): void {
  const type = textOf(block["type"]);
  if (!BLOCK_TYPES.has(type)) {
    report({
      message: `${path}: Input tag '${type}' found using 'type' does not match any of the expected tags`,
    });
  } else if (type === "text") checkText(block["text"], report);
  else if (type === "tool_use") checkToolUse({ block, path }, report);
  else if (type === "tool_result") {
    for (const { block: inner } of blocksOf(block["content"], path)) {
      if (Array.isArray(block["content"]) && inner["type"] === "text") {
        checkText(inner["text"], report);
      }
    }
  }
}

function checkText(value: unknown, report: Report): void {
  const text = textOf(value);
  if (text === "") report({ message: "messages: text content blocks must be non-empty" });
  else if (text.trim() === "") {
    report({ message: "messages: text content blocks must contain non-whitespace text" });
  }
}

function checkToolUse({ block, path }: Block, report: Report): void {
  if (!TOOL_ID.test(textOf(block["id"]))) {
    report({
      message: `${path}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`,
    });
  }
  if (!isJsonObject(block["input"])) {
    report({ message: `${path}.tool_use.input: Input should be a valid dictionary` });
  }
}

/** Results stand first in the very next turn, each once, each for a call of the turn before. */
function checkToolPairs(turns: readonly Turn[], report: Report): void {
  const used = new Set<string>();
  for (const [position, turn] of turns.entries()) {
    checkResults(turn, turns[position - 1], report);
    if (turn.role !== "assistant") continue;
    const ids = blocksOfType(turn, "tool_use").map(({ block }) => textOf(block["id"]));
    if (ids.some((id) => used.has(id)) || new Set(ids).size < ids.length) {
      report({ message: "messages: `tool_use` ids must be unique" });
    }
    for (const id of ids) used.add(id);
    const answered = new Set(leadingResults(turns[position + 1]));
    const missing = ids.filter((id) => !answered.has(id));
    if (missing.length === 0) continue;
    report({
      message: `messages.${turn.index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    });
  }
}

function checkResults(turn: Turn, before: Turn | undefined, report: Report): void {
  const calls = new Set(blocksOfType(before, "tool_use").map(({ block }) => textOf(block["id"])));
  const seen = new Set<string>();
  for (const { block, path } of blocksOfType(turn, "tool_result")) {
    const id = textOf(block["tool_use_id"]);
    if (turn.role !== "user" || !calls.has(id)) {
      report({
        message: `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      });
    } else if (seen.has(id)) {
      report({
        message: `${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      });
    }
    seen.add(id);
  }
}

function leadingResults(turn: Turn | undefined): string[] {
  const blocks = turn?.role === "user" ? turn.blocks : [];
  const end = blocks.findIndex(({ block }) => block["type"] !== "tool_result");
  return blocks
    .slice(0, end === -1 ? blocks.length : end)
    .map(({ block }) => textOf(block["tool_use_id"]));
}

function checkLast(last: Turn | undefined, model: string, report: Report): void {
  if (last?.role !== "assistant") return;
  if (rejectsPrefill(model)) {
    report({
      message:
        "This model does not support assistant message prefill. The conversation must end with a user message.",
    });
  }
  if (/\s$/.test(textOf(last.blocks.at(-1)?.block["text"]))) {
    report({ message: "messages: final assistant content cannot end with trailing whitespace" });
  }
}

/** What a compaction request without tools runs into. */
function checkToolsDeclared(
  body: GenerateCall["body"],
  turns: readonly Turn[],
  report: Report,
): void {
  if (listOf(body["tools"]).length > 0) return;
  const shapes = turns.some(
    (turn) => blocksOfType(turn, "tool_use").length + blocksOfType(turn, "tool_result").length > 0,
  );
  if (!shapes) return;
  report({
    message:
      "Requests which have `tool_use` or `tool_result` blocks in messages must define tools.",
  });
}

function checkCacheMarks(body: GenerateCall["body"], report: Report): void {
  const blocks = [
    ...listOf(body["tools"]).map(objectOf),
    ...blocksOf(body["system"], "system").map(({ block }) => block),
    ...turnsOf(listOf(body["messages"])).flatMap((turn) => turn.blocks.map(({ block }) => block)),
  ];
  const marks = blocks.filter(({ cache_control: mark }) => mark !== undefined && mark !== null);
  if (marks.length > MAX_CACHE_MARKS) {
    report({
      message: `A maximum of ${MAX_CACHE_MARKS} blocks with cache_control may be provided. Found ${marks.length}.`,
    });
  }
  if (marks.some((block) => block["type"] === "thinking")) {
    report({ message: "cache_control cannot be set for thinking blocks" });
  }
}
