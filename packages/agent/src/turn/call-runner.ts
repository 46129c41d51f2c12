import {
  abortError,
  AcumenError,
  type Clock,
  closest,
  parseJson,
  type Logger,
  throwIfAborted,
  untilAborted,
} from "@acumen/core";
import type { ApprovalGate } from "../approval/approval-gate.ts";
import type { SessionMode } from "../approval/session-mode.ts";
import { agentError } from "../errors.ts";
import type { MadeBy } from "../events/event-payloads.ts";
import type { EventDraft, EventPayload, SessionEvent } from "../events/session-event.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { failed } from "../tools/define-tool.ts";
import type { PreparedCall, RefusedCall, Tool, ToolOutcome } from "../tools/tool.ts";
import type { ToolRegistry } from "../tools/tool-registry.ts";
import type { StepCall } from "./model-step.ts";
import type { SinkChannel } from "./sink-channel.ts";
import { errorPayload } from "./turn-failure.ts";

export interface CallRunnerOptions {
  readonly sessionId: string;
  readonly turnId: string;
  readonly registry: Pick<ToolRegistry, "get" | "current" | "explain">;
  readonly gate: Pick<ApprovalGate, "decide">;
  /** Looked at for each call. */
  readonly mode: () => SessionMode;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly sink: SinkChannel;
  /** For output that is shown while it comes; the log has a redaction of its own. */
  readonly redact: Redactor;
  readonly record: (draft: EventDraft) => Promise<SessionEvent>;
}

export type CallStatus = EventPayload<"TOOL_RESULT">["status"];

/** A call that is logged and has no result yet. */
export interface OpenCall {
  readonly call: StepCall;
  readonly input: unknown;
  readonly tool: Tool | undefined;
  readonly prepared: PreparedCall | RefusedCall;
  /** There never was such a tool. */
  readonly isUnknown: boolean;
  readonly seq: number;
  readonly title: string;
}

/** A call with its result. */
export interface EndedCall extends OpenCall {
  readonly status: CallStatus;
  readonly outcome: Omit<ToolOutcome, "status">;
  /** Whoever was asked cancelled the turn. */
  readonly turnCancelled?: boolean;
}

interface ParsedInput {
  readonly value: unknown;
  /** Why it is no JSON. */
  readonly fault?: string;
}

/** How long a tool may take to stop; one that takes longer is reported as cancelled all the same. */
const STOPPING_MS = 700;
const CANCELLED = "The call was cancelled.";

/** One call of the model from its words to its result: prepared, logged, approved, run, answered. */
export class CallRunner {
  readonly #options: CallRunnerOptions;

  constructor(options: CallRunnerOptions) {
    this.#options = options;
  }

  /** Looks at the call and logs it. @throws the store's error */
  async open(call: StepCall, madeBy: MadeBy): Promise<OpenCall> {
    const tool = this.#options.registry.get(call.exposedName);
    const input = parseInput(call.input);
    const reason = tool === undefined ? this.#explained(call) : undefined;
    const prepared =
      reason === undefined
        ? await this.#prepare(call, tool, input)
        : { ok: false as const, message: reason };
    const isUnknown = tool === undefined && reason === undefined;
    return this.#log({ call, tool, input: input.value, prepared, isUnknown }, madeBy);
  }

  /** Undefined: it may run. Else the call with its result. @throws the store's error */
  async approve(open: OpenCall): Promise<EndedCall | undefined> {
    const { prepared, tool } = open;
    const { signal } = this.#options;
    if (signal.aborted) return this.#end(open, "cancelled", failed(CANCELLED));
    if (tool === undefined || !prepared.ok) {
      return this.#end(open, "failed", failed(prepared.ok ? "" : prepared.message));
    }
    try {
      return await this.#decide(open, tool, prepared);
    } catch (error) {
      if (!signal.aborted) throw error;
      return this.#end(open, "cancelled", failed(CANCELLED));
    }
  }

  /** Runs an approved call and answers it. @throws the store's error */
  async run(open: OpenCall): Promise<EndedCall> {
    const { clock } = this.#options;
    const startedAt = clock.monotonicMs();
    const outcome = await this.#outcomeOf(open);
    return this.#end(open, outcome.status, outcome, clock.monotonicMs() - startedAt);
  }

  /** Logs and answers a call that is not carried out. @throws the store's error */
  async skip(call: StepCall, madeBy: MadeBy, reason: string): Promise<EndedCall> {
    const tool = this.#options.registry.get(call.exposedName);
    const prepared: RefusedCall = { ok: false, message: reason };
    const { value: input } = parseInput(call.input);
    const isUnknown = tool === undefined && this.#explained(call) === undefined;
    const open = await this.#log({ call, tool, input, prepared, isUnknown }, madeBy);
    return this.#end(open, "cancelled", failed(reason));
  }

