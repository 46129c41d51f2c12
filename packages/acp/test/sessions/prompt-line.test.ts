import type { PromptResponse } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { PromptLine } from "../../src/sessions/prompt-line.ts";

const END: PromptResponse = { stopReason: "end_turn" };
const CANCELLED: PromptResponse = { stopReason: "cancelled" };

function never(): AbortSignal {
  return new AbortController().signal;
}

function untilEnd(signal: AbortSignal): Promise<PromptResponse> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => setTimeout(() => resolve(END), 5), { once: true });
  });
}

test("prompts run one after the other in the order in which they came", async () => {
  const line = new PromptLine();
  const seen: string[] = [];
  const work = (name: string) => async (): Promise<PromptResponse> => {
    seen.push(`${name} begins`);
    await new Promise((resolve) => setTimeout(resolve, 1));
    seen.push(`${name} ends`);
    return END;
  };
  const answers = ["a", "b", "c"].map((name) => line.run(work(name), never()));
  expect(await Promise.all(answers)).toEqual([END, END, END]);
  expect(seen).toEqual(["a", "b", "c"].flatMap((name) => [`${name} begins`, `${name} ends`]));
});

test("a cancel right after the call counts, and nothing has begun", async () => {
  const line = new PromptLine();
  let begun = 0;
  const work = (): Promise<PromptResponse> => {
    begun += 1;
    return Promise.resolve(END);
  };
  const answers = [line.run(work, never()), line.run(work, never())];
  line.cancel();
  expect(await Promise.all(answers)).toEqual([CANCELLED, CANCELLED]);
  expect(begun).toBe(0);
  expect(await line.run(work, never())).toEqual(END);
});

test("the answer after a cancel is `cancelled`, whatever the work says or throws", async () => {
  const line = new PromptLine();
  const ends = line.run(untilEnd, never());
  const fails = line.run(() => Promise.reject(new Error("boom")), never());
  await new Promise((resolve) => setTimeout(resolve, 1));
  line.cancel();
  expect(await Promise.all([ends, fails])).toEqual([CANCELLED, CANCELLED]);
  await expect(line.run(() => Promise.reject(new Error("boom")), never())).rejects.toThrow("boom");
});

test("a prompt that is given up alone leaves the others in their order", async () => {
  const line = new PromptLine();
  const seen: string[] = [];
  let finish = (): void => undefined;
  const first = line.run(async () => {
    await new Promise<void>((resolve) => (finish = resolve));
    seen.push("first");
    return END;
  }, never());
  const alone = new AbortController();
  const second = line.run(() => Promise.resolve(END), alone.signal);
  const third = line.run(() => {
    seen.push("third");
    return Promise.resolve(END);
  }, never());
  alone.abort();
  expect(await second).toEqual(CANCELLED);
  expect(seen).toEqual([]);
  finish();
  expect(await Promise.all([first, third])).toEqual([END, END]);
  expect(seen).toEqual(["first", "third"]);
});

test("it is idle when every prompt was answered", async () => {
  const line = new PromptLine();
  const running = line.run(untilEnd, never());
  let idle = false;
  const wait = line.idle().then(() => (idle = true));
  await new Promise((resolve) => setTimeout(resolve, 1));
  expect(idle).toBe(false);
  line.cancel();
  await running;
  await wait;
  await line.idle();
});
