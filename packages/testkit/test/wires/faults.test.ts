import { APICallError } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { FAULT_NAMES, type ModelFault, startModelServer, type WireName } from "../../src/index.ts";
import { type Outcome, run } from "./outcome.ts";
import { API_KEY, ask, type Mode, modelFor, MODES, type Subject, SUBJECTS } from "./subjects.ts";

/**
 * What the provider package makes of it. `call 429 retryable` is a thrown APICallError; `finish other` without a raw
 * reason behind a slash, or `finish none`, is an answer that looks complete and is not.
 */
interface Row {
  readonly fault: ModelFault;
  readonly generate: string;
  readonly stream: string;
  readonly except?: Partial<Record<WireName, string | Record<Mode, string>>>;
}

const NOT_JSON = "call 200 (AI_JSONParseError)";
const CUT = "call 200 retryable (TypeError)";
const both = (text: string): Record<Mode, string> => ({ generate: text, stream: text });

const ROWS: readonly Row[] = [
  { fault: { fault: "401" }, ...both("call 401") },
  { fault: { fault: "403" }, ...both("call 403") },
  { fault: { fault: "404-model" }, ...both("call 404") },
  { fault: { fault: "429" }, ...both("call 429 retryable") },
  {
    fault: { fault: "429", retryAfter: 2 },
    ...both("call 429 retryable after 2"),
    // Google puts the time into the body.
    except: { google: "call 429 retryable" },
  },
  {
    fault: { fault: "quota" },
    ...both("call 429 retryable"),
    except: { anthropic: "call 400" },
  },
  { fault: { fault: "500" }, ...both("call 500 retryable") },
  { fault: { fault: "503" }, ...both("call 503 retryable") },
  {
    fault: { fault: "529" },
    ...both("call 503 retryable"),
    except: { anthropic: "call 529 retryable" },
  },
  { fault: { fault: "context-length" }, ...both("call 400") },
  {
    fault: { fault: "content-filter" },
    ...both("call 400"),
    except: { google: "finish content-filter/PROHIBITED_CONTENT" },
  },
  {
    fault: { fault: "slow", text: "Late.", delayMs: 20 },
    ...both("finish stop/stop"),
    except: {
      "openai-responses": "finish stop",
      anthropic: "finish stop/end_turn",
      google: "finish stop/STOP",
    },
  },
  { fault: { fault: "cut", at: "start" }, ...both("call none retryable (SocketError)") },
  { fault: { fault: "cut" }, ...both(CUT) },
  {
    fault: { fault: "malformed-json" },
    generate: NOT_JSON,
    stream: "finish other",
    except: {
      anthropic: { generate: NOT_JSON, stream: "finish none" },
      "openai-compatible": {
        generate: NOT_JSON,
        stream: "finish error, error AI_InvalidResponseDataError",
      },
    },
  },
  {
    fault: { fault: "malformed-stream" },
    generate: NOT_JSON,
    stream: "finish stop/stop, error AI_JSONParseError",
    except: {
      "openai-responses": { generate: NOT_JSON, stream: "finish error, error AI_JSONParseError" },
      anthropic: { generate: NOT_JSON, stream: "finish stop/end_turn, error AI_JSONParseError" },
      google: { generate: NOT_JSON, stream: "finish stop/STOP, error AI_JSONParseError" },
    },
  },
  {
    fault: { fault: "truncated-stream" },
    generate: CUT,
    stream: "finish other",
    except: {
      anthropic: { generate: CUT, stream: "finish none" },
      "openai-compatible": {
        generate: CUT,
        stream: "finish error, error AI_InvalidResponseDataError",
      },
    },
  },
  {
    fault: { fault: "error-in-stream", at: "start" },
    generate: NOT_JSON,
    stream: "call 500 retryable",
    except: {
      "openai-compatible": { generate: NOT_JSON, stream: "finish error, error plain" },
      anthropic: { generate: NOT_JSON, stream: "finish none, error plain" },
      google: { generate: NOT_JSON, stream: "finish error, error call 503 retryable" },
    },
  },
  {
    fault: { fault: "error-in-stream" },
    generate: NOT_JSON,
    stream: "finish error, error plain",
    except: {
      "openai-responses": { generate: NOT_JSON, stream: "finish error/error, error plain" },
      anthropic: { generate: NOT_JSON, stream: "finish none, error plain" },
      google: { generate: NOT_JSON, stream: "finish error, error call 503 retryable" },
    },
  },
  {
    fault: { fault: "invalid-tool-arguments" },
    ...both("finish tool-calls/tool_calls"),
    except: {
      "openai-responses": "finish tool-calls",
      anthropic: "finish tool-calls/tool_use",
      google: "finish error/MALFORMED_FUNCTION_CALL",
    },
  },
];

