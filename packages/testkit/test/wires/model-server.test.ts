import { APICallError } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import {
  lastUserText,
  type ModelServer,
  startModelServer,
  WIRE_NAMES,
  type WireName,
} from "../../src/index.ts";
import { answered, run } from "./outcome.ts";
import { post } from "./post.ts";
import { API_KEY, ask, modelFor, type Subject, SUBJECTS } from "./subjects.ts";

/** A smallest good request of each wire. */
const REQUESTS: Record<WireName, { path: string; body: object }> = {
  "openai-responses": { path: "/responses", body: { model: "gpt-5.1", input: "hello" } },
  "openai-chat": {
    path: "/chat/completions",
    body: { model: "gpt-4.1", messages: [{ role: "user", content: "hello" }] },
  },
  "openai-compatible": {
    path: "/chat/completions",
    body: { model: "qwen3:8b", messages: [{ role: "user", content: "hello" }] },
  },
  anthropic: {
    path: "/messages",
    body: {
      model: "claude-sonnet-4-5",
      max_tokens: 100,
      messages: [{ role: "user", content: "hello" }],
    },
  },
  google: {
    path: "/models/gemini-2.5-flash:generateContent",
    body: { contents: [{ parts: [{ text: "hello" }] }] },
  },
};
const good = (server: ModelServer, body?: unknown): ReturnType<typeof post> =>
  post(server, REQUESTS[server.wire].path, body ?? REQUESTS[server.wire].body);

const KEYS: readonly [WireName, { missing: [number, object]; wrong: [number, object] }][] = [
  ...(["openai-responses", "openai-chat"] as const).map(
    (wire) =>
      [
        wire,
        {
          missing: [401, { error: { type: "invalid_request_error", param: null, code: null } }],
          wrong: [
            401,
            {
              error: {
                message: expect.stringContaining("sk-wrong*******cdef") as unknown,
                code: "invalid_api_key",
              },
            },
          ],
        },
      ] as [WireName, { missing: [number, object]; wrong: [number, object] }],
  ),
  [
    "anthropic",
    {
      missing: [
        401,
        { error: { type: "authentication_error", message: "x-api-key header is required" } },
      ],
      wrong: [
        401,
        { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } },
      ],
    },
  ],
  [
    "google",
    {
      missing: [403, { error: { code: 403, status: "PERMISSION_DENIED" } }],
      wrong: [
        400,
        {
          error: {
            status: "INVALID_ARGUMENT",
            details: [{ reason: "API_KEY_INVALID" }, { locale: "en-US" }],
          },
        },
      ],
    },
  ],
];

describe("keys", () => {
  it.each(KEYS)("%s answers a missing and a wrong one", async (wire, { missing, wrong }) => {
    await using server = await startModelServer({ wire, script: [], apiKey: API_KEY });
    const { path, body } = REQUESTS[wire];
    const without = await post(server, path, body, { key: null });
    expect(without).toMatchObject({ status: missing[0], body: missing[1] });
    const other = await post(server, path, body, { key: "sk-wrong-123-abcdef" });
    expect(other).toMatchObject({ status: wrong[0], body: wrong[1] });
    expect(server.requests.map(({ key }) => key)).toEqual(["missing", "wrong"]);
  });

  it("never stay in the records", async () => {
    await using server = await startModelServer({ wire: "google", script: [{ text: "ok" }] });
    const { path, body } = REQUESTS.google;
    await post(server, `${path}?key=${API_KEY}&alt=json`, body, { key: null });
    expect(server.requests[0]).toMatchObject({
      key: "right",
      path: "/v1beta/models/gemini-2.5-flash:generateContent?alt=json",
    });
    expect(JSON.stringify(server.requests)).not.toContain(API_KEY);
  });
});

