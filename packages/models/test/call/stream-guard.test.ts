import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createScriptedModel } from "../../src/testing/index.ts";
import { ask, collect, failureOf } from "../support/wires.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const timeouts = { answerMs: 10_000, idleMs: 1_000 };

/** A stream of texts, each of which takes its time. */
function streamed(text: string, delayMs: number): Promise<unknown> {
  const steps = [{ text, chunkSize: 4, delayMs }];
  const model = createScriptedModel(
    { steps, repeatLast: true },
    { timeouts, retry: { attempts: 1 } },
  );
  return collect(model.stream({ messages: ask("hi") }));
}

describe("a stream", () => {
  test("may take as long for its first words as a whole answer, and what came with them", async () => {
    const work = streamed("word", 9_000);
    await vi.advanceTimersByTimeAsync(9_001);
    expect(await work).toContainEqual({ type: "text-delta", id: "text-1", delta: "word" });
  });

  test("fails when it has said nothing in that time", async () => {
    const failure = failureOf(streamed("word", 12_000));
    await vi.advanceTimersByTimeAsync(10_002);
    expect(await failure).toMatchObject({ details: { kind: "timeout" } });
  });

  test("may pause less between two parts once it speaks", async () => {
    const failure = failureOf(streamed("two words", 9_000));
    await vi.advanceTimersByTimeAsync(10_002);
    expect(await failure).toMatchObject({ details: { kind: "timeout" } });
  });
});
