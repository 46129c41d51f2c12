import { type ContentBlock, textBlock } from "../../content/content-block.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import type { ToolOutcome } from "../../tools/tool.ts";
import type { RawCallResult } from "../connection/mcp-connection.ts";

export interface ToolOutcomeOptions {
  /** Absolute path of an existing folder for whole results. */
  readonly outputFolder: () => Promise<string>;
  readonly redact: Redactor;
  /** Of files of this call, without ending. */
  readonly name: string;
  readonly signal: AbortSignal;
}

/** A server's answer as typed blocks within the size caps. */
export function toolOutcome(
  result: RawCallResult,
  _options: ToolOutcomeOptions,
): Promise<ToolOutcome> {
  const content = Array.isArray(result["content"]) ? (result["content"] as unknown[]) : [];
  const output = content.map((block): ContentBlock => {
    const text = (block as { text?: unknown } | null)?.text;
    return textBlock(typeof text === "string" ? text : "[unsupported block]");
  });
  return Promise.resolve({
    status: result["isError"] === true ? "failed" : "completed",
    output: output.length === 0 ? [textBlock("(empty result)")] : output,
  });
}
