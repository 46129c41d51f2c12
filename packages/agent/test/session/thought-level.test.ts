import { FakeClock, tempFolder } from "@acumen/testkit";
import { createScriptedModel } from "@acumen/models/testing";
import { describe, expect, test } from "vitest";
import { FileSessionStore, forkSession, MemorySessionStore, textBlock } from "../../src/index.ts";
import { metaFromEvents, parseMeta } from "../../src/session/stored-meta.ts";
import { serve, SUBJECTS } from "../wires/subjects.ts";
import { answers, payloadsOf, testAgent, toolOf } from "../turn/test-agent.ts";
import { newMeta } from "./support.ts";

const LEVELS = ["low", "medium", "high"] as const;

/** Models by id; each says what it was told. */
function models(levels: Readonly<Record<string, readonly string[] | undefined>>) {
  const made = Object.fromEntries(
    Object.entries(levels).map(([id, thoughtLevels]) => [
      id,
      createScriptedModel({
        ...(thoughtLevels && { thoughtLevels }),
        steps: [{ text: "Done." }],
        repeatLast: true,
      }),
    ]),
  );
  const told = (): unknown[] =>
    Object.values(made).flatMap(({ calls }) =>
      calls.map(
        ({ providerOptions }) => providerOptions?.["acumen"]?.["thoughtLevel"] ?? "default",
      ),
    );
  return {
    told,
    resolveModel: (id: string) => {
      const model = made[id];
      return model === undefined ? Promise.reject(new Error(id)) : Promise.resolve(model);
    },
  };
}

describe("the thought level of a session", () => {
  test("is told to the model, recorded, kept, and taken up again", async () => {
    await using folder = await tempFolder();
    const store = new FileSessionStore({ home: folder.path });
    const { told, resolveModel } = models({ one: LEVELS });
    await using host = await testAgent({
      agent: { store, resolveModel },
      session: { model: "one" },
    });
    const { session, agent } = host;
    await host.prompt("first");
    await session.setThoughtLevel("high");
    expect([session.thoughtLevel, session.thoughtLevels]).toEqual(["high", LEVELS]);
    expect(session.status().thoughtLevel).toBe("high");
    await host.prompt("second");
    expect(payloadsOf(session.events, "MODEL_CHANGED")).toEqual([
      { model: "one", previous: "one", thought_level: "high" },
    ]);
    await session.close();

    const again = await agent.openSession(session.id);
    expect(again.thoughtLevel).toBe("high");
    // The model is looked up when it is needed.
    expect(again.thoughtLevels).toEqual([]);
    expect(await again.findThoughtLevels()).toEqual(LEVELS);
    expect(payloadsOf(again.events, "SESSION_RESUMED")).toMatchObject([{ thought_level: "high" }]);
    await agent.runtime.runPrompt(again, [textBlock("third")]);
    await again.setThoughtLevel(undefined);
    await agent.runtime.runPrompt(again, [textBlock("fourth")]);
    expect(told()).toEqual(["default", "high", "high", "default"]);
    expect(payloadsOf(again.events, "MODEL_CHANGED").at(-1)).not.toHaveProperty("thought_level");
    await again.close();
    expect((await store.read(session.id)).meta.thought_level).toBeNull();
    expect((await agent.openSession(session.id)).thoughtLevel).toBeUndefined();
  });

  test("can be there from the beginning", async () => {
    const { told, resolveModel } = models({ one: LEVELS });
    await using host = await testAgent({
      agent: { resolveModel },
      session: { model: "one", thoughtLevel: "low" },
    });
    await host.prompt("go");
    expect(told()).toEqual(["low"]);
    expect(host.session.meta.thought_level).toBe("low");
    expect(payloadsOf(host.session.events, "SESSION_CREATED")).toMatchObject([
      { thought_level: "low" },
    ]);
  });

  test("that the model does not have is refused, and nothing changes", async () => {
    const store = new MemorySessionStore();
    const { resolveModel } = models({ one: LEVELS, plain: undefined });
    await using host = await testAgent({
      agent: { store, resolveModel },
      session: { model: "one" },
    });
    const { session, agent, cwd } = host;
    const failed = { code: "MODEL_FAILED", details: { kind: "bad_request" } };
    await expect(session.setThoughtLevel("max")).rejects.toMatchObject({
      ...failed,
      message: expect.stringContaining("low, medium, high") as string,
    });
    expect(payloadsOf(session.events, "MODEL_CHANGED")).toEqual([]);
    const begun = agent.createSession({ cwd, model: "plain", thoughtLevel: "low" });
    await expect(begun).rejects.toMatchObject(failed);
    expect((await store.list({})).sessions).toHaveLength(1);
    await session.close();
    await expect(agent.openSession(session.id, { thoughtLevel: "xhigh" })).rejects.toMatchObject(
      failed,
    );
    await agent.openSession(session.id, { thoughtLevel: "low" });
  });

  test("goes with the session to a model that has it, and ends at one that has not", async () => {
    const { resolveModel } = models({ one: LEVELS, two: ["high", "max"], plain: undefined });
    await using host = await testAgent({
      agent: { resolveModel },
      session: { model: "one", thoughtLevel: "high" },
    });
    const { session } = host;
    await session.setModel("two");
    expect([session.thoughtLevel, session.meta.thought_level]).toEqual(["high", "high"]);
    await session.setModel("plain");
    expect([session.thoughtLevel, session.thoughtLevels]).toEqual([undefined, []]);
    expect(session.meta.thought_level).toBeNull();
    await session.setModel("one");
    expect(session.thoughtLevel).toBeUndefined();
    expect(payloadsOf(session.events, "MODEL_CHANGED")).toEqual([
      { model: "two", previous: "one", thought_level: "high" },
      { model: "plain", previous: "two" },
      { model: "one", previous: "plain" },
    ]);
  });

  test("chosen during a turn holds from its next model call", async () => {
    const model = createScriptedModel({
      thoughtLevels: LEVELS,
      steps: [
        { expect: { thoughtLevel: "default" }, toolCalls: [{ tool: "look", input: {} }] },
        { expect: { thoughtLevel: "medium" }, text: "Done." },
      ],
    });
    const chosen: { set?: () => Promise<void> } = {};
    const look = toolOf("look", async () => {
      await chosen.set?.();
      return answers("seen")();
    });
    await using host = await testAgent({ model, tools: [look] });
    chosen.set = () => host.session.setThoughtLevel("medium");
    expect(await host.prompt("go")).toMatchObject({ stopReason: "end_turn", text: "Done." });
  });

  test("is forked, and comes back from the log when the metadata is lost", async () => {
    const store = new MemorySessionStore();
    const { resolveModel } = models({ one: LEVELS });
    await using host = await testAgent({
      agent: { store, resolveModel },
      session: { model: "one", thoughtLevel: "low" },
    });
    const { session } = host;
    await session.setThoughtLevel("high");
    expect(metaFromEvents(session.events)).toMatchObject({ thought_level: "high" });
    expect(metaFromEvents(session.events.slice(0, 1))).toMatchObject({ thought_level: "low" });
    const clock = new FakeClock();
    const fork = (atSeq: number) => forkSession(store, session.id, { clock, atSeq });
    expect((await fork(1)).thought_level).toBe("low");
    expect((await fork(2)).thought_level).toBe("high");
    // The process died before the metadata was written.
    await session.record({ type: "MODEL_CHANGED", payload: { model: "one", previous: "one" } });
    expect(metaFromEvents(session.events)).not.toHaveProperty("thought_level");
    await session.close();
    expect((await host.agent.openSession(session.id)).thoughtLevel).toBeUndefined();
    expect((await store.read(session.id)).meta.thought_level).toBeNull();
  });

  test("is absent from the metadata of older versions", () => {
    const meta = newMeta();
    expect(parseMeta(JSON.stringify(meta), meta.session_id)).toEqual({ ok: true, meta });
  });
});

