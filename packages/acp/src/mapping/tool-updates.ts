import type { ContentBlock, EventPayload, FileDiff } from "@acumen/agent";
import type { SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import { wireBlock } from "./content-blocks.ts";
import type { MappingContext, OpenCall } from "./mapping-context.ts";
import { fenced, shortened } from "./wire-text.ts";

type Call = EventPayload<"TOOL_CALL">;
type Result = EventPayload<"TOOL_RESULT">;
type CallUpdate = Extract<SessionUpdate, { sessionUpdate: "tool_call_update" }>;

/** Characters of a text in `rawOutput`; the whole of it is content. */
const MAX_RAW_CHARS = 2_000;
const NO_RESULT = "The call has no result: the turn ended before it.";
/** Kinds whose texts are files and terminals rather than prose. */
const VERBATIM_KINDS: ReadonlySet<Call["kind"]> = new Set(["read", "search", "execute"]);

/** Announces a call, before anybody is asked. */
export function callUpdate(
  call: Call,
  turnId: string | null,
  { openCalls }: MappingContext,
): SessionUpdate {
  openCalls.set(call.call_id, { call, turnId });
  const { call_id: toolCallId, exposed_name: name, kind, title, input, locations } = call;
  return {
    sessionUpdate: "tool_call",
    toolCallId,
    name,
    title: title === "" ? name : title,
    kind,
    status: "pending",
    rawInput: input,
    locations: wireLocations(locations),
    content: diffContent(call.diff),
  };
}

/** Undefined: the call was never announced, or has ended already. */
export function resultUpdate(
  result: Result,
  { openCalls }: MappingContext,
): SessionUpdate | undefined {
  const open = openCalls.get(result.call_id);
  if (open === undefined) return undefined;
  openCalls.delete(result.call_id);
  const { status, output, exit_code, duration_ms, truncated, diff } = result;
  const { call } = open;
  // What a program put out, not what this product says about a call that did not run.
  const isVerbatim =
    VERBATIM_KINDS.has(call.kind) && (status === "completed" || exit_code !== null);
  return {
    sessionUpdate: "tool_call_update",
    toolCallId: result.call_id,
    status: status === "completed" ? "completed" : "failed",
    content: [
      ...diffContent(diff.length > 0 ? diff : call.diff),
      ...terminalContent(open),
      // Where the command came to its end the terminal has said all.
      ...(open.terminalId !== undefined && exit_code !== null
        ? []
        : output.map((block) => outputContent(block, isVerbatim))),
    ],
    rawOutput: { status, exit_code, duration_ms, truncated, output: output.map(rawBlock) },
  };
}

export function startedUpdate({ call }: OpenCall): CallUpdate {
  return {
    sessionUpdate: "tool_call_update",
    toolCallId: call.call_id,
    status: "in_progress",
  };
}

/** The host's terminal in which a call runs. */
export function terminalUpdate(open: OpenCall): CallUpdate {
  const content = [...diffContent(open.call.diff), ...terminalContent(open)];
  return { ...startedUpdate(open), content };
}

function terminalContent({ terminalId }: OpenCall): ToolCallContent[] {
  return terminalId === undefined ? [] : [{ type: "terminal", terminalId }];
}

/** What a running call put out so far: content is replaced as a whole. */
export function outputUpdate({ call }: OpenCall, output: string): CallUpdate {
  return {
    ...startedUpdate({ call, turnId: null }),
    content: [...diffContent(call.diff), textContent(fenced(output))],
  };
}

/** A call that never gets a result. */
export function cutOffUpdate(open: OpenCall): SessionUpdate {
  const { call } = open;
  return {
    sessionUpdate: "tool_call_update",
    toolCallId: call.call_id,
    status: "failed",
    content: [...diffContent(call.diff), ...terminalContent(open), textContent(NO_RESULT)],
  };
}

/** Null as old text: a new file. */
export function diffContent(diffs: readonly FileDiff[]): ToolCallContent[] {
  return diffs.map(({ path, old_text: oldText, new_text: newText }) => ({
    type: "diff",
    path,
    oldText,
    newText,
  }));
}

export function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

/** Lines count from 1. */
export function wireLocations(locations: Call["locations"]): { path: string; line?: number }[] {
  return locations.map(({ path, line }) => ({
    path,
    ...(line !== undefined && line >= 1 && { line }),
  }));
}

function outputContent(block: ContentBlock, isVerbatim: boolean): ToolCallContent {
  const content = wireBlock(block);
  const isProse = !isVerbatim && block.type !== "structured";
  if (content.type !== "text" || content.text === "" || isProse) {
    return { type: "content", content };
  }
  return textContent(fenced(content.text));
}

function rawBlock(block: ContentBlock): unknown {
  if (block.type === "text") return { type: "text", text: shortened(block.text, MAX_RAW_CHARS) };
  if (block.type === "resource_link" || block.type === "resource") {
    return { type: block.type, uri: block.uri };
  }
  return { type: block.type };
}
