import type { AcpEvent } from "../envelope/acp-event.ts";
import type { EventFilter } from "../services/event-queue-service.ts";

/** Where the data of an event hold what went into a tool, or what came out of it. */
const BODY_KEYS: Readonly<Record<string, string>> = {
  "tool.invoked": "input",
  "tool.completed": "output",
  "tool.errored": "output",
};

type Shown = (event: AcpEvent) => AcpEvent;

/** Events as a reader gets them: with bodies only for those that asked for them. */
export function shownTo({ include }: Pick<EventFilter, "include">): Shown {
  return include?.includes("output") === true ? (event) => event : withoutBodies;
}

/** The names and sizes stay. */
export function withoutBodies(event: AcpEvent): AcpEvent {
  const key = BODY_KEYS[event.event_type];
  if (key === undefined || !Object.hasOwn(event.data, key)) return event;
  const { [key]: _body, ...data } = event.data;
  return Object.freeze({ ...event, data });
}

/** The same for what is read over time. */
export async function* eachShown(
  events: AsyncIterable<AcpEvent>,
  filter: Pick<EventFilter, "include">,
): AsyncGenerator<AcpEvent, void, undefined> {
  const shown = shownTo(filter);
  for await (const event of events) yield shown(event);
}
