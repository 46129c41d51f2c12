import { isJsonObject } from "@acumen/core";
import { THOUGHT_LEVELS } from "@acumen/models";
import { z } from "zod";
import { SESSION_MODES } from "../approval/session-mode.ts";
import { contentBlockSchema } from "../content/content-block.ts";

/** What a call does, for hosts to show; the words of the Agent Client Protocol. */
export const TOOL_KINDS = [
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "other",
] as const;

const mode = z.enum(SESSION_MODES);
/** How much the model is told to think; absent: its default. */
const thoughtLevel = z.enum(THOUGHT_LEVELS).exactOptional();
const blocks = z.array(contentBlockSchema);

/** Who made a message or call: its metadata is sent back to exactly this model and to no other. */
const madeBy = z.object({ provider: z.string(), model: z.string() });
/** The provider's own data (thinking signatures, reasoning item ids), kept as it came: a record of zod would lose a key `__proto__`. */
const providerMetadata = z.custom<Record<string, unknown>>(isJsonObject, "expected an object");

const location = z.object({ path: z.string(), line: z.number().int().exactOptional() });
/** Whole texts. `old_text` is null for a new file; a deleted file has an empty `new_text`. */
const fileDiff = z.object({
  path: z.string(),
  old_text: z.string().nullable(),
  new_text: z.string(),
});
/** A file as the model saw or made it; `sha256` (hex, of its bytes) is null for one that it deleted. */
const seenFile = z.object({ path: z.string(), sha256: z.string().nullable() });
const planEntry = z.object({
  content: z.string(),
  status: z.enum(["pending", "in_progress", "completed"]),
  priority: z.enum(["high", "medium", "low"]).exactOptional(),
});

