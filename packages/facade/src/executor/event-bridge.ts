import { type Redactor, type SessionEvent, textOf, type TurnSink } from "@acumen/agent";
import type { ExecutorEvent, ExecutorRun } from "../plans/plan-executor.ts";
import { callName, toolName } from "./tool-name.ts";

interface KnownCall {
  readonly call_id: string;
  readonly tool: string;
}

const ERROR_STATUSES = new Set(["failed", "rejected", "cancelled"]);

/** Of what went into a call, and of what came out of it. */
const MAX_BODY_BYTES = 16 * 1024;
const MAX_TITLE_CHARS = 500;

/**
 * Tells of a coding session's tokens, and of its tool calls as events of its plan: names and sizes, and for
 * those that ask the beginning of what went in and came out. The whole stands in the session's own log, which `agent_session_id` names.
 */
export class EventBridge implements TurnSink {
  readonly #run: Pick<ExecutorRun, "event" | "spent">;
  readonly #sessionId: string;
  readonly #redact: Redactor;
  readonly #calls = new Map<string, KnownCall>();

  constructor(sessionId: string, run: Pick<ExecutorRun, "event" | "spent">, redact: Redactor) {
    this.#sessionId = sessionId;
    this.#run = run;
    this.#redact = redact;
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
      const { kind, input, server } = payload;
      const call_id = callName(this.#sessionId, payload.call_id);
      const title = this.#redact(payload.title).slice(0, MAX_TITLE_CHARS);
      const tool = toolName(payload.tool, server);
      this.#calls.set(call_id, { call_id, tool });
      const input_chars = (JSON.stringify(input) ?? "").length;
      const body = this.#body(JSON.stringify(input) ?? "");
      await this.#send("tool.invoked", { call_id, tool, kind, title, input_chars, input: body });
    } else if (type === "TOOL_RESULT") {
      const call_id = callName(this.#sessionId, payload.call_id);
      const { status, exit_code, duration_ms, truncated, output, diff } = payload;
      const text = textOf(output);
      const call = this.#calls.get(call_id) ?? { call_id, tool: "unknown" };
      await this.#send(ERROR_STATUSES.has(status) ? "tool.errored" : "tool.completed", {
        ...call,
        status,
        exit_code,
        duration_ms,
        truncated,
        output_chars: text.length,
        output: this.#body(text),
        files_changed: diff.length,
      });
    }
  }

  /** Without secrets, then cut: half a secret would not be known as one. */
  #body(text: string): string {
    const clean = this.#redact(text);
    const bytes = Buffer.from(clean);
    if (bytes.length <= MAX_BODY_BYTES) return clean;
    const kept = bytes
      .subarray(0, MAX_BODY_BYTES)
      .toString()
      .replace(/\ufffd$/, "");
    return `${kept}… [${clean.length - kept.length} more characters]`;
  }

  #send(event_type: string, data: ExecutorEvent["data"]): Promise<void> {
    return this.#run.event({ event_type, data: { ...data, agent_session_id: this.#sessionId } });
  }
}
