import { AcumenError, coreError } from "@acumen/core";
import { describe, expect, test } from "vitest";
import { generateObject, type Model } from "../../src/index.ts";
import { z } from "zod";
import {
  ask,
  collect,
  failureOf,
  modelAt,
  serve,
  type Subject,
  SUBJECTS,
} from "../support/wires.ts";

const MODES = ["generate", "stream"] as const;
/** The contract says one second, and everything here takes some milliseconds; a busy machine gets some more. */
const LIMIT_MS = 3_000;

function call(model: Model, mode: (typeof MODES)[number], signal: AbortSignal): Promise<unknown> {
  const request = { messages: ask("hi"), signal };
  return mode === "generate" ? model.generate(request) : collect(model.stream(request));
}

/** Aborts once `ready` says so, and checks that the call ends at once and nothing follows. */
async function abortedCall(
  work: (signal: AbortSignal) => Promise<unknown>,
  ready: () => Promise<unknown>,
): Promise<AcumenError> {
  const controller = new AbortController();
  const failure = failureOf(work(controller.signal));
  await ready();
  const start = performance.now();
  controller.abort();
  const error = await failure;
  expect(performance.now() - start).toBeLessThan(LIMIT_MS);
  if (!AcumenError.isInstance(error)) throw error;
  return error;
}

/** Long enough for a retry that should not be, given the waits of a millisecond. */
const quiet = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));

describe.each(SUBJECTS)("abort on the wire $wire", (subject: Subject) => {
  test.each(MODES)("before the call: no request at all, %s", async (mode) => {
    await using server = await serve(subject, [{ text: "never" }]);
    const model = await modelAt(subject, server);
    const error = await failureOf(call(model, mode, AbortSignal.abort()));
    expect(error).toMatchObject({ code: "CORE_ABORTED" });
    expect(server.requests).toHaveLength(0);
  });

  test.each(MODES)("while the service thinks, before the headers, %s", async (mode) => {
    await using server = await serve(subject, () => ({ fault: "hang", at: "start" }));
    const model = await modelAt(subject, server);
    const error = await abortedCall(
      (signal) => call(model, mode, signal),
      () => server.untilRequests(1),
    );
    expect(error.code).toBe("CORE_ABORTED");
    await server.untilAborted(1);
    await quiet();
    expect(server.requests).toHaveLength(1);
  });

  test("in the middle of a whole answer", async () => {
    await using server = await serve(subject, () => ({ fault: "hang", at: "middle" }));
    const model = await modelAt(subject, server);
    const error = await abortedCall(
      (signal) => call(model, "generate", signal),
      async () => {
        await server.untilRequests(1);
        await quiet();
      },
    );
    expect(error.code).toBe("CORE_ABORTED");
    await server.untilAborted(1);
    await quiet();
    expect(server.requests).toHaveLength(1);
  });

  test("in the middle of a stream, after text came", async () => {
    await using server = await serve(subject, () => ({ fault: "hang", at: "middle" }));
    const model = await modelAt(subject, server);
    const texts: string[] = [];
    let heard: (() => void) | undefined;
    const first = new Promise<void>((resolve) => (heard = resolve));
    const error = await abortedCall(
      async (signal) => {
        for await (const part of model.stream({ messages: ask("hi"), signal })) {
          if (part.type !== "text-delta") continue;
          texts.push(part.delta);
          heard?.();
        }
      },
      () => first,
    );
    expect(error.code).toBe("CORE_ABORTED");
    expect(texts.length).toBeGreaterThan(0);
    await server.untilAborted(1);
    await quiet();
    expect(server.requests).toHaveLength(1);
  });

  test("while waiting for the next try", async () => {
    await using server = await serve(subject, () => ({ fault: "429", retryAfter: 30 }));
    const model = await modelAt(subject, server);
    let waiting: (() => void) | undefined;
    const wait = new Promise<void>((resolve) => (waiting = resolve));
    const error = await abortedCall(
      (signal) => model.generate({ messages: ask("hi"), signal, onRetry: () => waiting?.() }),
      () => wait,
    );
    expect(error.code).toBe("CORE_ABORTED");
    await quiet();
    expect(server.requests).toHaveLength(1);
  });

  test("between the attempts at a structured answer", async () => {
    const controller = new AbortController();
    await using server = await serve(subject, () => {
      controller.abort();
      return { json: { wrong: true } };
    });
    const model = await modelAt(subject, server);
    const error = await failureOf(
      generateObject(model, {
        messages: ask("hi"),
        schema: z.object({ right: z.string() }),
        schemaName: "answer",
        signal: controller.signal,
      }),
    );
    expect(error).toMatchObject({ code: "CORE_ABORTED" });
    await quiet();
    expect(server.requests).toHaveLength(1);
  });

  test("a coded reason of the caller is passed on as it is", async () => {
    await using server = await serve(subject, () => ({ fault: "hang", at: "middle" }));
    const model = await modelAt(subject, server);
    const controller = new AbortController();
    const reason = coreError("CORE_LOCK_TIMEOUT", "The deadline passed.");
    const failure = failureOf(call(model, "stream", controller.signal));
    await server.untilRequests(1);
    controller.abort(reason);
    expect(await failure).toBe(reason);
  });

  test("a reader that stops reading ends the request", async () => {
    await using server = await serve(subject, () => ({ fault: "hang", at: "middle" }));
    const model = await modelAt(subject, server);
    for await (const part of model.stream({ messages: ask("hi") })) {
      if (part.type === "text-delta") break;
    }
    await server.untilAborted(1);
  });

  test("a stream that is cancelled before anything was read ends the request", async () => {
    await using server = await serve(subject, () => ({ fault: "hang", at: "middle" }));
    const { languageModel } = await modelAt(subject, server);
    const { stream } = await languageModel.doStream({ prompt: ask("hi") });
    await stream.cancel();
    await server.untilAborted(1);
  });

  test("the AI SDK's own calls stop too", async () => {
    await using server = await serve(subject, () => ({ fault: "hang", at: "middle" }));
    const { languageModel } = await modelAt(subject, server);
    const controller = new AbortController();
    const { stream } = await languageModel.doStream({
      prompt: ask("hi"),
      abortSignal: controller.signal,
    });
    const failure = failureOf(collect(stream));
    controller.abort();
    expect(await failure).toMatchObject({ code: "CORE_ABORTED" });
    await server.untilAborted(1);
    await quiet();
    expect(server.requests).toHaveLength(1);
  });
});
