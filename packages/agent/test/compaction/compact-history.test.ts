import { createScriptedModel } from "@acumen/models/testing";
import { describe, expect, test } from "vitest";
import { conversationOf } from "../../src/conversation/conversation.ts";
import { countedTokens } from "../../src/compaction/context-size.ts";
import { LogBuilder } from "../conversation/log-builder.ts";
import {
  compact,
  MADE_BY,
  promptOf,
  recorded,
  summariser,
  SYSTEM,
  TOOLS,
  workingTurn,
} from "./support.ts";

const TARGET = { ...MADE_BY, vision: false };
const SUMMARY = "## Goal\nFix the build.\n## Done\nSteps.";

function conversationText(log: LogBuilder): string {
  return JSON.stringify(conversationOf(log.events, TARGET));
}

describe("whether to compact", () => {
  test("decides by what the service counted, and what was added since", async () => {
    const model = summariser(20_000);
    // 20,000 without 1,000 of output and a margin of 1,000.
    const fits = new LogBuilder().user("go").step().say("short").usage(17_000, 1_000);
    expect(await compact(fits, model)).toEqual({
      state: "fits",
      drafts: [],
      usage: { inputTokens: 0, outputTokens: 0 },
      contextTokens: 18_000,
    });
    const grown = new LogBuilder()
      .user("go")
      .step()
      .call("a", "bash", {})
      .usage(17_000, 500)
      .result("a", "x".repeat(3_500));
    expect(countedTokens(grown.events)).toBeGreaterThan(18_000);
    expect((await compact(grown, model)).state).not.toBe("fits");
  });

  test("counts system, tools and arguments of calls where no service has counted", async () => {
    const big = "x".repeat(14_000);
    const empty = new LogBuilder().user("go");
    const model = (): ReturnType<typeof summariser> => summariser(8_000);
    expect((await compact(empty, model())).state).toBe("fits");
    expect((await compact(empty, model(), { system: big.repeat(2) })).state).toBe("context_full");
    const [tool] = TOOLS;
    const tools = tool === undefined ? [] : [{ ...tool, description: big.repeat(2) }];
    expect((await compact(empty, model(), { tools })).state).toBe("context_full");
    const called = new LogBuilder()
      .user("go")
      .step()
      .call("a", "bash", { command: big })
      .result("a", "ok")
      .step()
      .call("b", "bash", { command: big })
      .result("b", "ok");
    expect((await compact(called, model())).state).toBe("compacted");
  });

  test("takes an unknown window for 128,000 tokens", async () => {
    const model = createScriptedModel({ steps: [] });
    const log = (tokens: number): LogBuilder =>
      new LogBuilder().user("go").step().say("a").usage(tokens, 0);
    expect((await compact(log(120_000), model)).state).toBe("fits");
    expect((await compact(log(121_000), model)).state).not.toBe("fits");
  });

  test("an answer's own events are not counted twice, wherever its count stands", () => {
    const before = new LogBuilder()
      .user("go")
      .step()
      .usage(100, 50)
      .say("x".repeat(700))
      .call("a", "bash", {});
    const after = new LogBuilder()
      .user("go")
      .step()
      .say("x".repeat(700))
      .call("a", "bash", {})
      .usage(100, 50);
    expect(countedTokens(before.events)).toBe(150);
    expect(countedTokens(after.events)).toBe(150);
    const early = new LogBuilder()
      .user("go")
      .step()
      .call("a", "bash", {})
      .result("a", "y".repeat(350))
      .usage(100, 50);
    expect(countedTokens(early.events)).toBeGreaterThanOrEqual(250);
  });
});

