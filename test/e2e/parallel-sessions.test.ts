import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { startAceMcp } from "./support/ace-mcp.ts";
import type { ToolReply } from "./support/wire-client.ts";

const SESSIONS = 50;
const CALLS = 20;

/** Peak resident memory of a process in MB. */
function peakMegabytes(pid: number): number {
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(peak?.[1] ?? 0) / 1024;
}

test("50 parallel sessions of 20 calls over one server: every call answered, in order, nothing crosses over", async () => {
  await using client = await startAceMcp();
  const order: Record<string, number[]> = {};

  async function session(number: number): Promise<void> {
    const session_id = `session-${number}`;
    // One label of its own: an answer with another session's label would be a leak.
    const label = `team${number}`;
    const arrived: number[] = (order[session_id] = []);
    const track = async (step: number, call: Promise<ToolReply>): Promise<ToolReply> => {
      const reply = await call;
      arrived.push(step);
      expect(reply.isError, JSON.stringify(reply.body)).toBe(false);
      expect(reply.body["session_id"]).toBe(session_id);
      return reply;
    };
    const pending: Promise<ToolReply>[] = [];
    // All twenty are sent at once: the session's lock has to keep them in order.
    for (let step = 0; step < CALLS; step += 1) {
      const question = `Case ${number * 100 + step}: the gadget of customer ${number} fails. Which team?`;
      if (step % 4 === 0) {
        const samples = [{ question, ground_truth: label }];
        pending.push(track(step, client.call("ace.learn.sample", { session_id, samples })));
      } else if (step % 4 === 1) {
        pending.push(track(step, client.call("ace.ask", { session_id, question })));
      } else if (step % 4 === 2) {
        const feedback = { session_id, question, answer: label, feedback: "correct" };
        pending.push(track(step, client.call("ace.learn.feedback", feedback)));
      } else {
        pending.push(track(step, client.call("ace.skillbook.get", { session_id, limit: 200 })));
      }
    }
    const replies = await Promise.all(pending);
    expect(arrived).toEqual(Array.from({ length: CALLS }, (_, step) => step));
    const answers = replies.filter((_, step) => step % 4 === 1).map(({ body }) => body["answer"]);
    expect(answers).toEqual(answers.map(() => label));
    const texts = JSON.stringify(
      replies.filter((_, step) => step % 4 === 3).map(({ body }) => body),
    );
    const foreign = [...texts.matchAll(/team(\d+)/g)].filter(
      (match) => match[1] !== String(number),
    );
    expect(foreign).toEqual([]);
  }

  await Promise.all(Array.from({ length: SESSIONS }, (_, number) => session(number)));
  const replies = client.messages.filter((message) => message.id !== undefined);
  expect(new Set(replies.map((message) => message.id)).size).toBe(replies.length);
  expect(replies.length).toBe(SESSIONS * CALLS + 1);
  expect(client.noise).toEqual([]);
  expect(peakMegabytes(client.process.pid)).toBeLessThan(400);
  expect(await client.close()).toMatchObject({ code: 0 });
});