describe.each(WIRE_NAMES)("%s", (wire) => {
  it("answers an unknown model, an unknown path and broken JSON as the service does", async () => {
    const models = ["known-1"];
    await using server = await startModelServer({ wire, script: [], models });
    const unknown = await good(server);
    expect(unknown.status).toBe(404);
    expect(unknown.text).toContain(String(modelOf(wire)));
    const lost = await post(server, "/nowhere", {});
    expect(lost.status).toBe(404);
    const broken = await post(server, REQUESTS[wire].path, '{"model": ');
    expect(broken.status).toBe(400);
    expect(broken.text).toContain("JSON");
    expect(server.requests.map(({ refusal }) => refusal !== undefined)).toEqual([true, true, true]);
    const list = await fetch(`${server.baseUrl}/models`, {
      headers: { authorization: "Bearer k", "x-api-key": "k", "x-goog-api-key": "k" },
    });
    expect(await list.text()).toContain("known-1");
  });

  it("asks a function for its replies, and counts accepted calls only", async () => {
    const seen: unknown[] = [];
    await using server = await startModelServer({
      wire,
      script: (request, index) => {
        seen.push([index, lastUserText(request)]);
        return { text: `reply ${index}` };
      },
    });
    expect((await good(server)).text).toContain("reply 0");
    expect((await good(server, { nonsense: true })).status).toBe(400);
    expect((await good(server)).text).toContain("reply 1");
    expect(seen).toEqual([
      [0, "hello"],
      [1, "hello"],
    ]);
    expect(server.requests).toHaveLength(3);
    expect(server.calls).toHaveLength(2);
  });

  it("says when the script is over or fails, and nobody retries that", async () => {
    await using server = await startModelServer({ wire, script: [{ text: "only" }] });
    await good(server);
    const after = await good(server);
    expect(after.status).toBe(400);
    expect(after.text).toContain("the script has 1 steps and none for model call 2");
    await using failing = await startModelServer({
      wire,
      script: () => {
        throw new Error("expected a skill in the prompt");
      },
    });
    expect((await good(failing)).text).toContain("Script failed: expected a skill in the prompt");
  });

  it("serves calls in parallel and closes while some are open", async () => {
    const server = await startModelServer({
      wire,
      script: (_request, index) => (index === 0 ? { fault: "hang" } : { text: `reply ${index}` }),
    });
    const hanging = good(server).catch((error: unknown) => error);
    await server.untilRequests(1);
    const others = await Promise.all([good(server), good(server)]);
    expect(others.map(({ status }) => status)).toEqual([200, 200]);
    await server.close();
    expect(await hanging).toBeInstanceOf(Error);
    await server.close();
    await expect(good(server)).rejects.toThrow();
  });
});

describe.each(SUBJECTS)("through the provider package, $wire", (subject) => {
  const options = { maxOutputTokens: 100, providerOptions: subject.options };

  it("an abort in the middle of the deltas is seen by the server", async () => {
    await using server = await startModelServer({
      wire: subject.wire,
      script: [{ text: "word ".repeat(200), delayMs: 5 }],
      apiKey: API_KEY,
    });
    const controller = new AbortController();
    const { stream } = await modelFor(subject, server).doStream({
      ...options,
      prompt: ask("talk"),
      abortSignal: controller.signal,
    });
    const read = async (): Promise<void> => {
      for await (const part of stream) if (part.type === "text-delta") controller.abort();
    };
    await expect(read()).rejects.toThrow();
    await server.untilAborted(1);
    expect(server.aborted).toBe(1);
  });

  it("a request that would fail in life fails here: a call without a result", async () => {
    await using server = await startModelServer({
      wire: subject.wire,
      script: [{ toolCalls: [{ name: "read_file", input: { path: "a" } }] }, { text: "never" }],
      apiKey: API_KEY,
    });
    const model = modelFor(subject, server);
    const tools = [readFile()];
    const prompt = ask("read a");
    const first = await run(model, "stream", { ...options, tools, prompt });
    const cancelled = answered(prompt, first, () => "").slice(0, -1);
    const next = run(model, "stream", {
      ...options,
      tools,
      prompt: [...cancelled, ...ask("go on").slice(1)],
    });
    await expect(next).rejects.toSatisfy(isStatus(400));
  });

  it("a request that would fail in life fails here: a wrong key", async () => {
    await using server = await startModelServer({
      wire: subject.wire,
      script: [],
      apiKey: API_KEY,
    });
    const model = subject.create(server.baseUrl, subject.model, "sk-other-key-0123456789");
    const call = run(model, "generate", { ...options, prompt: ask("hi") });
    // The Gemini API says 400 and tells the reason in the body alone.
    await expect(call).rejects.toSatisfy(isStatus(subject.wire === "google" ? 400 : 401));
  });

  it("a dotted tool name is refused, but by Google", async () => {
    await using server = await startModelServer({ wire: subject.wire, script: [{ text: "ok" }] });
    const settings = { ...options, tools: [readFile("ace.ask")], prompt: ask("hi") };
    const call = run(modelFor(subject, server), "generate", settings);
    if (subject.wire === "google") expect((await call).text).toBe("ok");
    else await expect(call).rejects.toSatisfy(isStatus(400));
  });
});

