import type { Principal } from "../../src/access/principal.ts";
import { SCOPES } from "../../src/access/scope.ts";
import type { AcpEvent, AcpEventDraft } from "../../src/envelope/acp-event.ts";
import type { AcpEventQueue, EventsOptions } from "../../src/events/acp-event-queue.ts";

export function principalOf(owner: string): Principal {
  return { owner, tokenId: null, scopes: SCOPES };
}

export function as(owner: string): { readonly principal: Principal } {
  return { principal: principalOf(owner) };
}

export const LOCAL = as("local");

export function draft(type: string, patch: Partial<AcpEventDraft> = {}): AcpEventDraft {
  return { event_type: type, data: {}, ...patch };
}

/** Commits so many events at once. */
export async function publishMany(
  queue: AcpEventQueue,
  count: number,
  type = "x.many",
): Promise<void> {
  const drafts = Array.from({ length: count }, () => draft(type));
  await queue.commit({ events: { owner: "local", drafts } });
}

export interface Reader {
  readonly seen: readonly AcpEvent[];
  /** Resolves with how the reading ended. */
  readonly ended: Promise<"ended" | Error>;
  stop(): void;
}

/** Reads a subscription in the background. @param pause is waited for after each event */
export function startReader(
  queue: AcpEventQueue,
  id: string,
  options: Partial<EventsOptions> & { readonly pause?: (event: AcpEvent) => Promise<void> } = {},
): Reader {
  const { pause, ...rest } = options;
  const abort = new AbortController();
  const seen: AcpEvent[] = [];
  const read = async (): Promise<"ended"> => {
    for await (const event of queue.events(id, { ...LOCAL, signal: abort.signal, ...rest })) {
      seen.push(event);
      await pause?.(event);
    }
    return "ended";
  };
  const ended = read().catch((error: unknown) => error as Error);
  return { seen, ended, stop: () => abort.abort() };
}

/** `snapshot 0, x.a 1`. */
export function shortly(events: readonly AcpEvent[]): string {
  return events.map(({ event_type, seq }) => `${event_type} ${seq}`).join(", ");
}
