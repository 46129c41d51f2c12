import { AcumenError } from "@acumen/core";
import { agentError } from "@acumen/agent";
import { modelError } from "@acumen/models";
import { RequestError } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { requestError, unknownSession } from "../../src/errors/request-errors.ts";

test("an error of the protocol stays as it is", () => {
  const error = RequestError.invalidParams({ path: "cwd" });
  expect(requestError(error)).toBe(error);
});

test.each([
  ["AGENT_SESSION_NOT_FOUND", -32002, { sessionId: "s1" }],
  ["AGENT_SESSION_CLOSED", -32002, { sessionId: "s1" }],
  ["AGENT_WORKSPACE_INVALID", -32602, { code: "AGENT_WORKSPACE_INVALID", path: "/x" }],
  ["AGENT_CURSOR_INVALID", -32602, { code: "AGENT_CURSOR_INVALID" }],
  ["AGENT_PROMPT_INVALID", -32602, { code: "AGENT_PROMPT_INVALID" }],
  ["AGENT_NO_CREDENTIALS", -32000, { code: "AGENT_NO_CREDENTIALS" }],
  ["AGENT_SESSION_LOCKED", -32603, { code: "SESSION_LOCKED", retryable: false }],
  ["AGENT_STORE_FAILED", -32603, { code: "AGENT_STORE_FAILED", retryable: false }],
] as const)("%s is %i", (code, wire, data) => {
  const error = requestError(agentError(code, "Said so.", { details: { path: "/x" } }), "s1");
  expect(error).toMatchObject({ code: wire, message: "Said so.", data });
});

test("a failure of a provider says what it is, whether to try again, and what hosts show", () => {
  const failure = modelError("The service is busy.", {
    provider: "openai",
    model: "m",
    kind: "rate_limit",
    retryable: true,
    retryAfterMs: 500,
    status: 429,
  });
  expect(requestError(failure, "s1")).toMatchObject({
    code: -32603,
    message: "The service is busy.",
    data: {
      code: "MODEL_FAILED",
      kind: "rate_limit",
      retryable: true,
      retry_after_ms: 500,
      status: 429,
      details: "The service is busy.",
    },
  });
});

test("of a fault of the program nothing is told", () => {
  const error = requestError(new TypeError("key sk-secret at /home/me/x.ts:1"), "s1");
  expect(error.code).toBe(-32603);
  expect(error.data).toMatchObject({ code: "INTERNAL", retryable: false });
  expect(JSON.stringify([error.message, error.data])).not.toMatch(/sk-secret|x\.ts/u);
  expect(requestError("text").code).toBe(-32603);
});

test("a coded error keeps its cause and its stack to itself", () => {
  const cause = new Error("inner sk-secret");
  const error = requestError(new AcumenError({ code: "OTHER_CODE", message: "Outer.", cause }));
  expect(JSON.stringify(error.toErrorResponse())).not.toMatch(/inner|request-errors/u);
});

test("megabytes that a host sent are not sent back to it", () => {
  const long = "p".repeat(1_000_000);
  const details = { details: { path: long } };
  const errors = [
    requestError(agentError("AGENT_WORKSPACE_INVALID", `${long} is no folder.`, details)),
    requestError(agentError("AGENT_STORE_FAILED", `${long} is full.`, details)),
    requestError(agentError("AGENT_SESSION_NOT_FOUND", `There is no ${long}.`), long),
    unknownSession(long),
  ];
  for (const error of errors) {
    expect(JSON.stringify(error.toErrorResponse()).length).toBeLessThan(20_000);
    expect(JSON.stringify(error.toErrorResponse())).toContain("pppp…");
  }
});