describe("what is lost on the way back", () => {
  const lossy = (wire: WireName): Subject => {
    const subject = SUBJECTS.find((candidate) => candidate.wire === wire);
    if (subject === undefined) throw new Error(`no provider for ${wire}`);
    return subject;
  };

  it("a Gemini signature: the provider sends its way round, the server does not take it", async () => {
    const subject = lossy("google");
    await using server = await startModelServer({
      wire: "google",
      script: [{ toolCalls: [{ name: "read_file", input: { path: "a" } }] }, { text: "never" }],
    });
    const model = modelFor(subject, server);
    const tools = [readFile()];
    const prompt = ask("read a");
    const first = await run(model, "generate", { tools, prompt });
    const bare = first.content.map((part) => ({ ...part, providerOptions: {} }));
    const next = answered(prompt, { ...first, content: bare }, () => "42");
    await expect(run(model, "generate", { tools, prompt: next })).rejects.toSatisfy(
      (error: unknown) => isStatus(400)(error) && String(error).includes("thought_signature"),
    );
  });

  it("OpenAI reasoning that was damaged in the store: refused", async () => {
    const subject = lossy("openai-responses");
    await using server = await startModelServer({
      wire: "openai-responses",
      script: [
        {
          reasoning: { text: "Read first." },
          toolCalls: [{ name: "read_file", input: { path: "a" } }],
        },
        { text: "never" },
      ],
    });
    const model = modelFor(subject, server);
    const settings = { tools: [readFile()], providerOptions: subject.options };
    const prompt = ask("read a");
    const first = await run(model, "stream", { ...settings, prompt });
    const damaged = { openai: { reasoningEncryptedContent: "gAAAAAB-cut" } };
    const content = first.content.map((part) =>
      part.type === "reasoning" ? { ...part, providerOptions: damaged } : part,
    );
    const next = answered(prompt, { ...first, content }, () => "42");
    await expect(run(model, "stream", { ...settings, prompt: next })).rejects.toSatisfy(
      (error: unknown) => isStatus(400)(error) && String(error).includes("could not be verified"),
    );
  });
});

describe("waiting times", () => {
  it.each([
    ["openai-chat", { "retry-after": "2", "retry-after-ms": "1500" }],
    ["anthropic", { "retry-after": "2" }],
  ] as const)("%s sends them as headers", async (wire, headers) => {
    await using server = await startModelServer({
      wire,
      script: [{ fault: "429", retryAfter: 1.5 }],
    });
    const answer = await good(server);
    expect(Object.fromEntries(answer.headers)).toMatchObject(headers);
  });

  it("google sends them in the body", async () => {
    await using server = await startModelServer({
      wire: "google",
      script: [{ fault: "429", retryAfter: 36 }],
    });
    const answer = await good(server);
    expect(answer.headers.get("retry-after")).toBeNull();
    expect(answer.text).toContain('"retryDelay":"36s"');
  });
});

function modelOf(wire: WireName): unknown {
  const { body } = REQUESTS[wire];
  return "model" in body ? body.model : "gemini-2.5-flash";
}

function isStatus(status: number): (error: unknown) => boolean {
  return (error) => APICallError.isInstance(error) && error.statusCode === status;
}

function readFile(name = "read_file"): {
  type: "function";
  name: string;
  description: string;
  inputSchema: { type: "object"; properties: { path: { type: "string" } } };
} {
  return {
    type: "function",
    name,
    description: "Reads a file.",
    inputSchema: { type: "object", properties: { path: { type: "string" } } },
  };
}
