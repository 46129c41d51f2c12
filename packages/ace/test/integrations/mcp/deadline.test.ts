import { describe, expect, it } from "vitest";
import { withDeadline } from "../../../src/integrations/mcp/deadline.ts";
import { type ProgressUpdate, startProgress } from "../../../src/integrations/mcp/progress.ts";
import { untilAbort } from "./support/stub-runner.ts";

const never = async (): Promise<never> => await new Promise<never>(() => undefined);

describe("withDeadline", () => {
  it("gives the value of work that ends in time", async () => {
    expect(await withDeadline(10, undefined, async () => 5)).toEqual({ value: 5, passed: false });
  });

  it("aborts the work when the deadline passes, and waits for its end", async () => {
    let stopped = false;
    const outcome = await withDeadline(0.01, undefined, async (signal) => {
      await untilAbort(signal).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 20));
      stopped = true;
      return "partly";
    });
    expect(outcome).toEqual({ value: "partly", passed: true });
    expect(stopped).toBe(true);
  });

  it("answers without work that does not listen", async () => {
    expect(await withDeadline(0.01, undefined, never)).toEqual({ value: undefined, passed: true });
  });

  it("counts an error after the deadline as the deadline, an earlier one as itself", async () => {
    const failing = async (signal: AbortSignal): Promise<never> => await untilAbort(signal);
    expect(await withDeadline(0.01, undefined, failing)).toEqual({
      value: undefined,
      passed: true,
    });
    const broken = async (): Promise<never> => {
      throw new Error("own");
    };
    await expect(withDeadline(10, undefined, broken)).rejects.toThrow("own");
  });

  it("passes the client's cancellation on", async () => {
    const client = new AbortController();
    const work = withDeadline(10, client.signal, untilAbort);
    client.abort();
    await expect(work).rejects.toMatchObject({ code: "CORE_ABORTED" });
    await expect(withDeadline(10, client.signal, untilAbort)).rejects.toMatchObject({
      code: "CORE_ABORTED",
    });
  });
});

describe("startProgress", () => {
  function recorder(): { sent: ProgressUpdate[]; send: (update: ProgressUpdate) => Promise<void> } {
    const sent: ProgressUpdate[] = [];
    return { sent, send: async (update) => void sent.push(update) };
  }

  it("reports finished units, strictly increasing, and nothing after the end", () => {
    const { sent, send } = recorder();
    const progress = startProgress(send, 3, "start");
    progress.report(1, "one");
    progress.report(1, "again");
    progress.report(3, "three");
    progress.stop();
    progress.report(4, "late");
    expect(sent).toEqual([
      { progress: 1, total: 3, message: "one" },
      { progress: 3, total: 3, message: "three" },
    ]);
  });

  it("moves within a unit while nothing else happens, so that hosts do not give up", async () => {
    const { sent, send } = recorder();
    const progress = startProgress(send, 2, "start", 1);
    while (sent.length < 3) await new Promise((resolve) => setTimeout(resolve, 1));
    progress.report(1, "one");
    progress.stop();
    const values = sent.map((update) => update.progress);
    expect(values.slice(0, 3)).toEqual([1 / 2, 2 / 3, 3 / 4]);
    expect(values.at(-1)).toBe(1);
    expect(values).toEqual([...new Set(values)].toSorted((a, b) => a - b));
  });

  it("does nothing without a token, and survives a client that went away", async () => {
    startProgress(undefined, 1, "x").report(1, "y");
    const progress = startProgress(async () => await Promise.reject(new Error("gone")), 1, "x");
    progress.report(1, "y");
    progress.stop();
    await new Promise((resolve) => setImmediate(resolve));
  });
});
