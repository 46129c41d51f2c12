import type { CodingSession, SessionEvent, TurnSink } from "@acumen/agent";
import { Mutex, untilAborted } from "@acumen/core";
import type { AgentContext, SessionConfigOption, SessionUpdate } from "@agentclientprotocol/sdk";
import type { ClientFeatures } from "../client/client-features.ts";
import type { HostPaths } from "../client/host-paths.ts";
import type { SessionUpdatesOptions } from "../mapping/mapping-context.ts";
import { SessionUpdates } from "../mapping/session-updates.ts";
import { OngoingUpdates, subjectOf } from "./ongoing-updates.ts";

export interface FeedOptions {
  readonly client: Pick<AgentContext, "notify">;
  readonly features: ClientFeatures;
  /** What the host calls files and folders; default as they are. */
  readonly paths?: HostPaths;
  readonly configOptions: () => readonly SessionConfigOption[];
  /** The history is replayed first: what waits for a turn is said there. */
  readonly replays: boolean;
}

/** What a host is told of one session, in order: live, and the history in between when it asks for it. */
export class SessionFeed {
  readonly #session: CodingSession;
  readonly #client: FeedOptions["client"];
  readonly #paths: HostPaths | undefined;
  readonly #mapping: Omit<SessionUpdatesOptions, "replay">;
  readonly #live: SessionUpdates;
  readonly #order = new Mutex();
  readonly #ongoing = new OngoingUpdates();
  readonly #unsubscribe: () => void;
  /** Seq of the last event that was there before, or that a replay has shown. */
  #shownTo: number;
  /** Messages and calls that a replay has shown whole. */
  #complete: ReadonlySet<string> = new Set();
  #isReplayed: boolean;
  #inTurn = false;

  constructor(session: CodingSession, options: FeedOptions) {
    const { client, features, configOptions, replays } = options;
    this.#session = session;
    this.#client = client;
    this.#paths = options.paths;
    this.#mapping = { features, configOptions, trusted: session.trusted };
    const { events } = session;
    const begun = replays ? events.length : startOf(events);
    this.#live = new SessionUpdates({
      ...this.#mapping,
      replay: false,
      past: events.slice(0, begun),
      late: () => void this.#inOrder(() => this.#live.ofLate()),
    });
    // What happened since the session was opened waits for its first turn.
    for (const event of events.slice(begun)) this.#live.ofEvent(event);
    this.#shownTo = events.at(-1)?.seq ?? 0;
    this.#isReplayed = !replays;
    this.#unsubscribe = session.subscribe((event) =>
      this.#inTurn && event.turn_id !== null ? undefined : this.#tell(event),
    );
  }

  /** Resolves when the host has taken them, and everything before them. */
  send(updates: readonly SessionUpdate[]): Promise<void> {
    return this.#inOrder(() => updates);
  }

  /** Shows the host's terminal in which a call runs. */
  showTerminal(callId: string, terminalId: string): Promise<void> {
    return this.#inOrder(() => {
      const updates = this.#live.ofTerminal(callId, terminalId);
      for (const one of updates) this.#ongoing.show(one);
      return updates;
    });
  }

  /** The whole history, then what is going on; what happens meanwhile comes after it. */
  replay(): Promise<void> {
    return this.#order.run(async () => {
      const goesOn = this.#isReplayed;
      this.#isReplayed = true;
      if (goesOn) this.#shownTo = this.#session.events.at(-1)?.seq ?? 0;
      const events = this.#session.events.filter(({ seq }) => seq <= this.#shownTo);
      this.#complete = new Set(events.flatMap(completedBy));
      const updates = new SessionUpdates({ ...this.#mapping, replay: true });
      for (const event of events) await this.#notify(updates.ofEvent(event));
      await this.#notify(
        goesOn ? this.#ongoing.all.filter((update) => this.#isNews(update)) : updates.unfinished(),
      );
    });
  }

  /** Shows what a turn does. Everything was taken by the host when it resolves. */
  async during<T>(run: (sink: TurnSink) => Promise<T>, signal: AbortSignal): Promise<T> {
    // A cancelled turn ends even when nobody reads; what it says keeps its place all the same.
    const patiently = (sent: Promise<void>): Promise<void> =>
      untilAborted(sent, signal).catch(() => undefined);
    this.#inTurn = true;
    try {
      return await run({
        event: (event) => patiently(this.#tell(event)),
        update: (update) => patiently(this.#inOrder(() => this.#shown(update))),
      });
    } finally {
      this.#inTurn = false;
      await this.#inOrder(() => this.#live.unfinished());
      this.#ongoing.clear();
    }
  }

  /** Work that is shown by its events alone. Everything was taken by the host when it resolves. */
  async whole<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      await this.send([]);
    }
  }

  close(): void {
    this.#unsubscribe();
  }

  #tell(event: SessionEvent): Promise<void> {
    return this.#inOrder(() => {
      const updates = this.#live.ofEvent(event);
      for (const id of completedBy(event)) this.#ongoing.end(id);
      return event.seq > this.#shownTo ? updates : [];
    });
  }

  #shown(update: Parameters<SessionUpdates["ofTransient"]>[0]): readonly SessionUpdate[] {
    const updates = this.#live.ofTransient(update).filter((one) => this.#isNews(one));
    for (const one of updates) this.#ongoing.show(one);
    return updates;
  }

  #isNews(update: SessionUpdate): boolean {
    return !this.#complete.has(subjectOf(update) ?? "");
  }

  #inOrder(updates: () => readonly SessionUpdate[]): Promise<void> {
    return this.#order.run(() => this.#notify(updates()));
  }

  /** A host that is gone is told nothing; its connection says so. */
  async #notify(updates: readonly SessionUpdate[]): Promise<void> {
    const { id: sessionId } = this.#session;
    const sent = updates.map((update) =>
      this.#client.notify("session/update", { sessionId, update: this.#named(update) }),
    );
    await Promise.allSettled(sent);
  }

  #named(update: SessionUpdate): SessionUpdate {
    if (this.#paths === undefined || !("toolCallId" in update)) return update;
    return this.#paths.inCall(update);
  }
}

/** Where this process opened the session. */
function startOf(events: readonly SessionEvent[]): number {
  const index = events.findLastIndex(
    ({ type }) => type === "SESSION_CREATED" || type === "SESSION_RESUMED",
  );
  return index + 1;
}

function completedBy({ type, payload }: SessionEvent): readonly string[] {
  if (type === "ASSISTANT_MESSAGE") return [payload.message_id];
  return type === "TOOL_RESULT" ? [payload.call_id] : [];
}
