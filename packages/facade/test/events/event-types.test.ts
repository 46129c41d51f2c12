import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { AcpEvent } from "../../src/envelope/acp-event.ts";
import { ValidationError } from "../../src/errors/domain-error.ts";
import {
  ACP_EVENT_TYPES,
  type AcpEventData,
  type AcpEventType,
  checkTypeFilter,
  EVENT_DATA,
  isTypedEvent,
  type TypedAcpEvent,
} from "../../src/events/event-types.ts";

type Families = { readonly [Type in AcpEventType]: (data: AcpEventData<Type>) => unknown };

/** Does not compile when a type is missing here, or is here and not in the union. */
const FAMILIES: Families = {
  "session.created": ({ title }) => title,
  "session.closed": () => "",
  "plan.created": ({ phase }) => phase,
  "plan.phase_changed": ({ previous_phase: before }) => before,
  "plan.state_changed": ({ previous_state: before }) => before,
  "plan.errored": ({ error }) => error.code,
  "plan.applied": ({ state }) => state,
  "plan.constrained": ({ reason }) => reason,
  "plan.cancelled": ({ state }) => state,
  "plan.retried": ({ attempt }) => attempt,
  "plan.reverted": ({ attempt }) => attempt,
  "plan.approval_requested": ({ options }) => options,
  "plan.approval_answered": ({ decision }) => decision,
  "decision.created": ({ content }) => content,
  "actor.invoked": () => "",
  "actor.completed": () => "",
  "actor.errored": ({ code }) => code,
  "tool.invoked": ({ tool }) => tool,
  "tool.completed": ({ call_id: id }) => id,
  "tool.errored": ({ call_id: id }) => id,
  "sandbox.created": ({ attempt }) => attempt,
  "sandbox.committed": ({ commit }) => commit,
  "sandbox.rolled_back": ({ attempt }) => attempt,
  "checkpoint.created": ({ commit }) => commit,
  "validation.started": ({ name }) => name,
  "validation.passed": ({ name }) => name,
  "validation.failed": ({ name }) => name,
  "context.built": ({ fragments }) => fragments,
  snapshot: ({ cursor }) => cursor,
  "subscription.lagged": ({ resume_after: seq }) => seq,
  "subscription.closed": ({ reason }) => reason,
  end: ({ reason }) => reason,
};

/** The type says what the data are. */
function titleOf(received: TypedAcpEvent): string {
  return received.event_type === "session.created" ? received.data.title : "";
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
    expect(isTypedEvent(received) && titleOf(received)).toBe("t");
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
    expect(Object.keys(FAMILIES).toSorted()).toEqual(ACP_EVENT_TYPES.toSorted());
    for (const type of ACP_EVENT_TYPES) expect(type).toMatch(/^[a-z]+(\.[a-z_]+)?$/);
    expect(ACP_EVENT_TYPES).toHaveLength(new Set(ACP_EVENT_TYPES).size);
    for (const schema of Object.values(EVENT_DATA)) {
      expect(schema.safeParse("no object").success).toBe(false);
    }
  });
});

it("each type of the log is published somewhere, no type is a mere promise", async () => {
  const root = new URL("../../src/", import.meta.url).pathname;
  const names = (await readdir(root, { recursive: true })).filter((name) => name.endsWith(".ts"));
  const others = names.filter((name) => !name.startsWith("events/"));
  const texts = await Promise.all(others.map((name) => readFile(join(root, name), "utf8")));
  const all = texts.join("");
  const silent = Object.keys(EVENT_DATA).filter((type) => !all.includes(`"${type}"`));
  expect(silent).toEqual([]);
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