const CASES = SUBJECTS.flatMap((subject) =>
  MODES.flatMap((mode) =>
    ROWS.map((row) => ({
      name: `${subject.wire}, ${mode}: ${Object.values(row.fault).join(" ")}`,
      subject,
      mode,
      row,
    })),
  ),
);

describe("what the provider packages make of each fault", () => {
  it("has a row for every fault but those that hang", () => {
    const covered = new Set(ROWS.map(({ fault }) => fault.fault));
    expect(FAULT_NAMES.filter((name) => !covered.has(name))).toEqual(["hang"]);
  });

  it.each(CASES)("$name", async ({ subject, mode, row }) => {
    await using server = await startModelServer({
      wire: subject.wire,
      script: [row.fault],
      apiKey: API_KEY,
    });
    const call = run(modelFor(subject, server), mode, callOptions(subject));
    expect(await summary(call)).toBe(expected(row, subject.wire, mode));
    expect(server.requests).toHaveLength(1);
  });
});

describe.each(SUBJECTS)("a hanging service behind $wire", (subject) => {
  it.each([
    { mode: "generate", at: "start" },
    { mode: "generate", at: "middle" },
    { mode: "stream", at: "start" },
    { mode: "stream", at: "middle" },
  ] as const)("$mode, $at: an abort ends the request", async ({ mode, at }) => {
    await using server = await startModelServer({
      wire: subject.wire,
      script: [{ fault: "hang", at }],
      apiKey: API_KEY,
    });
    const controller = new AbortController();
    const call = run(modelFor(subject, server), mode, {
      ...callOptions(subject),
      abortSignal: controller.signal,
    });
    await server.untilRequests(1);
    controller.abort(new Error("the user pressed stop"));
    await expect(call).rejects.toThrow();
    await server.untilAborted(1);
    expect(server.requests[0]?.aborted).toBe(true);
  });
});

describe("arguments that are no JSON", () => {
  it.each(SUBJECTS.filter(({ wire }) => wire !== "google"))("$wire", async (subject) => {
    await using server = await startModelServer({
      wire: subject.wire,
      script: [{ fault: "invalid-tool-arguments", tool: "read_file", arguments: '{"path": "a' }],
      apiKey: API_KEY,
    });
    const outcome = await run(modelFor(subject, server), "stream", callOptions(subject));
    expect(outcome.toolCalls).toMatchObject([{ name: "read_file", input: '{"path": "a' }]);
  });
});

function callOptions(subject: Subject): Parameters<typeof run>[2] {
  return { prompt: ask("hi"), maxOutputTokens: 100, providerOptions: subject.options };
}

function expected({ except, ...row }: Row, wire: WireName, mode: Mode): string {
  const special = except?.[wire];
  return typeof special === "string" ? special : (special ?? row)[mode];
}

async function summary(call: Promise<Outcome>): Promise<string> {
  try {
    const { finish, errors } = await call;
    const raw = finish?.raw === undefined ? "" : `/${finish.raw}`;
    const parts = errors.map((error) => `, error ${errorText(error)}`).join("");
    return `finish ${finish?.unified ?? "none"}${raw}${parts}`;
  } catch (error) {
    return errorText(error);
  }
}

function errorText(error: unknown): string {
  if (APICallError.isInstance(error)) {
    const after = error.responseHeaders?.["retry-after"];
    const cause = error.cause instanceof Error ? ` (${error.cause.name})` : "";
    return `call ${error.statusCode ?? "none"}${error.isRetryable ? " retryable" : ""}${after === undefined ? "" : ` after ${after}`}${cause}`;
  }
  return error instanceof Error ? error.name : "plain";
}