describe("previews", () => {
  test("come first, of as many old outputs as are needed, and cost no call", async () => {
    // Ten outputs of about 1,000 tokens in a window that takes 9,550.
    const log = workingTurn(10, 3_500);
    const model = summariser(11_000);
    const result = await compact(log, model);
    expect(result.state).toBe("compacted");
    expect(model.calls).toHaveLength(0);
    expect(result.drafts).toHaveLength(1);
    const payload = result.drafts[0]?.payload;
    expect(payload).toMatchObject({ strategy: "tool_previews" });
    expect(payload?.tokens_after).toBeLessThan(payload?.tokens_before ?? 0);
    const text = conversationText(recorded(log, result));
    expect(text).toContain("output 1 aaa");
    expect(text).not.toContain("a".repeat(3_000));
    expect(text).toContain("Run the tool again if they are needed.");
    // The newer half is whole.
    expect(text).toContain("j".repeat(3_500));
    expect(text).toContain("h".repeat(3_500));
    expect((await compact(log, model)).state).toBe("fits");
  });

  test("are not enough when the newest output is what fills the window", async () => {
    const log = workingTurn(3, 400);
    log.step().call("big", "bash", {}).result("big", "z".repeat(40_000));
    const model = summariser(11_000, { text: SUMMARY });
    const result = await compact(log, model);
    expect(result.state).toBe("compacted");
    expect(result.drafts.map(({ payload }) => payload.strategy)).toContain("checkpoint");
  });
});

