import { z } from "zod";
import { ValidationError } from "../errors/domain-error.ts";
import {
  afterParam,
  eventIncludeParam,
  eventTypesParam,
  planIdParam,
  sessionIdParam,
} from "../operations/common-params.ts";
import { parseParams } from "../operations/parse-params.ts";
import type { EventFilter } from "../services/event-queue-service.ts";
import { filterOf } from "../operations/filter-params.ts";

export const EVENTS_PATH = "/acp/v1/events";

export const eventQuerySchema = z.strictObject({
  plan_id: planIdParam.exactOptional(),
  session_id: sessionIdParam.exactOptional(),
  types: eventTypesParam.exactOptional(),
  include: eventIncludeParam.exactOptional(),
  after: afterParam.exactOptional(),
  subscription_id: z.string().min(1).max(64).exactOptional(),
});

/** Repeated, or with commas. */
const LISTS: ReadonlySet<string> = new Set(["types", "include"]);

export interface EventQueryInput {
  readonly filter: EventFilter;
  /** Of a subscription that was opened before; it has its own filter. */
  readonly subscriptionId?: string;
  /** Seq of the last event that the reader has. */
  readonly after?: number;
}

/**
 * What a request for a stream asks for. `Last-Event-ID` counts more than `after`, because a browser that resumes keeps the address.
 * @throws ValidationError
 */
export function readEventQuery(parameters: URLSearchParams, headers: Headers): EventQueryInput {
  const given: Record<string, unknown> = {};
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name);
    if (!LISTS.has(name) && values.length > 1) throw twice(name);
    given[name] = valueOf(name, values);
  }
  const lastId = headers.get("last-event-id");
  // An empty one is what a browser has before the first id.
  if (lastId !== null && lastId !== "") given["after"] = numberOf(lastId);
  const query = parseParams(`GET ${EVENTS_PATH}`, eventQuerySchema, given);
  const { subscription_id: subscriptionId, after, ...rest } = query;
  const filter = filterOf(rest);
  if (subscriptionId !== undefined && Object.keys(filter).length > 0) {
    const message =
      "a subscription has its filter already; leave plan_id, session_id, types and include out";
    throw new ValidationError(`The query is not valid: ${message}.`, [
      { path: ["subscription_id"], message },
    ]);
  }
  return {
    filter,
    ...(subscriptionId !== undefined && { subscriptionId }),
    ...(after !== undefined && { after }),
  };
}

function valueOf(name: string, values: readonly string[]): unknown {
  if (LISTS.has(name)) return values.flatMap((value) => value.split(",")).map((one) => one.trim());
  return name === "after" ? numberOf(values[0] ?? "") : values[0];
}

/** What is no number stays text, so that the schema says what was expected. */
function numberOf(text: string): number | string {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

function twice(name: string): ValidationError {
  const message = "given more than once";
  return new ValidationError(`The query is not valid: ${name} is ${message}.`, [
    { path: [name], message },
  ]);
}
