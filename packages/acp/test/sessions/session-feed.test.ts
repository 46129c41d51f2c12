import type { CodingSession, EventListener, SessionEvent } from "@acumen/agent";
import type { SessionNotification, SessionUpdate } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { clientFeatures } from "../../src/client/client-features.ts";
import { SessionFeed } from "../../src/sessions/session-feed.ts";

const never = new AbortController().signal;

/** A session whose log grows by hand, and a host that reads only while it is let. */
class FeedBench {
  readonly events: SessionEvent[] = [];
  readonly listeners = new Set<EventListener>();
  /** What the host has taken. */
  readonly taken: SessionUpdate[] = [];
  #reads = true;
  readonly #waiting: (() => void)[] = [];

  feed(replays = false): SessionFeed {
    const session = {
      id: "s1",
      trusted: true,
      events: this.events,
      subscribe: (listener: EventListener) => {
        this.listeners.add(listener);
        return () => this.listeners.delete(listener);
      },
    };
    return new SessionFeed(session as unknown as CodingSession, {
      client: {
        notify: async (_method: string, params?: unknown) => {
          if (!this.#reads) await new Promise<void>((resolve) => this.#waiting.push(resolve));
          this.taken.push((params as SessionNotification).update);
        },
      },
      features: clientFeatures({}),
      configOptions: () => [],
      replays,
    });
  }

  stopReading(): void {
    this.#reads = false;
  }

  read(): void {
    this.#reads = true;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  add(type: SessionEvent["type"], payload: object, turnId: string | null = "t1"): SessionEvent {
    const event = {
      seq: this.events.length + 1,
      event_id: `e${this.events.length + 1}`,
      session_id: "s1",
      turn_id: turnId,
      step: 1,
      type,
      timestamp: "2026-01-01T00:00:00.000Z",
      payload,
    } as SessionEvent;
    this.events.push(event);
    return event;
  }

  said(text: string, id: string): SessionEvent {
    return this.add("ASSISTANT_MESSAGE", {
      message_id: id,
      kind: "assistant",
      text,
      skill_ids: [],
    });
  }

  get texts(): readonly string[] {
    return this.taken.flatMap((update) =>
      update.sessionUpdate === "agent_message_chunk" && update.content.type === "text"
        ? [update.content.text]
        : [],
    );
  }
}

function delta(text: string, messageId: string) {
  return {
    type: "delta",
    turn_id: "t1",
    message_id: messageId,
    kind: "assistant",
    text,
  } as const;
}

test("what a replay has shown whole is not shown again by what was on its way", async () => {
  const bench = new FeedBench();
  const feed = bench.feed();
  await feed.during(async (sink) => {
    await sink.update?.(delta("Hel", "m1"));
    // Stored already, while its last pieces and the event itself have not been delivered.
    const whole = bench.said("Hello", "m1");
    const replay = feed.replay();
    const rest = sink.update?.(delta("lo", "m1"));
    await Promise.all([replay, rest, sink.event(whole)]);
    expect(bench.texts).toEqual(["Hel", "Hello"]);
    await sink.update?.(delta("Next.", "m2"));
  }, never);
  expect(bench.texts).toEqual(["Hel", "Hello", "Next."]);
});

test("a message that is being written is shown again as far as it is written", async () => {
  const bench = new FeedBench();
  const feed = bench.feed();
  await feed.during(async (sink) => {
    await sink.update?.(delta("One ", "m1"));
    await sink.update?.(delta("two ", "m1"));
    await feed.replay();
    await sink.update?.(delta("three", "m1"));
    await sink.event(bench.said("One two three", "m1"));
  }, never);
  expect(bench.texts).toEqual(["One ", "two ", "One two ", "three"]);
});

test("what happens during a replay comes after it", async () => {
  const bench = new FeedBench();
  bench.said("Old.", "m0");
  const feed = bench.feed();
  bench.stopReading();
  const replay = feed.replay();
  const later = feed.during((sink) => Promise.resolve(sink.event(bench.said("New.", "m1"))), never);
  bench.read();
  await Promise.all([replay, later]);
  expect(bench.texts).toEqual(["Old.", "New."]);
});

test("a turn is over for its caller when the host has taken all of it", async () => {
  const bench = new FeedBench();
  const feed = bench.feed();
  bench.stopReading();
  let over = false;
  const turn = feed
    .during((sink) => {
      void sink.event(bench.said("Slow.", "m1"));
      return Promise.resolve();
    }, never)
    .then(() => (over = true));
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(over).toBe(false);
  bench.read();
  await turn;
  expect(bench.texts).toEqual(["Slow."]);
});

test("a cancelled turn does not wait for a host that reads nothing, and says everything in order later", async () => {
  const bench = new FeedBench();
  const feed = bench.feed();
  const cancel = new AbortController();
  bench.stopReading();
  let ended = false;
  const turn = feed.during(async (sink) => {
    const first = sink.event(bench.said("One.", "m1"));
    cancel.abort();
    await first;
    await sink.event(bench.said("Two.", "m2"));
    ended = true;
  }, cancel.signal);
  await expect.poll(() => ended).toBe(true);
  expect(bench.taken).toEqual([]);
  bench.read();
  await turn;
  expect(bench.texts).toEqual(["One.", "Two."]);
});

test("events that others log are shown outside of turns, until it is closed", async () => {
  const bench = new FeedBench();
  const feed = bench.feed();
  const tell = async (title: string): Promise<void> => {
    const event = bench.add("TITLE_CHANGED", { title }, null);
    for (const listener of bench.listeners) await listener(event);
  };
  await tell("first");
  feed.close();
  await tell("second");
  expect(bench.taken).toMatchObject([{ sessionUpdate: "session_info_update", title: "first" }]);
});
