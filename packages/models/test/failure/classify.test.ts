import { inspect } from "node:util";
import {
  APICallError,
  InvalidPromptError,
  JSONParseError,
  LoadAPIKeyError,
  NoSuchModelError,
  UnsupportedFunctionalityError,
} from "@ai-sdk/provider";
import { coreError } from "@acumen/core";
import { describe, expect, test } from "vitest";
import { classify, type FailureContext } from "../../src/failure/classify.ts";

const SECRET = "super-secret-value";
const CONTEXT: FailureContext = {
  provider: "openai",
  model: "gpt-x",
  title: "OpenAI",
  keyVariable: "OPENAI_API_KEY",
  baseUrlVariable: "OPENAI_BASE_URL",
  baseUrl: "https://api.openai.com/v1",
  secrets: [SECRET],
};

const callError = (rest: Partial<ConstructorParameters<typeof APICallError>[0]>): APICallError =>
  new APICallError({
    message: "failed",
    url: `https://user:${SECRET}@api.openai.com/v1`,
    requestBodyValues: { prompt: "prompt-canary" },
    responseHeaders: { "set-cookie": "cookie-canary" },
    ...rest,
  });

const system = (code: string, message = code): Error => Object.assign(new Error(message), { code });

describe("what was thrown becomes", () => {
  test.each([
    ["a refused connection", system("ECONNREFUSED"), "unavailable", true],
    ["a host that does not exist", system("ENOTFOUND"), "unavailable", false],
    ["a busy resolver", system("EAI_AGAIN"), "unavailable", true],
    ["a reset", system("ECONNRESET"), "unavailable", true],
    ["a bad certificate", system("CERT_HAS_EXPIRED"), "unavailable", false],
    ["a connection that does not come about", system("UND_ERR_CONNECT_TIMEOUT"), "timeout", true],
    ["headers that do not come", system("UND_ERR_HEADERS_TIMEOUT"), "timeout", true],
    ["undici's broken stream", new TypeError("terminated"), "unavailable", true],
    [
      "an unreadable answer",
      new JSONParseError({ text: "the session was terminated", cause: new Error("x") }),
      "unavailable",
      true,
    ],
    [
      "a call that the package refuses",
      new UnsupportedFunctionalityError({ functionality: "images" }),
      "bad_request",
      false,
    ],
    [
      "a prompt that the package refuses",
      new InvalidPromptError({ prompt: "prompt-canary", message: "odd" }),
      "bad_request",
      false,
    ],
    [
      "a name that the package refuses",
      new NoSuchModelError({ modelId: "x", modelType: "languageModel" }),
      "unknown_model",
      false,
    ],
    [
      "a key that the package misses",
      new LoadAPIKeyError({ message: "OPENAI_API_KEY is missing" }),
      "auth",
      false,
    ],
    ["a sign-in that fails", new Error("Could not load the default credentials."), "auth", false],
    ["anything else", new RangeError("odd"), "unavailable", false],
    ["a text", "odd", "unavailable", true],
    ["nothing", undefined, "unavailable", false],
  ])("%s", (_what, thrown, kind, retryable) => {
    for (const error of [thrown, new TypeError("fetch failed", { cause: thrown })].slice(
      0,
      thrown instanceof Error && "code" in thrown ? 2 : 1,
    )) {
      const coded = classify(error, CONTEXT);
      expect(coded).toMatchObject({ code: "MODEL_FAILED", details: { kind, retryable } });
      expect(coded.retryable).toBe(retryable);
    }
  });

  test("an answer that quotes the words of a broken connection is still an unreadable answer", () => {
    const cause = new JSONParseError({ text: "socket hang up, terminated", cause: new Error("x") });
    const coded = classify(callError({ statusCode: 200, cause }), CONTEXT);
    expect(coded.message).toContain("not an answer of its protocol");
  });

  test("the abort's own error when the signal is aborted, whatever was thrown", () => {
    const reason = coreError("CORE_LOCK_TIMEOUT", "late");
    expect(classify(callError({ statusCode: 200 }), CONTEXT, AbortSignal.abort(reason))).toBe(
      reason,
    );
    expect(classify(new Error("x"), CONTEXT, AbortSignal.abort()).code).toBe("CORE_ABORTED");
  });

  test("itself when it is coded already", () => {
    const coded = coreError("CORE_FILE_NOT_FOUND", "no file");
    expect(classify(coded, CONTEXT)).toBe(coded);
  });

  test("final when the service says so", () => {
    const error = callError({ statusCode: 503, responseHeaders: { "x-should-retry": "false" } });
    expect(classify(error, CONTEXT)).toMatchObject({
      retryable: false,
      details: { retryable: false },
    });
  });
});

describe("nothing of the provider's error survives but", () => {
  test.each([
    [
      "a refused key",
      callError({
        statusCode: 401,
        responseBody: `{"error":{"message":"Incorrect key ${SECRET} given"}}`,
      }),
    ],
    [
      "a permission",
      callError({ statusCode: 403, responseBody: `{"error":{"message":"${SECRET} may not"}}` }),
    ],
    [
      "a refusal",
      callError({
        statusCode: 400,
        responseBody: `{"error":{"message":"bad, see https://x/?key=${SECRET}"}}`,
      }),
    ],
    [
      "a broken connection",
      callError({ cause: system("ECONNRESET", `to https://user:${SECRET}@host`) }),
    ],
    [
      "an unusable URL",
      new TypeError(
        `Request cannot be constructed from a URL that includes credentials: https://user:${SECRET}@host`,
      ),
    ],
    [
      "an unreadable answer",
      new JSONParseError({ text: `prompt-canary ${SECRET}`, cause: new Error(SECRET) }),
    ],
  ])("what the message may say: %s", (_what, thrown) => {
    const coded = classify(thrown, CONTEXT);
    const shown = inspect(coded, { depth: 10, showHidden: true }) + JSON.stringify(coded);
    expect(shown).not.toContain(SECRET);
    expect(shown).not.toContain("prompt-canary");
    expect(shown).not.toContain("cookie-canary");
    expect(coded.cause).not.toBe(thrown);
  });

  test("texts about a refused key are not repeated, texts about a permission are", () => {
    const body = '{"error":{"message":"said by the service"}}';
    const refused = classify(callError({ statusCode: 401, responseBody: body }), CONTEXT);
    expect(refused.message).not.toContain("said by");
    expect(refused.message).toContain("OPENAI_API_KEY");
    const forbidden = classify(callError({ statusCode: 403, responseBody: body }), CONTEXT);
    expect(forbidden.message).toContain("said by the service");
  });
});
