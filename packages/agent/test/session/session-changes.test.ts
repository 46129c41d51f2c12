import { expect, test } from "vitest";
import {
  agentError,
  type CodingSession,
  type EventType,
  MemorySessionStore,
  type OpenedSession,
} from "../../src/index.ts";
import { payloadsOf, testAgent, type TestAgent } from "../turn/test-agent.ts";

const fullDisk = (): Promise<never> =>
  Promise.reject(agentError("AGENT_STORE_FAILED", "the disk is full"));

/** A store that can be made to fail. */
class FragileStore extends MemorySessionStore {
  refusesMeta = false;
  /** How many records of these types are still taken. */
  takes = Number.POSITIVE_INFINITY;

  override async create(...args: Parameters<MemorySessionStore["create"]>): Promise<OpenedSession> {
    return this.#fragile(await super.create(...args));
  }

  #fragile(opened: OpenedSession): OpenedSession {
    const changes: readonly EventType[] = ["MODE_CHANGED", "MODEL_CHANGED"];
    const append = opened.append.bind(opened);
    const updateMeta = opened.updateMeta.bind(opened);
    opened.updateMeta = (change) => (this.refusesMeta ? fullDisk() : updateMeta(change));
    opened.append = (events) => {
      this.takes -= events.filter(({ type }) => changes.includes(type)).length;
      return this.takes < 0 ? fullDisk() : append(events);
    };
    return opened;
  }
}

const CHANGES: readonly [string, (session: CodingSession) => Promise<void>, EventType][] = [
  ["mode", (session) => session.setMode("manual"), "MODE_CHANGED"],
  ["model", (session) => session.setModel("test/other"), "MODEL_CHANGED"],
];
const OLD = { mode: "auto", model: "scripted/inline" };
const NEW = { mode: "manual", model: "test/other" };

/** What the session, its log, its metadata and a session opened anew say. */
async function valuesOf({ session, agent }: TestAgent, key: "mode" | "model"): Promise<string[]> {
  const type = key === "mode" ? "MODE_CHANGED" : "MODEL_CHANGED";
  const changed = payloadsOf(session.events, type).at(-1) as Record<string, string> | undefined;
  const values = [session[key], changed?.[key] ?? OLD[key], session.meta[key]];
  await session.close();
  const anew = await agent.openSession(session.id);
  const { meta } = await agent.store.read(session.id);
  return [...values, anew[key], meta[key]];
}

test.each(CHANGES)("a %s whose record cannot be written has not changed", async (key, change) => {
  const store = new FragileStore();
  await using host = await testAgent({ agent: { store } });
  store.takes = 0;
  await expect(change(host.session)).rejects.toMatchObject({ code: "AGENT_STORE_FAILED" });
  const old = OLD[key as "mode"];
  expect(await valuesOf(host, key as "mode")).toEqual([old, old, old, old, old]);
});

test.each(CHANGES)(
  "a %s that the metadata cannot take is taken back in the log, and the message says so",
  async (key, change, type) => {
    const store = new FragileStore();
    await using host = await testAgent({ agent: { store } });
    store.refusesMeta = true;
    await expect(change(host.session)).rejects.toMatchObject({
      code: "AGENT_STORE_FAILED",
      message: expect.stringMatching(/nothing has changed.*the disk is full/),
    });
    expect(payloadsOf(host.session.events, type)).toHaveLength(2);
    const old = OLD[key as "mode"];
    expect(await valuesOf(host, key as "mode")).toEqual([old, old, old, old, old]);
  },
);

test.each(CHANGES)(
  "a %s that can neither be kept nor taken back is what the log says, also after it was opened anew",
  async (key, change) => {
    const store = new FragileStore();
    await using host = await testAgent({ agent: { store } });
    store.refusesMeta = true;
    store.takes = 1;
    await expect(change(host.session)).rejects.toMatchObject({
      code: "AGENT_STORE_FAILED",
      message: expect.stringMatching(/it holds all the same/),
    });
    store.refusesMeta = false;
    const [old, changed] = [OLD[key as "mode"], NEW[key as "mode"]];
    expect(await valuesOf(host, key as "mode")).toEqual([changed, changed, old, changed, changed]);
  },
);

test("metadata that a crash kept behind is mended when the session is opened", async () => {
  await using host = await testAgent();
  const { session, agent } = host;
  // The process died before the metadata was written.
  await session.record({ type: "MODE_CHANGED", payload: { mode: "manual", previous: "auto" } });
  await session.record({ type: "MODEL_CHANGED", payload: { model: "test/other", previous: "x" } });
  await session.record({ type: "TITLE_CHANGED", payload: { title: "What it is about" } });
  expect(session.meta).toMatchObject({ ...OLD, title: "" });
  await session.close();
  const anew = await agent.openSession(session.id);
  const expected = { ...NEW, title: "What it is about" };
  expect({ mode: anew.mode, model: anew.model, title: anew.meta.title }).toEqual(expected);
  expect(payloadsOf(anew.events, "SESSION_RESUMED")).toEqual([{ ...NEW, skipped_records: 0 }]);
  expect((await agent.store.read(session.id)).meta).toMatchObject(expected);
});

test("changes that come together are made one after the other", async () => {
  await using host = await testAgent();
  const modes = ["manual", "safe", "safe", "auto"] as const;
  await Promise.all(modes.map((mode) => host.session.setMode(mode)));
  expect(payloadsOf(host.session.events, "MODE_CHANGED")).toEqual([
    { mode: "manual", previous: "auto" },
    { mode: "safe", previous: "manual" },
    { mode: "auto", previous: "safe" },
  ]);
  expect([host.session.mode, host.session.meta.mode]).toEqual(["auto", "auto"]);
});
