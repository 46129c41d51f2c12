import { visibleLine, visibleText } from "../text/visible-text.ts";
import type { ApprovalOption, ApprovalRequest } from "./approval-gateway.ts";
import type { GatedCall } from "./gated-call.ts";

/** What is shown of a call: all of it, with nothing hidden in it. */
export function approvalRequest(
  call: GatedCall,
  options: readonly ApprovalOption[],
  words: { readonly reason: string; readonly alwaysCovers: string },
): ApprovalRequest {
  const { preview, origin } = call;
  const { subject } = preview;
  return {
    sessionId: call.sessionId,
    turnId: call.turnId,
    callId: call.callId,
    tool: visibleLine(call.tool),
    origin: origin.type === "mcp" ? { ...origin, server: visibleLine(origin.server) } : origin,
    kind: call.kind,
    risk: preview.risk,
    title: visibleLine(preview.title),
    ...(subject.type === "command" && {
      command: visibleText(subject.command),
      cwd: visibleLine(subject.cwd),
      ...(subject.background === true && { background: true }),
    }),
    paths: subject.type === "files" ? subject.paths.map((path) => visibleLine(path)) : [],
    diff: preview.diff.map(({ path, old_text, new_text }) => ({
      path: visibleLine(path),
      old_text: old_text === null ? null : visibleText(old_text),
      new_text: visibleText(new_text),
    })),
    input: visibleText(inputText(call.input)),
    options,
    alwaysCovers: visibleLine(words.alwaysCovers),
    reason: visibleLine(words.reason),
  };
}

function inputText(input: unknown): string {
  return JSON.stringify(input, null, 2) ?? "";
}
