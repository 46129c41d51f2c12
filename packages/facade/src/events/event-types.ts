import { closest } from "@acumen/core";
import { z } from "zod";
import type { AcpEvent } from "../envelope/acp-event.ts";
import { ValidationError, type ValidationIssue } from "../errors/domain-error.ts";
import { PLAN_PHASES, PLAN_STATES } from "../plans/plan.ts";
import { prefixOf } from "./event-filter.ts";

const count = z.number().int().nonnegative();
/** Where the plan stands after what happened. */
const place = {
  phase: z.enum(PLAN_PHASES),
  state: z.enum(PLAN_STATES),
  attempt: count,
  version: count,
};
const planMoved = z.looseObject(place);
const failure = z.looseObject({ code: z.string(), message: z.string() });
const call = { call_id: z.string(), tool: z.string() };
const validation = z.looseObject({ name: z.string() });
const attempt = z.looseObject({ attempt: count });

/** One schema per type. Each holds what a reader may count on; more may stand beside it. Bodies of tools are taken out for readers that did not ask. */
export const EVENT_DATA = {
  "session.created": z.looseObject({ title: z.string(), actor_name: z.string().nullable() }),
  "session.closed": z.looseObject({}),

  "plan.created": planMoved,
  "plan.phase_changed": z.looseObject({ ...place, previous_phase: z.enum(PLAN_PHASES) }),
  "plan.state_changed": z.looseObject({ ...place, previous_state: z.enum(PLAN_STATES) }),
  "plan.errored": z.looseObject({ ...place, error: failure }),
  "plan.applied": planMoved,
  "plan.constrained": z.looseObject({ ...place, reason: z.string() }),
  "plan.cancelled": planMoved,
  "plan.retried": planMoved,
  "plan.reverted": planMoved,
  "plan.approval_requested": z.looseObject({
    ...call,
    reason: z.string(),
    options: z.array(z.string()),
    expires_at: z.string(),
  }),
  "plan.approval_answered": z.looseObject({ call_id: z.string(), decision: z.string() }),

  /** A step that strategize decided on. */
  "decision.created": z.looseObject({ index: count, content: z.string(), attempt: count }),

  "actor.invoked": z.looseObject({}),
  "actor.completed": z.looseObject({}),
  "actor.errored": failure,
  "tool.invoked": z.looseObject(call),
  "tool.completed": z.looseObject(call),
  "tool.errored": z.looseObject(call),

  "sandbox.created": attempt,
  "sandbox.committed": z.looseObject({ commit: z.string().nullable() }),
  "sandbox.rolled_back": attempt,
  "checkpoint.created": z.looseObject({ attempt: count, commit: z.string() }),
  "validation.started": validation,
  "validation.passed": validation,
  "validation.failed": validation,

  "context.built": z.looseObject({ fragments: count, tokens: count, dropped: count }),
} as const;

/** Frames for one subscriber alone: they are no records of the log, and their seq is where it resumes. */
export const FRAME_DATA = {
  /** The current state of what the subscription filters: what its first events add to. */
  snapshot: z.looseObject({ subscription_id: z.string(), cursor: count }),
  /** It read too slowly and is dropped: go on with `resume_after`. */
  "subscription.lagged": z.looseObject({ subscription_id: z.string(), resume_after: count }),
  "subscription.closed": z.looseObject({
    subscription_id: z.string(),
    reason: z.enum(["released", "unread", "replaced", "shutdown"]),
    resume_after: count,
  }),
  /** The last frame of a stream over HTTP. `final`: the plan can change no more; else go on with `resume_after`, unless it is `revoked`. */
  end: z.looseObject({
    reason: z.enum(["final", "revoked", "max_age", "shutdown", "failed"]),
    resume_after: count,
  }),
} as const;

export type AcpLogEventType = keyof typeof EVENT_DATA;
export type AcpFrameType = keyof typeof FRAME_DATA;
export type AcpEventType = AcpLogEventType | AcpFrameType;

/** Every type that is ever sent, but for the `x.` of users. */
export const ACP_EVENT_TYPES: readonly AcpEventType[] = [
  ...(Object.keys(EVENT_DATA) as AcpLogEventType[]),
  ...(Object.keys(FRAME_DATA) as AcpFrameType[]),
];

type DataSchemas = typeof EVENT_DATA & typeof FRAME_DATA;
export type AcpEventData<Type extends AcpEventType> = z.output<DataSchemas[Type]>;

/** An event whose type says what its data are: a `switch` over `event_type` narrows it. */
export type TypedAcpEvent = {
  [Type in AcpEventType]: Omit<AcpEvent, "event_type" | "data"> & {
    readonly event_type: Type;
    readonly data: AcpEventData<Type>;
  };
}[AcpEventType];

/** What users publish: `x.` and names. */
const USER_TYPE = /^x(?:\.[a-z0-9_-]{1,32}){1,3}$/i;

export function isUserType(type: string): boolean {
  return USER_TYPE.test(type);
}

export function isLogType(type: string): type is AcpLogEventType {
  return Object.hasOwn(EVENT_DATA, type);
}

/** True for what this build knows by type and data; false for `x.` types and for those of a newer server. */
export function isTypedEvent(event: AcpEvent): event is AcpEvent & TypedAcpEvent {
  const type = event.event_type;
  if (isLogType(type)) return EVENT_DATA[type].safeParse(event.data).success;
  if (!Object.hasOwn(FRAME_DATA, type)) return false;
  return FRAME_DATA[type as AcpFrameType].safeParse(event.data).success;
}

/**
 * Filters name types exactly, or a family as in `plan.*`, or all as `*`.
 * @throws ValidationError for what no event can ever match
 */
export function checkTypeFilter(types: readonly string[] | undefined): void {
  const issues: ValidationIssue[] = [];
  for (const [index, type] of (types ?? []).entries()) {
    if (!canMatch(type)) issues.push({ path: ["types", index], message: unknownType(type) });
  }
  const [first] = issues;
  if (first !== undefined) throw new ValidationError(`${first.message}.`, issues);
}

function canMatch(type: string): boolean {
  const prefix = prefixOf(type);
  if (prefix === undefined) return isKnownType(type) || isUserType(type);
  if (prefix === "") return true;
  if (!prefix.endsWith(".")) return false;
  const family = prefix.slice(0, -1);
  const isUsers = family === "x" || isUserType(family);
  return isUsers || ACP_EVENT_TYPES.some((known) => known.startsWith(prefix));
}

function isKnownType(type: string): boolean {
  return isLogType(type) || Object.hasOwn(FRAME_DATA, type);
}

export function unknownType(type: string): string {
  const near = closest(type, ACP_EVENT_TYPES);
  const hint =
    near === undefined ? "such as plan.applied, plan.*, x.mine or *" : `did you mean ${near}?`;
  return `No event has the type ${JSON.stringify(type.slice(0, 100))}; ${hint}`;
}
