import type { ModelReply } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { compactHistory } from "../../src/compaction/compact-history.ts";
import { textBlock } from "../../src/content/content-block.ts";
import { LogBuilder } from "../conversation/log-builder.ts";
import {
  type Service,
  serve,
  type Subject,
  SUBJECTS,
  SYSTEM,
  takeStep,
  TOOLS,
} from "./subjects.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const SIGNATURES = ["SIGNATURE-ONE-abc+/=", "SIGNATURE-TWO-def+/="];

function thoughtful(index: number, reply: ModelReply): ModelReply {
  return {
    ...reply,
    reasoning: { text: `Thought ${index}.`, signature: SIGNATURES[index] ?? "OTHER" },
  };
}

const SCRIPT: readonly ModelReply[] = [
  thoughtful(0, {
    text: "I look at both.",
    toolCalls: [
      { name: "bash", input: { command: "ls" } },
      { name: "read_file", input: { command: "shot.png" } },
    ],
  }),
  thoughtful(1, { toolCalls: [{ name: "bash", input: { command: "sleep 60" } }] }),
];
const ANSWERS: readonly ModelReply[] = Array.from({ length: 8 }, (_, index) => ({
  text: `Answer ${index}.`,
}));

/** A log with two steps of a real model: parallel calls with results, an image, and a call that was cut off by a crash. */
async function workedLog({ model }: Service): Promise<LogBuilder> {
  const log = new LogBuilder().user("Look at the folder and the picture.");
  await takeStep(log, model);
  const [ls, shot] = callIdsOf(log);
  log
    .result(shot ?? "", "", {
      output: [textBlock("a picture"), { type: "image", mime_type: "image/png", data: PNG }],
    })
    .result(ls ?? "", "no such folder", { status: "failed", exit_code: 1 });
  await takeStep(log, model);
  return log;
}

function callIdsOf({ events }: LogBuilder): string[] {
  return events.flatMap((event) => (event.type === "TOOL_CALL" ? [event.payload.call_id] : []));
}

function bodyOf({ server }: Service, index: number): string {
  return JSON.stringify(server.requests.at(index)?.body);
}

function signed(body: string): string[] {
  return SIGNATURES.filter((signature) => body.includes(signature));
}