test.each(SUBJECTS.filter(({ wire }) => wire === "anthropic" || wire === "google"))(
  "a level that begins, rises and ends in the middle of turns is taken by the service of $wire",
  async (subject) => {
    const call = { toolCalls: [{ name: "look", input: {} }] };
    const thought = { reasoning: { text: "Let me think." } };
    await using service = await serve(subject, [
      call,
      { ...thought, ...call },
      { ...thought, text: "First." },
      { ...thought, ...call },
      { ...thought, ...call },
      { text: "Second." },
    ]);
    const next: ("low" | "high" | undefined)[] = ["low", "low", "high", undefined];
    const chosen: { set?: () => Promise<void> } = {};
    const look = toolOf("look", async () => {
      await chosen.set?.();
      return answers("seen")();
    });
    await using host = await testAgent({ model: service.model, tools: [look] });
    chosen.set = () => host.session.setThoughtLevel(next.shift());
    expect(await host.prompt("one")).toMatchObject({ text: "First." });
    expect(await host.prompt("two")).toMatchObject({ text: "Second." });
    const sent = service.server.requests.map(({ status, body }) => {
      const { thinking, generationConfig } = (body ?? {}) as Record<string, { type?: unknown }>;
      const config = generationConfig as { thinkingConfig?: { thinkingLevel: string } } | undefined;
      return [status, thinking?.type ?? config?.thinkingConfig?.thinkingLevel ?? "default"];
    });
    const told = sent.map(([, level]) => level);
    expect(sent.map(([status]) => status)).toEqual(Array(6).fill(200));
    expect(told).toEqual(
      subject.wire === "google"
        ? ["default", "low", "low", "low", "high", "default"]
        : // Between a call without thoughts and its result Claude cannot begin to think.
          ["default", "default", "enabled", "enabled", "enabled", "default"],
    );
    const bodies = service.server.requests.map(({ body }) => JSON.stringify(body));
    expect(bodies.at(-1)).toContain("Let me think.");
  },
);
