import { EVENT_PAYLOADS, EVENT_TYPES, type EventType } from "@acumen/agent";
import { markdownTable } from "./markdown-table.ts";

/** When each event is recorded; the payloads come from their schemas. */
const WHEN: Readonly<Record<EventType, string>> = {
  SESSION_CREATED: "the session is made, before its first prompt",
  SESSION_RESUMED: "a stored session is opened again",
  MODE_CHANGED: "the mode becomes another one",
  MODEL_CHANGED: "the model or its thought level becomes another one",
  TITLE_CHANGED: "the session gets its title from its first prompt",
  USER_MESSAGE: "a prompt is accepted",
  ASSISTANT_MESSAGE: "a message, a thought or the output of a local command is complete",
  TOOL_CALL: "the model's call is complete, before anybody is asked",
  TOOL_RESULT: "this very call has ended, in whatever way",
  PLAN_UPDATED: "`update_plan` wrote the whole plan anew",
  APPROVAL_REQUESTED: "a person is asked about a call",
  APPROVAL_DECIDED: "a call may run or not, whoever decided that",
  USAGE: "a model call has ended",
  AUTO_CONTINUE: "the runtime starts a further step after the model had stopped",
  AUTO_STOP: "a limit ends a turn that would have gone on",
  BLOCKED: "the turn cannot go on without a person",
  COMPACT: "the history was shortened",
  ERROR: "a model, a tool, the store or learning failed",
  MCP_STATUS: "the state of an MCP server changed",
  SKILLS_APPLIED: "the skills of a turn were chosen",
  FEEDBACK: "a person rated a turn",
  FILES_RESTORED: "files went back to what they were before an event",
};

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** One row an event type, with the fields of its payload. */
export function eventTable(): string {
  return markdownTable(
    ["type", "recorded when", "payload"],
    EVENT_TYPES.map((type) => {
      const schema = EVENT_PAYLOADS[type].toJSONSchema({ unrepresentable: "any" }) as Schema;
      return [`\`${type}\``, WHEN[type], fieldsOf(schema)];
    }),
  );
}

function fieldsOf({ properties = {}, required = [] }: Schema): string {
  return Object.entries(properties)
    .map(([name, field]) => {
      const kind = kindOf(field);
      const mark = required.includes(name) ? "" : "?";
      return `\`${name}${mark}\`${kind === "" ? "" : ` ${kind}`}`;
    })
    .join(", ");
}

/** Values of a choice, the shape of an object; nothing where the name says enough. */
function kindOf({ type, enum: choices, anyOf, items, properties, required }: Schema): string {
  if (choices !== undefined) return `(${choices.map(String).join(" / ")})`;
  if (anyOf !== undefined) return anyOf.some((each) => each.type === "null") ? "or null" : "";
  if (items !== undefined) {
    const inner = items.oneOf === undefined ? kindOf(items) : "(content blocks)";
    return inner === "" ? "(list)" : inner.startsWith("(") ? inner : `list of ${inner}`;
  }
  if (properties !== undefined) {
    const names = Object.keys(properties).map((name) =>
      required?.includes(name) === true ? name : `${name}?`,
    );
    return `{${names.join(", ")}}`;
  }
  return [type].flat().includes("null") ? "or null" : "";
}
