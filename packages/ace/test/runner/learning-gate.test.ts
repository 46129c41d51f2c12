import { expect, test } from "vitest";
import { LearningGate } from "../../src/runner/learning-gate.ts";

const ready = () => Promise.resolve();

function blocker() {
  let release = (): void => undefined;
  const blocked = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { blocked, release: () => release() };
}

test("learning overlaps, a change waits for it, later learning waits for the change", async () => {
  const gate = new LearningGate();
  const events: string[] = [];
  const { blocked, release } = blocker();
  const first = gate.learn(() => blocked.then(() => events.push("first")), undefined);
  const second = gate.learn(async () => events.push("second"), undefined);
  await second;
  const change = gate.change(ready, () => events.push("change"), undefined);
  const third = gate.learn(async () => events.push("third"), undefined);
  release();
  await Promise.all([first, change, third]);
  expect(events).toEqual(["second", "first", "change", "third"]);
});

test("a change whose learning fails still happens", async () => {
  const gate = new LearningGate();
  const failing = gate.learn(() => Promise.reject(new Error("boom")), undefined);
  const change = gate.change(ready, () => "changed", undefined);
  await expect(failing).rejects.toThrow("boom");
  await expect(change).resolves.toBe("changed");
});

test("a change that is aborted behind another one does not let learning pass that one", async () => {
  const gate = new LearningGate();
  const events: string[] = [];
  const { blocked, release } = blocker();
  const learning = gate.learn(() => blocked, undefined);
  const change = gate.change(ready, () => events.push("change"), undefined);
  const given = new AbortController();
  const aborted = gate.change(ready, () => events.push("never"), given.signal);
  given.abort();
  await expect(aborted).rejects.toMatchObject({ code: "CORE_ABORTED" });
  const later = gate.learn(async () => events.push("later"), undefined);
  // Later than all microtasks: waiting must leave the event loop free.
  setTimeout(release, 1);
  await Promise.all([learning, change, later]);
  expect(events).toEqual(["change", "later"]);
});

test("a change that throws changes nothing and frees the way", async () => {
  const gate = new LearningGate();
  const broken = gate.change(
    ready,
    () => {
      throw new Error("broken");
    },
    undefined,
  );
  await expect(broken).rejects.toThrow("broken");
  await expect(gate.learn(async () => "learned", undefined)).resolves.toBe("learned");
});

test("a change that cannot be prepared fails without waiting for learning", async () => {
  const gate = new LearningGate();
  const { blocked, release } = blocker();
  const learning = gate.learn(() => blocked, undefined);
  const missing = () => Promise.reject(new Error("no such file"));
  await expect(gate.change(missing, () => "never", undefined)).rejects.toThrow("no such file");
  release();
  await learning;
});
