import { EVENT_DATA, FRAME_DATA } from "@acumen/facade";
import {
  HTTP_STATUS,
  OPERATION_LIST,
  PLAN_OPERATIONS,
  PLAN_POINTS,
  schemaOf,
  TRANSITIONS,
  verdictOf,
} from "@acumen/facade/documentation";
import { markdownTable } from "./markdown-table.ts";

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
}

/** A heading for each operation, with what it takes, gives and needs. */
export function facadeOperations(): string {
  return OPERATION_LIST.map(({ name, summary, params, output, scope, mutating }) => {
    const needs = scope === null ? "any token" : `scope \`${scope}\``;
    const keyed = mutating ? ", takes an idempotency key" : "";
    return [
      `### \`${name}\``,
      "",
      `${summary} (${needs}${keyed})`,
      "",
      `- Params: ${fieldsOf(schemaOf(params, "input") as Schema) || "none"}`,
      // Its choices are those of the params and of the table of transitions.
      `- Answer: ${fieldsOf(schemaOf(output, "output") as Schema, false)}`,
    ].join("\n");
  }).join("\n\n");
}

/** One row a transition of plans. */
export function facadeTransitions(): string {
  return markdownTable(
    ["from", "by", "to", "events"],
    TRANSITIONS.map(({ from, trigger, to, events }) => [
      from === null ? "-" : `\`${from}\``,
      trigger,
      `\`${to}\``,
      events.map((type) => `\`${type}\``).join(", "),
    ]),
  );
}

/** One row a point of plans, with what each operation does there. */
export function facadeCalls(): string {
  return markdownTable(
    ["plan", ...PLAN_OPERATIONS.map((operation) => `\`${operation}\``)],
    PLAN_POINTS.map((point) => [
      `\`${point}\``,
      ...PLAN_OPERATIONS.map((operation) => {
        const verdict = verdictOf(point, operation);
        return verdict === "refuse" ? "-" : verdict;
      }),
    ]),
  );
}

/** One row a status of HTTP, with the codes that it stands for. */
export function facadeStatuses(): string {
  const codes = new Map<number, string[]>();
  for (const [code, status] of Object.entries(HTTP_STATUS)) {
    codes.set(status, [...(codes.get(status) ?? []), `\`${code}\``]);
  }
  return markdownTable(
    ["status", "codes"],
    [...codes].map(([status, list]) => [String(status), list.join(", ")]),
  );
}

/** One row a type of event, with what its data hold at least. */
export function facadeEvents(): string {
  return markdownTable(
    ["type", "in the log", "data"],
    [...Object.entries(EVENT_DATA), ...Object.entries(FRAME_DATA)].map(([type, data]) => [
      `\`${type}\``,
      Object.hasOwn(EVENT_DATA, type) ? "yes" : "no",
      fieldsOf(schemaOf(data, "output") as Schema),
    ]),
  );
}

function fieldsOf({ properties = {}, required = [] }: Schema, withChoices = true): string {
  return Object.entries(properties)
    .map(([name, field]) => {
      const isHidden = !withChoices && field.enum !== undefined;
      const kind = isHidden ? "" : kindOf(field);
      const isOptional = !required.includes(name);
      return `\`${name}${isOptional ? "?" : ""}\`${kind === "" ? "" : ` ${kind}`}${presetOf(field)}`;
    })
    .join(", ");
}

/** Values of a choice, the shape of an object; nothing where the name says enough. */
function kindOf(schema: Schema): string {
  const { enum: choices, const: only, anyOf, items, properties, type } = schema;
  if (only !== undefined) return `(always \`${JSON.stringify(only)}\`)`;
  if (choices !== undefined) return `(${choices.map(String).join(" / ")})`;
  if (anyOf !== undefined) {
    const kinds = anyOf.map((each) => kindOf(each) || [each.type].flat().join(" or "));
    return `(${kinds.join(" or ")})`;
  }
  if (items !== undefined) {
    const inner = kindOf(items);
    return inner === "" ? "(list)" : `(list of ${inner.replaceAll(/^\(|\)$/g, "")})`;
  }
  if (properties !== undefined && Object.keys(properties).length > 0) {
    return `(\`{${Object.keys(properties).join(", ")}}\`)`;
  }
  return type === "object" ? "(object)" : "";
}

function presetOf({ default: preset }: Schema): string {
  return preset === undefined ? "" : ` = \`${JSON.stringify(preset)}\``;
}
