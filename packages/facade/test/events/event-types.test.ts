import { describe, expect, expectTypeOf, it } from "vitest";
import type { AcpEvent } from "../../src/envelope/acp-event.ts";
import { ValidationError } from "../../src/errors/domain-error.ts";
import {
  ACP_EVENT_TYPES,
  type AcpEventType,
  checkTypeFilter,
  EVENT_DATA,
  isTypedEvent,
  type TypedAcpEvent,
} from "../../src/events/event-types.ts";

/** Does not compile when a type is missing here, or is here and not in the union. */
function familyOf(event: TypedAcpEvent): string {
  switch (event.event_type) {
    case "session.created":
      return event.data.title;
    case "session.closed":
      return "session";
    case "plan.created":
    case "plan.phase_changed":
    case "plan.state_changed":
    case "plan.errored":
    case "plan.applied":
    case "plan.constrained":
    case "plan.cancelled":
    case "plan.retried":
    case "plan.reverted":
      return event.data.phase;
    case "plan.approval_requested":
    case "plan.approval_answered":
      return event.data.call_id;
    case "decision.created":
      return event.data.content;
    case "actor.invoked":
    case "actor.completed":
    case "actor.errored":
      return "actor";
    case "tool.invoked":
    case "tool.completed":
    case "tool.errored":
      return event.data.tool;
    case "sandbox.created":
    case "sandbox.committed":
    case "sandbox.rolled_back":
      return "sandbox";
    case "checkpoint.created":
      return event.data.commit;
    case "validation.started":
    case "validation.passed":
    case "validation.failed":
      return event.data.name;
    case "context.built":
      return `${event.data.fragments}`;
    case "snapshot":
    case "subscription.lagged":
    case "subscription.closed":
      return event.data.subscription_id;
    default: {
      const nothing: never = event;
      return nothing;
    }
  }
}

function event(event_type: string, data: AcpEvent["data"]): AcpEvent {
  return {
    event_id: "01J",
    event_type,
    plan_id: null,
    session_id: null,
    data,
    timestamp: "2026-01-01T00:00:00.000Z",
    seq: 1,
  };
}

describe("types of events", () => {
  it("are one union, told apart by their type", () => {
    const received = event("session.created", { title: "t", actor_name: null });
    expect(isTypedEvent(received) && familyOf(received)).toBe("t");
    expectTypeOf<TypedAcpEvent["event_type"]>().toEqualTypeOf<AcpEventType>();
  });

  it.each([
    ["session.created", {}],
    ["x.mine", {}],
    ["plan.imagined", {}],
    ["constructor", {}],
    ["toString", {}],
  ])("%s with %o is not taken for one", (type, data) => {
    expect(isTypedEvent(event(type, data))).toBe(false);
  });

  it("have a schema each, and a name of one form", () => {
    for (const type of ACP_EVENT_TYPES) expect(type).toMatch(/^[a-z]+(\.[a-z_]+)?$/);
    expect(ACP_EVENT_TYPES).toHaveLength(new Set(ACP_EVENT_TYPES).size);
    for (const schema of Object.values(EVENT_DATA)) {
      expect(schema.safeParse("no object").success).toBe(false);
    }
  });
});

describe("filters by type", () => {
  it.each(["plan.applied", "plan.*", "*", "x.*", "x.mine", "x.mine.*", "subscription.lagged"])(
    "take %s",
    (type) => expect(() => checkTypeFilter([type])).not.toThrow(),
  );

  it.each([
    "plan.aplied",
    "plan",
    "plan*",
    "plam.*",
    "",
    "x",
    "x.",
    "*.applied",
    "plan.**",
    "constructor",
    `x.${"a".repeat(200)}`,
  ])("refuse %j", (type) => {
    expect(() => checkTypeFilter(["*", type])).toThrow(ValidationError);
  });

  it("say which one, and what was probably meant", () => {
    try {
      checkTypeFilter(["plan.*", "plan.aplied"]);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ details: { issues: [{ path: ["types", 1] }] } });
      expect(String(error)).toContain("did you mean plan.applied?");
    }
  });
});
