import { AcumenError } from "@acumen/core";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { compactionPrompt } from "../../src/compaction/compaction-prompt.ts";
import { compact, promptOf, summariser, workingTurn } from "./support.ts";

const FORCE = { force: true, turnId: null };
const USAGE = { usage: { inputTokens: 10, outputTokens: 5 } };

test("the rendered prompt", async () => {
  const prompt = compactionPrompt({ words: 800, leftOut: 2, reminder: "Reminder." });
  await expect(prompt).toMatchFileSnapshot("__snapshots__/compaction-prompt.md");
  const file = await readFile(new URL("../../prompts/compaction.md", import.meta.url), "utf8");
  expect(compactionPrompt({ words: 800, leftOut: 0 })).toBe(
    file.trim().replace("{{words}}", "800"),
  );
});

describe("answers that are no summary", () => {
  test("an empty one is asked for again, and both are counted", async () => {
    const model = summariser(50_000, { text: "  \n", ...USAGE }, { text: "S", ...USAGE });
    const result = await compact(workingTurn(2, 10), model, FORCE);
    expect(result).toMatchObject({
      state: "compacted",
      usage: { inputTokens: 20, outputTokens: 10 },
    });
    expect(promptOf(model, 1)).toContain("Your last answer held no summary.");
  });

  test("two empty ones are a coded failure, and nothing is recorded", async () => {
    const call = { toolCalls: [{ tool: "bash", input: {} }], ...USAGE };
    const result = await compact(workingTurn(2, 10), summariser(50_000, call, call), FORCE);
    expect(result).toMatchObject({
      state: "failed",
      drafts: [],
      usage: { inputTokens: 20, outputTokens: 10 },
      error: { code: "MODEL_FAILED", retryable: true, details: { kind: "invalid_output" } },
    });
  });

  test("one that was cut off is asked for again, and used with a mark when there is no better one", async () => {
    const cut = { text: "half a summ", finish: "length" };
    const model = summariser(50_000, cut, cut);
    const result = await compact(workingTurn(2, 10), model, FORCE);
    expect(promptOf(model, 1)).toContain("cut off at the output limit");
    expect(result.drafts[0]?.payload.summary).toBe("half a summ\n[The summary was cut off here.]");
  });

  test("a filtered one does not count as a summary", async () => {
    const filtered = { text: "I cannot", finish: "content-filter" };
    const result = await compact(workingTurn(2, 10), summariser(50_000, filtered, filtered), FORCE);
    expect(result.state).toBe("failed");
  });
});

test("a failure of the model comes back as a coded value", async () => {
  const model = summariser(50_000, { error: { kind: "auth", message: "no key" } });
  const result = await compact(workingTurn(2, 10), model, FORCE);
  expect(result).toMatchObject({
    state: "failed",
    drafts: [],
    error: { code: "MODEL_FAILED", details: { kind: "auth" } },
  });
});

test("an abort ends it with the abort's error", async () => {
  const controller = new AbortController();
  const model = summariser(50_000, { text: "a long summary", chunkSize: 1, delayMs: 1_000 });
  const work = compact(workingTurn(2, 10), model, { ...FORCE, signal: controller.signal });
  setTimeout(() => controller.abort(), 10);
  const error: unknown = await work.catch((reason: unknown) => reason);
  expect(AcumenError.isInstance(error) && error.code).toBe("CORE_ABORTED");
});

describe("a history that no request can hold", () => {
  const piece = (name: string): object => ({ text: `SUMMARY ${name}` });

  test("is summed up in pieces, each on top of the one before, old outputs cut in their middle", async () => {
    const model = summariser(12_000, ...["1", "2", "3", "4", "5", "6", "7", "8"].map(piece));
    const result = await compact(workingTurn(20, 6_000), model, FORCE);
    expect(result.state).toBe("compacted");
    expect(model.calls.length).toBeGreaterThan(1);
    expect(promptOf(model, 0)).toContain("Fix the build.");
    expect(promptOf(model, 1)).toContain("SUMMARY 1");
    expect(promptOf(model, 1)).not.toContain("Fix the build.");
    expect(promptOf(model, model.calls.length - 1)).toContain("output 20");
    for (const [index] of model.calls.entries()) {
      expect(promptOf(model, index)).not.toContain("a".repeat(6_000));
      // Everything fits: window without the answer, at 3.5 bytes a token.
      expect(promptOf(model, index).length).toBeLessThan(10_000 * 3.5);
    }
    expect(result.drafts[0]?.payload.summary).toBe(`SUMMARY ${model.calls.length}`);
  });

  test("leaves out what does not even fit alone, and says how much", async () => {
    const log = workingTurn(1, 10);
    log.step();
    for (let index = 0; index < 30; index += 1) {
      log.call(`p${index}`, "bash", { command: `${index}` }).result(`p${index}`, "w".repeat(5_000));
    }
    const model = summariser(12_000, piece("1"), piece("2"));
    const result = await compact(log, model, FORCE);
    expect(result.state).toBe("compacted");
    expect(promptOf(model, model.calls.length - 1)).toContain("1 older messages did not fit");
  });

  test("is cut smaller when the service says that it is too long", async () => {
    const tooLong = { error: { kind: "context_length", message: "too long" } };
    const model = summariser(50_000, tooLong, ...["1", "2", "3", "4"].map(piece));
    const result = await compact(workingTurn(12, 6_000), model, FORCE);
    expect(result.state).toBe("compacted");
    expect(promptOf(model, 0)).toContain("a".repeat(6_000));
    expect(promptOf(model, 1)).not.toContain("a".repeat(6_000));
  });
});
