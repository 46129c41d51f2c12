import { FAULT_NAMES, type FaultName, type ModelFault, type WireName } from "@acumen/testkit";
import { inspect } from "node:util";
import { AcumenError } from "@acumen/core";
import { describe, expect, test } from "vitest";
import { type ModelFailureKind, type ModelRequest } from "../../src/index.ts";
import {
  ask,
  CANARY,
  collect,
  failureOf,
  modelAt,
  serve,
  type Subject,
  SUBJECTS,
} from "../support/wires.ts";

interface Outcome {
  readonly kind: ModelFailureKind;
  readonly retryable: boolean;
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
}

const broken: Outcome = { kind: "unavailable", retryable: true };

/** What every wire makes of a fault, and where a wire differs. Faults without a row are not errors or have tests of their own. */
const OUTCOMES: Partial<
  Record<FaultName, Outcome & { readonly wires?: Partial<Record<WireName, Partial<Outcome>>> }>
> = {
  "401": { kind: "auth", retryable: false, status: 401 },
  "403": { kind: "auth", retryable: false, status: 403 },
  "404-model": { kind: "unknown_model", retryable: false, status: 404 },
  "429": {
    kind: "rate_limit",
    retryable: true,
    status: 429,
    retryAfterMs: 2_500,
    // Whole seconds in the header, and nothing else.
    wires: { anthropic: { retryAfterMs: 3_000 } },
  },
  quota: { kind: "quota", retryable: false, status: 429, wires: { anthropic: { status: 400 } } },
  "500": { kind: "unavailable", retryable: true, status: 500 },
  "503": {
    kind: "unavailable",
    retryable: true,
    status: 503,
    retryAfterMs: 2_500,
    wires: { anthropic: { retryAfterMs: 3_000 }, google: { retryAfterMs: undefined } },
  },
  "529": {
    kind: "unavailable",
    retryable: true,
    status: 503,
    retryAfterMs: 2_500,
    wires: { anthropic: { status: 529, retryAfterMs: 3_000 }, google: { retryAfterMs: undefined } },
  },
  "context-length": { kind: "context_length", retryable: false, status: 400 },
  "content-filter": {
    kind: "content_filter",
    retryable: false,
    status: 400,
    // A success without candidates.
    wires: { google: { status: undefined } },
  },
  cut: broken,
  "malformed-json": broken,
  "malformed-stream": broken,
  "truncated-stream": broken,
};

const TOOL = {
  type: "function" as const,
  name: "read",
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
    additionalProperties: false,
  },
};

const MODES = ["generate", "stream"] as const;
type Mode = (typeof MODES)[number];

const NO_RETRY = { attempts: 1 };
const PROMPT = "the-secret-plan-of-the-prompt";

async function failed(
  subject: Subject,
  fault: ModelFault,
  mode: Mode,
  request: Partial<ModelRequest> = {},
): Promise<{ error: AcumenError; requests: number }> {
  await using server = await serve(subject, () => fault);
  const model = await modelAt(subject, server, { retry: NO_RETRY });
  const call = { messages: ask(PROMPT), ...request };
  const error = await failureOf(
    mode === "generate" ? model.generate(call) : collect(model.stream(call)),
  );
  if (!AcumenError.isInstance(error)) throw error;
  return { error, requests: server.requests.length };
}

