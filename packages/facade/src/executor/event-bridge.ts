import { type ContentBlock, type SessionEvent, textOf, type TurnSink } from "@acumen/agent";
import type { ExecutorEvent, ExecutorRun } from "../plans/plan-executor.ts";
import { toolName } from "./tool-name.ts";

interface KnownCall {
  readonly call_id: string;
  readonly tool: string;
}

const ERROR_STATUSES = new Set(["failed", "rejected", "cancelled"]);

/**
 * Tells of a coding session's tokens, and of its tool calls as events of its plan: names and sizes. What went in and came out stands in the session's
 * own log, which `agent_session_id` names.
 */
export class EventBridge implements TurnSink {
  readonly #run: Pick<ExecutorRun, "event" | "spent">;
  readonly #sessionId: string;
  readonly #calls = new Map<string, KnownCall>();

  constructor(sessionId: string, run: Pick<ExecutorRun, "event" | "spent">) {
    this.#sessionId = sessionId;
    this.#run = run;
  }

  async event({ type, payload }: SessionEvent): Promise<void> {
    if (type === "USAGE") {
      const { input_tokens, output_tokens, cached_input_tokens } = payload;
      this.#run.spent({
        inputTokens: input_tokens,
        outputTokens: output_tokens,
        ...(cached_input_tokens > 0 && { cachedInputTokens: cached_input_tokens }),
      });
    } else if (type === "TOOL_CALL") {
      const { call_id, kind, title, input, server } = payload;
      const tool = toolName(payload.tool, server);
      this.#calls.set(call_id, { call_id, tool });
      const input_chars = (JSON.stringify(input) ?? "").length;
      await this.#send("tool.invoked", { call_id, tool, kind, title, input_chars });
    } else if (type === "TOOL_RESULT") {
      const { call_id, status, exit_code, duration_ms, truncated, output, diff } = payload;
      const call = this.#calls.get(call_id) ?? { call_id, tool: "unknown" };
      await this.#send(ERROR_STATUSES.has(status) ? "tool.errored" : "tool.completed", {
        ...call,
        status,
        exit_code,
        duration_ms,
        truncated,
        output_chars: charsOf(output),
        files_changed: diff.length,
      });
    }
  }

  #send(event_type: string, data: ExecutorEvent["data"]): Promise<void> {
    return this.#run.event({ event_type, data: { ...data, agent_session_id: this.#sessionId } });
  }
}

function charsOf(blocks: readonly ContentBlock[]): number {
  return textOf(blocks).length;
}
