import fc from "fast-check";
import { expect, test } from "vitest";
import { redact } from "../../src/failure/redact.ts";

test.each([
  ["known secrets", "the key is hunter2secret, really", ["hunter2secret"], "hunter2secret"],
  ["known secrets, percent-encoded", "at ?x=a%2Fb%2Bsecret", ["a/b+secret"], "a%2Fb%2Bsecret"],
  ["URL credentials", "cannot reach https://user:pa55word@host/v1", [], "pa55word"],
  ["a user name alone", "cannot reach http://token-abc@host", [], "token-abc"],
  ["keys in a query", "GET /v1?key=abcdef123&x=1 failed", [], "abcdef123"],
  ["bearer tokens", "header Authorization: Bearer abc.def", [], "abc.def"],
  ["masked keys", "Incorrect API key provided: sk-loopb*********cdef. See", [], "sk-loopb"],
  ["OpenAI's keys", "key sk-proj-abcdefgh12345678 is wrong", [], "abcdefgh12345678"],
  ["Google's keys", "key AIzaSyA1234567890abcdef", [], "AIzaSyA1234567890abcdef"],
  ["AWS key ids", "AKIAIOSFODNN7EXAMPLE is not valid", [], "AKIAIOSFODNN7EXAMPLE"],
  ["a header line", "unexpected X-Amz-Date: 20260101T000000Z", [], "20260101T"],
  ["a header in JSON", 'got {"openai-organization":"org-abc"}', [], "org-abc"],
  ["a header in escaped JSON", 'got {\\"user-agent\\":\\"agent/1 (x; y)\\"}', [], "agent/1"],
  ["a header in Python", "got {'authorization': 'Token abc def'}", [], "abc def"],
  ["a header as a pair", 'got [["x-session", "abc, def"]]', [], "abc"],
  ["a header of several values", 'got {"x-session":["abc"]}', [], "abc"],
  ["all of several headers", "accept: */*\nx-a: 1\nhost: secret-host\nx-b: 2\nvia: me", [], "host"],
  ["JSON web tokens", "token eyJhbGciOiJI.eyJzdWIiOiIx.sig", [], "eyJhbGciOiJI"],
])("hides %s", (_what, text, secrets, hidden) => {
  const clean = redact(text, secrets);
  expect(clean).not.toContain(hidden);
  expect(clean).toContain("[hidden]");
});

test("leaves ordinary texts alone, on one line, bounded", () => {
  const text = "Rate limit reached for gpt-4.1 on requests per min (RPM): Limit 3.";
  expect(redact(text, [])).toBe(text);
  const header = "The header anthropic-beta is unknown, x-api-key header is required";
  expect(redact(header, [])).toBe(header);
  expect(redact("two\nlines\tand \u0007 bell", [])).toBe("two lines and bell");
  expect(redact("x".repeat(1_000), [])).toHaveLength(301);
});

test("a secret of any shape never survives anywhere in a text", () => {
  const secret = fc.string({ minLength: 8, maxLength: 60, unit: "grapheme-ascii" });
  fc.assert(
    fc.property(secret, fc.string(), fc.string(), (key, before, after) => {
      fc.pre(!"[hidden]".includes(key) && key.trim().length >= 8);
      expect(redact(`${before}${key}${after}${key}`, [key])).not.toContain(key);
    }),
  );
});