describe("a checkpoint", () => {
  /** Small outputs and long arguments: previews free nothing. */
  function longTurn(log = new LogBuilder().user("Fix the build."), steps = 20): LogBuilder {
    for (let index = 1; index <= steps; index += 1) {
      const id = `call-${log.next}`;
      const command = `${index} ${String.fromCodePoint(96 + index).repeat(3_500)}`;
      log.step().call(id, "bash", { command }, { made_by: MADE_BY }).result(id, `ok ${index}`);
    }
    return log;
  }

  test("inside a turn keeps the prompt, the newest steps and whole pairs of call and result", async () => {
    const log = longTurn();
    const model = summariser(22_000, { text: SUMMARY });
    const result = await compact(log, model);
    expect(result.state).toBe("compacted");
    const { payload } = result.drafts[0] ?? {};
    expect(payload).toMatchObject({ strategy: "checkpoint", summary: SUMMARY });
    const kept = log.events.find(({ seq }) => seq === payload?.kept_from_seq);
    expect(kept?.type).toBe("TOOL_CALL");
    expect(payload?.tokens_after).toBeLessThan(19_900);
    const messages = conversationOf(recorded(log, result).events, TARGET);
    expect(messages.map(({ role }) => role).slice(0, 3)).toEqual(["user", "assistant", "tool"]);
    const text = JSON.stringify(messages);
    expect(text).toContain("Fix the build.");
    expect(text).toContain("ok 20");
    expect(text).not.toContain('ok 1"');
    expect(text).not.toContain("interrupted");
    expect(countedTokens(log.events)).toBe(payload?.tokens_after);
  });

  test("is asked for with the session's tools, of which none may be called, and the session's system text", async () => {
    const model = summariser(22_000, {
      text: SUMMARY,
      usage: { inputTokens: 9_000, outputTokens: 300 },
    });
    const result = await compact(longTurn(), model);
    expect(result.usage).toMatchObject({ inputTokens: 9_000, outputTokens: 300 });
    const [call] = model.calls;
    expect(call).toMatchObject({
      tools: TOOLS,
      toolChoice: { type: "none" },
      providerOptions: { acumen: { session: "s", purpose: "compaction" } },
    });
    expect(call?.maxOutputTokens).toBeGreaterThanOrEqual(2_000);
    expect(call?.prompt[0]).toMatchObject({ role: "system", content: SYSTEM });
    // Arguments of calls are part of what is summed up.
    expect(promptOf(model, 0)).toContain("b".repeat(3_500));
    expect(promptOf(model, 0)).toContain("## Next steps");
  });

  test("at the start of a turn keeps the new prompt whole", async () => {
    const log = longTurn();
    log
      .step()
      .say("Done.")
      .user(`Next: ${"n".repeat(3_000)}`);
    const result = await compact(log, summariser(22_000, { text: SUMMARY }));
    expect(result.state).toBe("compacted");
    const text = conversationText(recorded(log, result));
    expect(text).toContain("n".repeat(3_000));
    expect(text).not.toContain("request that is being worked on");
  });

  test("of a second time sums up the first one", async () => {
    const log = longTurn();
    recorded(log, await compact(log, summariser(22_000, { text: "FIRST SUMMARY" })));
    longTurn(log, 17);
    const model = summariser(22_000, { text: "SECOND SUMMARY" });
    const second = await compact(log, model);
    expect(promptOf(model, 0)).toContain("FIRST SUMMARY");
    const text = conversationText(recorded(log, second));
    expect(text).toContain("SECOND SUMMARY");
    expect(text).not.toContain("FIRST SUMMARY");
    expect(text).toContain("Fix the build.");
  });

  test("never parts a call from a result that came late", async () => {
    const log = longTurn(new LogBuilder().user("Fix the build."), 12);
    const late = log.next;
    log.step().call("late", "bash", {});
    longTurn(log, 8).result("late", "at last");
    const result = await compact(log, summariser(22_000, { text: SUMMARY }));
    expect(result.drafts[0]?.payload.kept_from_seq).toBe(late);
    expect(conversationText(recorded(log, result))).toContain("at last");
  });

  test("keeps every prompt that nothing was answered to", async () => {
    const log = longTurn();
    log
      .step()
      .say("Done.")
      .user(`Failed: ${"f".repeat(20_000)}`)
      .user("Try again.");
    const result = await compact(log, summariser(22_000, { text: SUMMARY }));
    expect(result.state).toBe("compacted");
    expect(conversationText(recorded(log, result))).toContain("f".repeat(20_000));
  });

  test("with previews, when the newest output alone is too much", async () => {
    const log = workingTurn(2, 100);
    log.step().call("big", "bash", {}).result("big", "z".repeat(90_000));
    const result = await compact(log, summariser(22_000, { text: SUMMARY }));
    expect(result.state).toBe("compacted");
    expect(result.drafts.map(({ payload }) => payload.strategy)).toEqual([
      "checkpoint",
      "tool_previews",
    ]);
    const text = conversationText(recorded(log, result));
    expect(text).toContain("89,6");
    expect(text.length).toBeLessThan(20_000);
  });

  test("of everything, when the newest step alone is too much", async () => {
    const log = workingTurn(2, 100);
    log
      .step()
      .call("big", "bash", { command: "z".repeat(90_000) })
      .result("big", "ok");
    const result = await compact(log, summariser(22_000, { text: SUMMARY }));
    expect(result.state).toBe("compacted");
    expect(conversationOf(recorded(log, result).events, TARGET).map(({ role }) => role)).toEqual([
      "user",
    ]);
  });

  test("is not tried when system, tools and prompt alone are too much", async () => {
    const model = summariser(22_000, { text: SUMMARY });
    const full = await compact(longTurn(), model, { system: "s".repeat(90_000) });
    const prompt = await compact(workingTurn(1, 10).user("p".repeat(90_000)), model);
    expect([full.state, prompt.state]).toEqual(["context_full", "context_full"]);
    expect(full.drafts).toEqual([]);
    expect(model.calls).toHaveLength(0);
  });
});

describe("on demand", () => {
  test("outside of turns sums up everything, however little it is", async () => {
    const log = workingTurn(1, 10);
    log.turnId = null;
    const result = await compact(log, summariser(100_000, { text: SUMMARY }), { force: true });
    expect(result.state).toBe("compacted");
    log.stepNumber = 0;
    recorded(log, result).user("And now?");
    const messages = conversationOf(log.events, TARGET);
    expect(messages).toHaveLength(1);
    expect(JSON.stringify(messages)).toMatch(/## Goal.*And now\?/);
  });

  test("an empty session has nothing to sum up", async () => {
    const model = summariser(100_000);
    expect((await compact(new LogBuilder(), model, { force: true })).state).toBe("fits");
    expect(model.calls).toHaveLength(0);
  });

  test("inside a turn keeps the newest part", async () => {
    const log = workingTurn(5, 3_500);
    const result = await compact(log, summariser(20_000, { text: SUMMARY }), { force: true });
    expect(result.state).toBe("compacted");
    const text = conversationText(recorded(log, result));
    expect(text).toContain("e".repeat(3_500));
    expect(text).not.toContain("a".repeat(3_500));
  });
});