describe.each(SUBJECTS)("the wire $wire", (subject) => {
  test("accepts a conversation that was rebuilt from the log at every point of a session's life", async () => {
    await using service = await serve(subject, [...SCRIPT, ...ANSWERS]);
    const { model, server } = service;
    const log = await workedLog(service);

    // The process died while the last call ran; nothing of its result was logged.
    log.user("Go on without it.");
    await takeStep(log, model);
    // A turn that failed before an answer, then files that were taken back, then two prompts in a row.
    log
      .user("This one fails.")
      .add({
        type: "ERROR",
        payload: {
          code: "MODEL_FAILED",
          message: "down",
          retryable: true,
          source: "model",
          attempt: 1,
        },
      })
      .add({ type: "FILES_RESTORED", payload: { to_seq: 1, paths: ["a.ts"] } })
      .user("Look at this.", { type: "image", mime_type: "image/png", data: PNG });
    await takeStep(log, model);
    log.add({ type: "AUTO_CONTINUE", payload: { reason: "output_limit", count: 1 } });
    await takeStep(log, model);

    expect(server.requests.map(({ refusal }) => refusal)).toEqual(
      Array.from({ length: 5 }, () => undefined),
    );
    const last = server.calls.at(-1)?.messages ?? [];
    const results = last.flatMap(({ parts }) => parts.filter(({ type }) => type === "tool-result"));
    expect(results).toHaveLength(3);
    expect(JSON.stringify(results[0])).toContain("no such folder");
    expect(JSON.stringify(results[2])).toContain("interrupted");
    const images = last.flatMap(({ parts }) => parts.filter(({ type }) => type === "file"));
    expect(images).toHaveLength(subject.wire === "openai-compatible" ? 0 : 2);
  });

  test("gets its signatures back byte for byte", async () => {
    await using service = await serve(subject, [...SCRIPT, ...ANSWERS]);
    const log = await workedLog(service);
    log.user("And now?");
    await takeStep(log, service.model);
    expect(signed(bodyOf(service, 0))).toEqual([]);
    expect(signed(bodyOf(service, 1))).toEqual(subject.signs ? SIGNATURES.slice(0, 1) : []);
    expect(signed(bodyOf(service, 2))).toEqual(subject.signs ? SIGNATURES : []);
  });

  test.each(SUBJECTS.filter(({ wire }) => wire !== subject.wire))(
    "gives its conversation to $wire without signatures and thoughts, and takes it back",
    async (other) => {
      await using service = await serve(subject, [...SCRIPT, ...ANSWERS]);
      const log = await workedLog(service);
      await using second = await serve(other, [
        thoughtful(9, { toolCalls: [{ name: "bash", input: { command: "pwd" } }] }),
        ...ANSWERS,
      ]);
      log.user("Another model goes on.");
      await takeStep(log, second.model);
      const call = callIdsOf(log).at(-1) ?? "";
      log.result(call, "/home");
      await takeStep(log, second.model);
      for (const index of [0, 1]) {
        expect(signed(bodyOf(second, index))).toEqual([]);
        expect(bodyOf(second, index)).not.toMatch(/Thought [01]\./);
        expect(bodyOf(second, index)).toContain("I look at both.");
      }
      log.user("And back.");
      await takeStep(log, service.model);
      expect(signed(bodyOf(service, -1))).toEqual(subject.signs ? SIGNATURES : []);
      expect(bodyOf(service, -1)).not.toContain("Thought 9.");
      expect(
        [...service.server.requests, ...second.server.requests].map(({ refusal }) => refusal),
      ).toEqual(Array.from({ length: 5 }, () => undefined));
    },
  );

  test("writes a summary of a history with calls, and goes on behind it", async () => {
    await using service = await serve(subject, [
      ...SCRIPT,
      { text: "## Goal\nA summary." },
      ...ANSWERS,
    ]);
    const { model, server } = service;
    const log = await workedLog(service);
    log.result(callIdsOf(log).at(-1) ?? "", "x".repeat(3_000));
    const compaction = await compactHistory({
      events: log.events,
      turnId: log.turnId,
      model,
      system: SYSTEM,
      tools: TOOLS,
      maxOutputTokens: 4_000,
      force: true,
    });
    expect(compaction.state).toBe("compacted");
    const request = server.calls.at(-1);
    expect(request).toMatchObject({ toolChoice: "none" });
    expect(request?.tools.map(({ name }) => name)).toEqual(["bash", "read_file"]);
    for (const draft of compaction.drafts) log.add(draft);
    await takeStep(log, model);
    // The kept step has its signature, and the old ones are gone.
    expect(signed(bodyOf(service, -1))).toEqual(subject.signs ? SIGNATURES.slice(1) : []);
    expect(bodyOf(service, -1)).toContain("A summary.");
    expect(bodyOf(service, -1)).toContain("Look at the folder and the picture.");
    log.compact("tool_previews", log.next).user("More.");
    await takeStep(log, model);
    expect(bodyOf(service, -1)).toContain("characters left out to save room");
    expect(server.requests.every(({ refusal }) => refusal === undefined)).toBe(true);
  });
});

test("the prompt cache is asked to keep the system text, with the tools before it, and the last two messages", async () => {
  const subject = SUBJECTS.find(({ wire }) => wire === "anthropic") as Subject;
  await using service = await serve(subject, [...SCRIPT, ...ANSWERS]);
  const log = await workedLog(service);
  log.user("Again.");
  await takeStep(log, service.model);
  const { system, messages } = service.server.requests.at(-1)?.body ?? {};
  expect(JSON.stringify(system)).toContain("cache_control");
  const marked = (messages as { content: object[] }[]).map(
    ({ content }) => JSON.stringify(content).split("cache_control").length - 1,
  );
  // Results and the prompt behind them travel in one message there, and each has its mark.
  expect(marked).toEqual([0, 0, 0, 0, 2]);
});
