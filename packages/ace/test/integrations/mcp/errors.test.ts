import { type Logger, silentLogger } from "@acumen/core";
import { describe, expect, it } from "vitest";
import { modelError } from "@acumen/models";
import { aceError } from "../../../src/errors.ts";
import {
  MCP_ERRORS,
  MCP_START_ERRORS,
  mcpError,
  toEnvelope,
} from "../../../src/integrations/mcp/errors.ts";
import { redact } from "../../../src/integrations/mcp/redact.ts";

function recordingLogger(): { logger: Logger; text: () => string } {
  const lines: unknown[] = [];
  const logger: Logger = {
    ...silentLogger,
    error: (message, fields) => lines.push({ message, fields }),
  };
  return { logger, text: () => JSON.stringify(lines) };
}

describe("MCP_ERRORS", () => {
  it("is the taxonomy of the specification", () => {
    expect(Object.keys(MCP_ERRORS)).toEqual([
      "ACE_MCP_VALIDATION_ERROR",
      "ACE_MCP_SESSION_NOT_FOUND",
      "ACE_MCP_FORBIDDEN_IN_SAFE_MODE",
      "ACE_MCP_SAVE_LOAD_DISABLED",
      "ACE_MCP_PROVIDER_ERROR",
      "ACE_MCP_TIMEOUT",
      "ACE_MCP_INTERNAL_ERROR",
    ]);
  });

  it("5.5 #38: names no editor product", () => {
    const text = JSON.stringify([MCP_ERRORS, MCP_START_ERRORS]);
    expect(text).not.toMatch(/cursor|windsurf|claude|vs ?code|zed|copilot/i);
  });
});

describe("toEnvelope", () => {
  it("hides what a client put into a model id: keys, and passwords of addresses", () => {
    const model = "openai/https://bob:hunter2secret@h.example/sk-proj-abcdefghijklmnop1234";
    const error = modelError(`No model ${model}.`, { provider: model, model, kind: "bad_request" });
    const shown = JSON.stringify(toEnvelope(error, silentLogger));
    expect(shown).not.toContain("hunter2secret");
    expect(shown).not.toContain("sk-proj-abc");
    expect(shown).toContain("h.example");
  });

  it("5.5 #31: passes a session error through with its id in message and details", () => {
    const error = mcpError("ACE_MCP_SESSION_NOT_FOUND", "There is no session s1.", {
      details: { session_id: "s1" },
    });
    expect(toEnvelope(error, silentLogger)).toEqual({
      code: "ACE_MCP_SESSION_NOT_FOUND",
      message: "There is no session s1.",
      details: { session_id: "s1" },
    });
  });

  it("5.5 #32, deliberately different: an unexpected error's text goes to the log, never to the client", () => {
    const { logger, text } = recordingLogger();
    const envelope = toEnvelope(new RuntimeFault("database at /secret/path broke"), logger);
    expect(envelope.code).toBe("ACE_MCP_INTERNAL_ERROR");
    expect(JSON.stringify(envelope)).not.toContain("secret");
    expect(envelope.details["correlation_id"]).toMatch(/^[0-9A-Z]{26}$/);
    expect(text()).toContain(String(envelope.details["correlation_id"]));
    expect(text()).toContain("RuntimeFault: database at /secret/path broke");
  });

  it("maps a model failure to a provider error with provider, model, kind and retryable", () => {
    const error = modelError("openai answered 429.", {
      provider: "openai",
      model: "gpt-4o-mini",
      kind: "rate_limit",
      retryable: true,
    });
    expect(toEnvelope(error, silentLogger)).toEqual({
      code: "ACE_MCP_PROVIDER_ERROR",
      message: "openai answered 429.",
      details: { provider: "openai", model: "gpt-4o-mini", kind: "rate_limit", retryable: true },
    });
  });

  it.each(["auth", "not_installed", "unknown_model"] as const)(
    "names the offline model when nothing is set up (%s)",
    (kind) => {
      const error = modelError("It cannot be used.", { provider: "openai", model: "x", kind });
      expect(toEnvelope(error, silentLogger).message).toContain(
        "ACE_MCP_DEFAULT_MODEL=builtin/recall",
      );
    },
  );

  it("names the offline way once, also when the runner's own message did", () => {
    const message = 'No key for OpenAI. Use "builtin/recall" to try it offline.';
    const error = modelError(message, { provider: "openai", model: "x", kind: "auth" });
    expect(toEnvelope(error, silentLogger).message).toBe(message);
  });

  it("maps an option that the engine refuses to a validation issue", () => {
    const error = aceError("ACE_OPTION_INVALID", "question must be a text that is not empty.", {
      details: { option: "question" },
    });
    expect(toEnvelope(error, silentLogger)).toMatchObject({
      code: "ACE_MCP_VALIDATION_ERROR",
      details: { issues: [{ path: "question" }] },
    });
  });

  it("survives thrown values that are no errors", () => {
    for (const thrown of [undefined, null, "text", 3, { a: 1 }])
      expect(toEnvelope(thrown, silentLogger).code).toBe("ACE_MCP_INTERNAL_ERROR");
  });

  it("keeps keys out of replies and logs, also those within causes", () => {
    const { logger, text } = recordingLogger();
    const secret = "sk-proj-abcdefghijklmnop1234567890";
    const envelope = toEnvelope(
      new Error(`401: api_key=${secret}`, { cause: new Error(`Bearer ${secret}`) }),
      logger,
    );
    const provider = toEnvelope(
      modelError(`Incorrect API key provided: ${secret}`, {
        provider: "openai",
        model: "x",
        kind: "auth",
      }),
      logger,
    );
    expect(JSON.stringify([envelope, provider]) + text()).not.toContain("abcdefghijklmnop");
  });
});

describe("redact", () => {
  it.each([
    ["https://user:hunter2@example.com/x", "https://***@example.com/x"],
    ["Authorization: Bearer abc.def-ghi", "Authorization: Bearer ***"],
    ['"x-api-key": "abc123"', '"x-api-key": "***"'],
    ["OPENAI_API_KEY=abc123 rest", "OPENAI_API_KEY=*** rest"],
    ["key AIzaSyA1234567890abcdef is bad", "key *** is bad"],
    ["Incorrect key sk-a1b2*****wxyz.", "Incorrect key ***"],
    ["hf_abcdefgh1234 and nvapi-abcdefgh1234", "*** and ***"],
    ["GET https://x.test/v1?key=abc123&alt=sse", "GET https://x.test/v1?key=***&alt=sse"],
    ["it eyJhbGciOiJIUzI1NiJ9.eyJzdWIi.c2ln ends", "it *** ends"],
  ])("%s", (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it("leaves ordinary text alone", () => {
    const text = "The model gpt-4o-mini is not known; see https://example.com/models?page=2.";
    expect(redact(text)).toBe(text);
    const words = "skillbooks, skillManager, skill_manager: details.skill_count_after; packages.";
    expect(redact(words)).toBe(words);
  });
});

class RuntimeFault extends Error {
  override readonly name = "RuntimeFault";
}