  async #prepare(
    { exposedName }: StepCall,
    tool: Tool | undefined,
    { value, fault }: ParsedInput,
  ): Promise<PreparedCall | RefusedCall> {
    if (tool === undefined) return { ok: false, message: this.#missing(exposedName) };
    const { signal } = this.#options;
    try {
      throwIfAborted(signal);
      const prepared = await untilAborted(tool.prepare(value, { signal }), signal);
      if (fault === undefined) return prepared;
      const expected = prepared.ok ? "Write one JSON object." : prepared.message;
      return { ok: false, message: `The input is no JSON: ${fault} ${expected}` };
    } catch (error) {
      if (!signal.aborted) await this.#fault(error);
      return { ok: false, message: `The tool could not look at the call: ${reasonOf(error)}` };
    }
  }

  #explained({ exposedName }: StepCall): string | undefined {
    return this.#options.registry.explain(exposedName);
  }

  #missing(name: string): string {
    const names = this.#options.registry.current().map(({ exposedName }) => exposedName);
    const near = closest(name, names);
    const hint = near === undefined ? "" : ` Did you mean ${near}?`;
    return `There is no tool ${JSON.stringify(name.slice(0, 100))}.${hint} These exist: ${names.join(", ")}.`;
  }

  async #log(call: Omit<OpenCall, "seq" | "title">, madeBy: MadeBy): Promise<OpenCall> {
    const { tool, prepared, input } = call;
    const { callId, exposedName, metadata } = call.call;
    const name = tool?.name ?? exposedName;
    const shown = prepared.ok ? prepared.preview : prepared;
    const title = shown.title ?? name;
    const { seq } = await this.#options.record({
      type: "TOOL_CALL",
      payload: {
        call_id: callId,
        tool: name,
        ...(tool?.origin.type === "mcp" && { server: tool.origin.server }),
        exposed_name: exposedName,
        kind: tool?.kind ?? "other",
        title,
        input,
        locations: [...(shown.locations ?? [])],
        diff: prepared.ok ? [...prepared.preview.diff] : [],
        made_by: madeBy,
        ...(metadata !== undefined && { provider_metadata: metadata }),
      },
    });
    return { ...call, seq, title };
  }

  async #decide(
    open: OpenCall,
    { name, origin, kind }: Tool,
    { preview }: PreparedCall,
  ): Promise<EndedCall | undefined> {
    const { gate, mode, signal, record, sessionId, turnId } = this.#options;
    const { call, input } = open;
    const { callId, exposedName } = call;
    const decided = await untilStopped(
      gate.decide(
        { sessionId, turnId, callId, tool: name, exposedName, origin, kind, input, preview },
        {
          mode: mode(),
          signal,
          requested: async (options) => {
            const payload = { call_id: callId, options: [...options] };
            await record({ type: "APPROVAL_REQUESTED", payload });
          },
        },
      ),
      signal,
    );
    const { decision, by, detail, message = "The call was rejected." } = decided;
    await record({
      type: "APPROVAL_DECIDED",
      payload: { call_id: callId, decision, by, ...(detail !== undefined && { detail }) },
    });
    if (decision === "allow_once" || decision === "allow_always") return undefined;
    if (decision !== "cancelled") return this.#end(open, "rejected", failed(message));
    return { ...(await this.#end(open, "cancelled", failed(CANCELLED))), turnCancelled: true };
  }

  async #outcomeOf(
    open: OpenCall,
  ): Promise<Omit<ToolOutcome, "status"> & { readonly status: CallStatus }> {
    const { signal, sink, sessionId, turnId } = this.#options;
    const { call, seq, prepared } = open;
    const { callId } = call;
    const output = this.#outputOf(open);
    try {
      throwIfAborted(signal);
      if (!prepared.ok) return failed(prepared.message);
      await sink.update({ type: "tool_started", turn_id: turnId, call_id: callId });
      const context = { sessionId, turnId, callId, seq, signal, onOutput: output.take };
      return await untilStopped(prepared.run(context), signal);
    } catch (error) {
      if (signal.aborted) return { ...failed(CANCELLED), status: "cancelled" as const };
      await this.#fault(error);
      return failed(`The tool failed: ${reasonOf(error)}`);
    } finally {
      output.end();
    }
  }

  /** Shows what a call puts out, without secrets; nothing any more after its end. */
  #outputOf({ call: { callId }, tool }: OpenCall): {
    readonly take: (text: string) => void;
    readonly end: () => void;
  } {
    const { sink, turnId, redact } = this.#options;
    const show = (text: string): void => {
      if (text !== "") sink.output(turnId, callId, text);
    };
    // `bash` redacts the stream itself, because it keeps it in a file too.
    const isSafe = tool?.origin.type === "builtin" && tool.name === "bash";
    const stream = isSafe || !sink.takesUpdates ? undefined : redact.stream();
    let ended = false;
    return {
      take: (text) => {
        if (!ended) show(stream === undefined ? text : stream.push(text));
      },
      end: () => {
        ended = true;
        show(stream?.end() ?? "");
      },
    };
  }

  async #end(
    open: OpenCall,
    status: CallStatus,
    outcome: Omit<ToolOutcome, "status">,
    durationMs = 0,
  ): Promise<EndedCall> {
    const { record } = this.#options;
    await record({
      type: "TOOL_RESULT",
      payload: {
        call_id: open.call.callId,
        status,
        output: [...outcome.output],
        exit_code: outcome.exitCode ?? null,
        duration_ms: Math.round(durationMs),
        truncated: outcome.truncated ?? false,
        diff: [...(outcome.diff ?? [])],
        ...(outcome.seen !== undefined && { seen: [...outcome.seen] }),
      },
    });
    if (outcome.plan !== undefined) {
      await record({ type: "PLAN_UPDATED", payload: { entries: [...outcome.plan] } });
    }
    return { ...open, status, outcome };
  }

  /** A tool that throws is a fault of the tool, not an answer to the model. */
  async #fault(error: unknown): Promise<void> {
    const coded = AcumenError.isInstance(error)
      ? error
      : agentError("AGENT_TOOL_FAILED", reasonOf(error));
    this.#options.logger.warn("a tool failed inside", { code: coded.code });
    await this.#options.record({ type: "ERROR", payload: errorPayload(coded, 1) });
  }
}

function parseInput(text: string): ParsedInput {
  if (text.trim() === "") return { value: {} };
  try {
    return { value: parseJson(text) };
  } catch (error) {
    return { value: text, fault: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Waits for a tool that stops by itself; after an abort only for a moment. */
async function untilStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await untilAborted(work, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(abortError(signal)), STOPPING_MS);
    });
    return await Promise.race([work, limit]).finally(() => clearTimeout(timer));
  }
}
