import { describe, expect, test } from "vitest";
import { z } from "zod";
import { generateObject, resolveModel } from "../../src/index.ts";
import { startBedrockServer } from "../support/bedrock-server.ts";
import { ask, collect, failureOf } from "../support/wires.ts";

/** As the documentation of the original writes it. */
const ID = "bedrock/us.anthropic.claude-haiku-4-5-20251001-v1:0";
const MODEL_PATH = "/model/us.anthropic.claude-haiku-4-5-20251001-v1%3A0";
const SECRET = "aws-secret-canary/0123456789+abcdefghijkl";
const KEYS = {
  AWS_ACCESS_KEY_ID: "AKIACANARY0123456789",
  AWS_SECRET_ACCESS_KEY: SECRET,
  AWS_SESSION_TOKEN: "session-token-canary",
  AWS_REGION_NAME: "us-west-2",
};

const USAGE = { inputTokens: 30, outputTokens: 5, totalTokens: 35, cacheReadInputTokens: 20 };

function answer(...content: object[]): { body: object } {
  return {
    body: {
      output: { message: { role: "assistant", content } },
      stopReason: "end_turn",
      usage: USAGE,
    },
  };
}

describe("the documentation's Bedrock id, through the real package, against a loopback endpoint", () => {
  test("asks the Converse API with a signed request", async () => {
    await using server = await startBedrockServer([answer({ text: "Hello." })]);
    const model = await resolveModel(ID, {
      env: { ...KEYS, AWS_BEDROCK_RUNTIME_ENDPOINT: server.url },
    });
    const reply = await model.generate({ messages: ask("hi"), temperature: 0 });
    expect(reply).toMatchObject({
      text: "Hello.",
      finishReason: "stop",
      usage: { outputTokens: 5 },
    });
    expect(reply.usage.cachedInputTokens).toBe(20);
    const [request] = server.requests;
    expect(request?.path).toBe(`${MODEL_PATH}/converse`);
    expect(request?.headers["authorization"]).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIA.*\/us-west-2\/bedrock\//,
    );
    expect(request?.headers["x-amz-security-token"]).toBe("session-token-canary");
    expect(request?.body["inferenceConfig"]).toMatchObject({ maxTokens: 32_768 });
    // The mark of the prompt cache follows the system text.
    expect(request?.body["system"]).toEqual([
      { text: "Be brief." },
      { cachePoint: { type: "default" } },
    ]);
    expect(model.capabilities).toMatchObject({ contextWindow: 200_000, maxOutputTokens: 64_000 });
  });

  test("a bearer token and a base URL variable do as well", async () => {
    await using server = await startBedrockServer([answer({ text: "Hello." })]);
    const env = { AWS_BEARER_TOKEN_BEDROCK: "bedrock-token-canary", BEDROCK_BASE_URL: server.url };
    const model = await resolveModel(ID, { env });
    expect((await model.generate({ messages: ask("hi") })).text).toBe("Hello.");
    expect(server.requests[0]?.headers["authorization"]).toBe("Bearer bedrock-token-canary");
  });

  test("streams, and a stream that breaks off is an error", async () => {
    const said = [
      ["messageStart", { role: "assistant" }],
      ["contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Hel" } }],
      ["contentBlockDelta", { contentBlockIndex: 0, delta: { text: "lo." } }],
      ["contentBlockStop", { contentBlockIndex: 0 }],
    ] as const;
    const end = [
      ["messageStop", { stopReason: "end_turn" }],
      ["metadata", { usage: USAGE, metrics: { latencyMs: 1 } }],
    ] as const;
    await using server = await startBedrockServer([
      { events: [...said, ...end] },
      { events: said },
    ]);
    const env = { ...KEYS, AWS_BEDROCK_RUNTIME_ENDPOINT: server.url };
    const model = await resolveModel(ID, { env, retry: { attempts: 1 } });
    const parts = await collect(model.stream({ messages: ask("hi") }));
    expect(parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : [])).join("")).toBe(
      "Hello.",
    );
    expect(parts.at(-1)).toMatchObject({ type: "finish", finishReason: { unified: "stop" } });
    expect(server.requests[0]?.path).toBe(`${MODEL_PATH}/converse-stream`);
    expect(await failureOf(collect(model.stream({ messages: ask("hi") })))).toMatchObject({
      code: "MODEL_FAILED",
      details: { kind: "unavailable", retryable: true },
    });
  });

  test("structured output", async () => {
    const value = { answer: "42" };
    await using server = await startBedrockServer([
      answer({ toolUse: { toolUseId: "t1", name: "json", input: value } }),
    ]);
    const env = { ...KEYS, AWS_BEDROCK_RUNTIME_ENDPOINT: server.url };
    const model = await resolveModel(ID, { env });
    const result = await generateObject(model, {
      messages: ask("what?"),
      schema: z.object({ answer: z.string() }),
      schemaName: "answer",
    });
    expect(result.value).toEqual(value);
  });

  test.each([
    [
      403,
      "AccessDeniedException",
      "You don't have access to the model with the specified model ID.",
      "auth",
    ],
    [
      403,
      "UnrecognizedClientException",
      "The security token included in the request is invalid.",
      "auth",
    ],
    [400, "ValidationException", "The provided model identifier is invalid.", "unknown_model"],
    [400, "ValidationException", "Input is too long for requested model.", "context_length"],
    [
      429,
      "ThrottlingException",
      "Too many requests, please wait before trying again.",
      "rate_limit",
    ],
    [
      503,
      "ServiceUnavailableException",
      "Bedrock is unable to process your request.",
      "unavailable",
    ],
  ])("%i %s is told as what it is: %s", async (status, type, message, kind) => {
    await using server = await startBedrockServer([{ error: [status, type, message] }]);
    const env = { ...KEYS, AWS_BEDROCK_RUNTIME_ENDPOINT: server.url };
    const model = await resolveModel(ID, { env, retry: { attempts: 1 } });
    const failure = await failureOf(model.generate({ messages: ask("hi") }));
    expect(failure).toMatchObject({ details: { provider: "bedrock", kind, status } });
    expect(String(failure)).not.toContain("canary");
  });
});

test.each([
  [{}, "auth", "AWS_ACCESS_KEY_ID"],
  [{ AWS_ACCESS_KEY_ID: "AKIA0" }, "auth", "AWS_SECRET_ACCESS_KEY"],
  [{ AWS_ACCESS_KEY_ID: "AKIA0", AWS_SECRET_ACCESS_KEY: SECRET }, "bad_request", "AWS_REGION"],
])("without what it needs (%j), Bedrock says which variables", async (env, kind, variable) => {
  const failure = await failureOf(resolveModel(ID, { env }));
  expect(failure).toMatchObject({ code: "MODEL_FAILED", details: { provider: "bedrock", kind } });
  expect(String(failure)).toContain(variable);
  expect(String(failure)).not.toContain(SECRET);
});
