import type { Logger } from "@acumen/core";
import { describe, expect, test } from "vitest";
import type { RetryNotice } from "../../src/index.ts";
import { ask, CANARY, collect, failureOf, modelAt, serve, SUBJECTS } from "../support/wires.ts";

const TEXT = { text: "after all" };

describe.each(SUBJECTS)("retries on the wire $wire", (subject) => {
  test("a failure that may pass is tried again, and the caller hears of it", async () => {
    await using server = await serve(subject, [{ fault: "500" }, { fault: "cut" }, TEXT]);
    const model = await modelAt(subject, server);
    const notices: RetryNotice[] = [];
    const onRetry = (notice: RetryNotice): void => void notices.push(notice);
    const reply = await model.generate({ messages: ask("hi"), onRetry });
    expect(reply.text).toBe("after all");
    expect(notices.map(({ attempt, error }) => [attempt, error.details["kind"]])).toEqual([
      [1, "unavailable"],
      [2, "unavailable"],
    ]);
  });

  test("they are bounded", async () => {
    await using server = await serve(subject, () => ({ fault: "503" }));
    const model = await modelAt(subject, server, { retry: { attempts: 3 } });
    const failure = await failureOf(model.generate({ messages: ask("hi") }));
    expect(failure).toMatchObject({ details: { kind: "unavailable" } });
    expect(server.requests).toHaveLength(3);
  });

  test("the service's own time is what is waited for", async () => {
    await using server = await serve(subject, [{ fault: "429", retryAfter: 7 }, TEXT]);
    const model = await modelAt(subject, server);
    const delays: number[] = [];
    const controller = new AbortController();
    const onRetry = ({ delayMs }: RetryNotice): void => {
      delays.push(delayMs);
      controller.abort();
    };
    await failureOf(model.generate({ messages: ask("hi"), onRetry, signal: controller.signal }));
    expect(delays).toEqual([7_000]);
  });

  test("a time longer than anybody waits is reported instead", async () => {
    await using server = await serve(subject, () => ({ fault: "429", retryAfter: 3_600 }));
    const model = await modelAt(subject, server);
    expect(await failureOf(model.generate({ messages: ask("hi") }))).toMatchObject({
      details: { kind: "rate_limit", retry_after_ms: 3_600_000 },
    });
    expect(server.requests).toHaveLength(1);
  });

  test("what will not pass is not tried again", async () => {
    await using server = await serve(subject, () => ({ fault: "quota" }));
    const model = await modelAt(subject, server);
    await failureOf(model.generate({ messages: ask("hi") }));
    expect(server.requests).toHaveLength(1);
  });

  test("a stream is asked for again only while nothing was said", async () => {
    await using server = await serve(subject, [
      { fault: "503" },
      { fault: "error-in-stream", at: "start" },
      TEXT,
      { fault: "cut", text: "a text that is cut in the middle of what it says" },
    ]);
    const model = await modelAt(subject, server);
    const parts = await collect(model.stream({ messages: ask("hi") }));
    expect(parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : [])).join("")).toBe(
      "after all",
    );
    expect(server.requests).toHaveLength(3);

    const heard: string[] = [];
    const failure = await failureOf(
      (async () => {
        for await (const part of model.stream({ messages: ask("hi") })) heard.push(part.type);
      })(),
    );
    expect(failure).toMatchObject({ details: { kind: "unavailable", retryable: true } });
    expect(heard).toContain("text-delta");
    expect(server.requests).toHaveLength(4);
  });

  test("logs hold ids and kinds, never the key or the prompt", async () => {
    await using server = await serve(subject, [{ fault: "500" }, TEXT]);
    const lines: string[] = [];
    const write = (message: string, fields?: object): void =>
      void lines.push(JSON.stringify([message, fields]));
    const logger: Logger = { debug: write, info: write, warn: write, error: write };
    const model = await modelAt(subject, server, { logger });
    await model.generate({ messages: ask("prompt-canary") });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("unavailable");
    expect(lines.join()).not.toContain(CANARY);
    expect(lines.join()).not.toContain("prompt-canary");
  });
});