/** One schema per event type; the record on disk and in every JSON output is exactly this. */
export const EVENT_PAYLOADS = {
  SESSION_CREATED: z.object({
    cwd: z.string(),
    additional_directories: z.array(z.string()),
    model: z.string(),
    thought_level: thoughtLevel,
    mode,
    forked_from: z.object({ session_id: z.string(), seq: z.number().int() }).exactOptional(),
  }),
  SESSION_RESUMED: z.object({
    model: z.string(),
    thought_level: thoughtLevel,
    mode,
    /** Records of the log that could not be read. */
    skipped_records: z.number().int(),
  }),
  MODE_CHANGED: z.object({ mode, previous: mode }),
  /** Also when the thought level alone changes; then `previous` is the same model. */
  MODEL_CHANGED: z.object({
    model: z.string(),
    previous: z.string(),
    thought_level: thoughtLevel,
  }),
  TITLE_CHANGED: z.object({ title: z.string() }),
  USER_MESSAGE: z.object({
    content: blocks,
    source: z.string(),
    /** Of the files that were attached. */
    seen: z.array(seenFile).exactOptional(),
  }),
  ASSISTANT_MESSAGE: z.object({
    message_id: z.string(),
    /** `command`: output of a local command, which the model never sees. */
    kind: z.enum(["assistant", "reasoning", "command"]),
    text: z.string(),
    /** Skills that the text cites. */
    skill_ids: z.array(z.string()),
    made_by: madeBy.exactOptional(),
    provider_metadata: providerMetadata.exactOptional(),
  }),
  TOOL_CALL: z.object({
    call_id: z.string(),
    /** Raw name, as its origin calls it. */
    tool: z.string(),
    /** MCP server; absent for built-in tools. */
    server: z.string().exactOptional(),
    /** Name under which the model called it. */
    exposed_name: z.string(),
    kind: z.enum(TOOL_KINDS),
    title: z.string(),
    /** Parsed JSON; the raw string when the model wrote something else. */
    input: z.unknown(),
    locations: z.array(location),
    diff: z.array(fileDiff),
    made_by: madeBy.exactOptional(),
    provider_metadata: providerMetadata.exactOptional(),
  }),
  TOOL_RESULT: z.object({
    call_id: z.string(),
    status: z.enum(["completed", "failed", "rejected", "cancelled"]),
    output: blocks,
    exit_code: z.number().int().nullable(),
    /** Of the run alone, without the time in which somebody was asked; 0 when it did not run. */
    duration_ms: z.number(),
    /** The output was cut; the whole of it is where the text says. */
    truncated: z.boolean(),
    diff: z.array(fileDiff),
    /** Absent: the call showed and changed no file. */
    seen: z.array(seenFile).exactOptional(),
  }),
  PLAN_UPDATED: z.object({ entries: z.array(planEntry) }),
  APPROVAL_REQUESTED: z.object({ call_id: z.string(), options: z.array(z.string()) }),
  APPROVAL_DECIDED: z.object({
    call_id: z.string(),
    decision: z.enum(["allow_once", "allow_always", "reject_once", "reject_always", "cancelled"]),
    by: z.enum(["user", "rule", "mode", "remembered", "nobody"]),
    /** The rule, or why nobody could be asked. */
    detail: z.string().exactOptional(),
  }),
  USAGE: z.object({
    input_tokens: z.number(),
    cached_input_tokens: z.number(),
    output_tokens: z.number(),
    context_tokens: z.number(),
    context_window: z.number().nullable(),
    /** USD, an estimate by the prices of input and output: what caches save or cost on top is not in it. */
    cost: z.number().exactOptional(),
  }),
  AUTO_CONTINUE: z.object({
    reason: z.enum(["output_limit", "open_plan", "after_compact"]),
    count: z.number().int(),
  }),
  AUTO_STOP: z.object({
    reason: z.enum([
      "step_limit",
      "token_budget",
      "repeated_call",
      "continuation_limit",
      "wall_clock",
    ]),
    limit: z.number(),
  }),
  BLOCKED: z.object({
    reason: z.enum([
      "approval_rejected",
      "question",
      "no_credentials",
      "missing_tool",
      "context_full",
    ]),
    detail: z.string(),
  }),
  COMPACT: z.object({
    tokens_before: z.number(),
    tokens_after: z.number(),
    /**
     * `tool_previews`: outputs of calls before `kept_from_seq` become previews. `checkpoint`: everything before
     * `kept_from_seq` is replaced by the summary.
     */
    strategy: z.enum(["tool_previews", "checkpoint"]),
    summary: z.string(),
    kept_from_seq: z.number().int(),
  }),
  ERROR: z.object({
    code: z.string(),
    message: z.string(),
    retryable: z.boolean(),
    source: z.enum(["model", "tool", "store", "mcp", "learning"]),
    attempt: z.number().int(),
  }),
  MCP_STATUS: z.object({
    server: z.string(),
    state: z.string(),
    previous: z.string().nullable(),
    reason: z.string().nullable(),
  }),
  SKILLS_APPLIED: z.object({ skill_ids: z.array(z.string()), reason: z.string() }),
  FEEDBACK: z.object({
    /** The turn that is rated. */
    rated_turn_id: z.string(),
    rating: z.enum(["good", "bad"]),
    text: z.string(),
  }),
  /** `/undo`: files went back to what they were before event `to_seq`; the model is told with the next prompt. */
  FILES_RESTORED: z.object({ to_seq: z.number().int(), paths: z.array(z.string()) }),
} as const;

export type EventType = keyof typeof EVENT_PAYLOADS;
export const EVENT_TYPES = Object.keys(EVENT_PAYLOADS) as readonly EventType[];

export type FileDiff = z.output<typeof fileDiff>;
export type SeenFile = z.output<typeof seenFile>;
export type FileLocation = z.output<typeof location>;
export type PlanEntry = z.output<typeof planEntry>;
export type MadeBy = z.output<typeof madeBy>;
export type ToolKind = (typeof TOOL_KINDS)[number];
