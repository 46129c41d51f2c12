import { expect, test } from "vitest";
import { isUnsent } from "../../../src/mcp/connection/error-facts.ts";
import { notSentError } from "../../../src/mcp/transports/not-sent.ts";

function failedFetch(cause: object): Error {
  return new TypeError("fetch failed", { cause });
}

test.each([
  ["nobody listens", failedFetch({ code: "ECONNREFUSED", syscall: "connect" }), true],
  ["no such name", failedFetch({ code: "ENOTFOUND", syscall: "getaddrinfo" }), true],
  ["no way there in time", failedFetch({ code: "ETIMEDOUT", syscall: "connect" }), true],
  [
    "several addresses, none of which answers",
    failedFetch({ errors: [{ syscall: "connect" }] }),
    true,
  ],
  [
    "a certificate that is not believed",
    failedFetch({ code: "DEPTH_ZERO_SELF_SIGNED_CERT" }),
    true,
  ],
  ["a transport that is not connected", notSentError("It is not connected."), true],
  ["a connection that was cut", failedFetch({ code: "ECONNRESET", syscall: "read" }), false],
  ["one that was closed", failedFetch({ code: "UND_ERR_SOCKET" }), false],
  ["a server that takes its time", failedFetch({ code: "ETIMEDOUT", syscall: "read" }), false],
  ["anything else", new Error("it broke"), false],
])("%s", (_what, error, expected) => {
  expect(isUnsent(error)).toBe(expected);
});