describe.each(SUBJECTS)("faults of the wire $wire", (subject) => {
  for (const [name, { wires, ...common }] of Object.entries(OUTCOMES)) {
    test.each(MODES)(`${name}, %s`, async (mode) => {
      const fault = { fault: name as FaultName, retryAfter: 2.5 };
      const { error, requests } = await failed(subject, fault, mode);
      const { kind, retryable, status, retryAfterMs } = { ...common, ...wires?.[subject.wire] };
      expect(error.code).toBe("MODEL_FAILED");
      expect(error.retryable).toBe(retryable);
      const [, provider] = /^(?:(\w+)\/)?/.exec(subject.id) ?? [];
      expect(error.details).toEqual({
        provider: provider ?? { "gpt-4.1": "openai", "claude-sonnet-4-5": "anthropic" }[subject.id],
        model: provider === undefined ? subject.id : subject.id.slice(provider.length + 1),
        kind,
        retryable,
        ...(status !== undefined && { status }),
        ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
      });
      expect(requests).toBe(1);
      expect(shownOf(error)).not.toContain(PROMPT);
      expect(shownOf(error)).not.toContain(CANARY);
      expect(shownOf(error)).not.toContain(CANARY.slice(0, 8));
    });
  }

  test.each(MODES)("429 that does not say how long, %s", async (mode) => {
    const { error } = await failed(subject, { fault: "429" }, mode);
    expect(error.details).toMatchObject({ kind: "rate_limit", retryable: true });
    expect(error.details).not.toHaveProperty("retry_after_ms");
  });

  test("an error inside the stream, before and after something was said", async () => {
    for (const at of ["start", "middle"] as const) {
      const { error } = await failed(subject, { fault: "error-in-stream", at }, "stream");
      expect(error.details).toMatchObject({ kind: "unavailable", retryable: true });
    }
  });

  test.each(MODES)("a connection cut before the answer, %s", async (mode) => {
    const { error } = await failed(subject, { fault: "cut", at: "start" }, mode);
    expect(error.details).toMatchObject({ kind: "unavailable", retryable: true });
    expect(error.message).toContain("127.0.0.1");
  });

  test.each(MODES)(
    "invalid tool arguments reach the caller as the model wrote them, %s",
    async (mode) => {
      await using server = await serve(subject, () => ({ fault: "invalid-tool-arguments" }));
      const model = await modelAt(subject, server, { retry: NO_RETRY });
      const call = { messages: ask("hi"), tools: [TOOL] };
      if (subject.wire === "google") {
        const work = mode === "generate" ? model.generate(call) : collect(model.stream(call));
        expect(await failureOf(work)).toMatchObject({
          code: "MODEL_FAILED",
          details: { kind: "invalid_output", retryable: true },
        });
        return;
      }
      const inputs =
        mode === "generate"
          ? (await model.generate(call)).toolCalls.map(({ input }) => input)
          : (await collect(model.stream(call))).flatMap((part) =>
              part.type === "tool-call" ? [part.input] : [],
            );
      expect(inputs).toHaveLength(1);
      expect(isObject(inputs[0] ?? "")).toBe(false);
    },
  );

  test("hang: the deadline ends it and the request", async () => {
    // Long enough for a request to reach the server on a busy machine; all four wait at the same time.
    const timeouts = { answerMs: 800, idleMs: 800 };
    const cases = (["start", "middle"] as const).flatMap((at) =>
      MODES.map((mode) => ({ at, mode })),
    );
    await Promise.all(
      cases.map(async ({ at, mode }) => {
        await using server = await serve(subject, () => ({ fault: "hang", at }));
        const model = await modelAt(subject, server, { retry: NO_RETRY, timeouts });
        const call = { messages: ask("hi") };
        const work = mode === "generate" ? model.generate(call) : collect(model.stream(call));
        expect(await failureOf(work)).toMatchObject({
          code: "MODEL_FAILED",
          details: { kind: "timeout", retryable: true },
        });
        await server.untilAborted(1);
      }),
    );
  });

  test("slow is not a fault", async () => {
    await using server = await serve(subject, [{ fault: "slow", delayMs: 50, text: "late" }]);
    const model = await modelAt(subject, server, { retry: NO_RETRY });
    expect((await model.generate({ messages: ask("hi") })).text).toBe("late");
  });

  test("a wrong key is of kind auth, and no part of it is repeated", async () => {
    await using server = await serve(subject, [{ text: "never" }]);
    const key = `wrong-${CANARY}`;
    const model = await modelAt(subject, server, { env: { [subject.keyVariable]: key } });
    const error = await failureOf(model.generate({ messages: ask("hi") }));
    expect(error).toMatchObject({ details: { kind: "auth", retryable: false } });
    expect((error as AcumenError).message).toContain(subject.keyVariable);
    expect(shownOf(error)).not.toContain(key.slice(0, 12));
    expect(server.requests).toHaveLength(1);
  });
});

test("every fault of the loopback servers is looked at", () => {
  const own = ["error-in-stream", "hang", "invalid-tool-arguments", "slow"];
  expect([...Object.keys(OUTCOMES), ...own].toSorted()).toEqual([...FAULT_NAMES].toSorted());
});

/** Anthropic's whole answers hold values, not texts: there the broken text is a JSON string. */
function isObject(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

/** Everything of an error that a log or a reply could show. */
function shownOf(error: unknown): string {
  const parts: string[] = [inspect(error, { depth: 10, showHidden: true })];
  for (let link = error; link instanceof Error; link = link.cause) {
    parts.push(
      link.name,
      link.message,
      link.stack ?? "",
      JSON.stringify(link),
      ...Object.values(link).map(String),
    );
    parts.push(JSON.stringify(Object.entries(link)));
  }
  return parts.join("\n");
}
