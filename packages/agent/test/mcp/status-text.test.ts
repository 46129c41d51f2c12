import fc from "fast-check";
import { expect, test } from "vitest";
import { statusText } from "../../src/mcp/status-text.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";

const SECRET = "hunter2-and-more";
const redact = createRedactor([SECRET]);

test("stays as it is when it is short and plain", () => {
  expect(statusText("The server exited with code 3.\nout of memory", redact)).toBe(
    "The server exited with code 3.\nout of memory",
  );
});

test("shows what a terminal would obey, and no secret", () => {
  expect(statusText(`\u001b[2Jkey ${SECRET}\u202e`, redact)).toBe(
    "\\u{1b}[2Jkey [hidden]\\u{202e}",
  );
});

test("keeps the beginning and the last words of a process", () => {
  const text = `It exited with code 3. ${"x".repeat(5_000)} last words`;
  const shown = statusText(text, redact);
  expect(shown).toHaveLength(1_000);
  expect(shown).toMatch(/^It exited with code 3\..* … .*last words$/);
});

test("never holds a secret or more than 1,000 characters, wherever it is cut", () => {
  const piece = fc.oneof(
    fc.constant(` ${SECRET} `),
    fc.string({ unit: "binary" }),
    fc.constant("😀".repeat(90)),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const shown = statusText(pieces.join(""), redact);
      expect(shown.length).toBeLessThanOrEqual(1_000);
      expect(shown).not.toContain(SECRET);
      expect(shown).not.toMatch(/\p{Cs}/u);
    }),
  );
});
