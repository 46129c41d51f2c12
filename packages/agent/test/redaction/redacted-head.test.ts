import fc from "fast-check";
import { expect, test } from "vitest";
import { redactedHead } from "../../src/redaction/redacted-head.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";

const SECRET = "correct-horse-battery-staple";
const redact = createRedactor([SECRET]);

test("a secret at the cut is hidden, wherever it stands and however much follows", () => {
  for (const after of ["", "!".repeat(10_000)]) {
    for (let at = 0; at <= 60; at += 1) {
      const head = redactedHead(`${"x".repeat(at)}${SECRET}${after}`, 50, redact);
      expect(head).not.toContain(SECRET.slice(0, 4));
      expect(head.length).toBeLessThanOrEqual(50);
    }
  }
});

test("what is looked at ends within a secret: nothing of that is shown, though hidden ones made room", () => {
  const many = SECRET.repeat(2000);
  for (let cut = 0; cut < SECRET.length; cut += 1) {
    const head = redactedHead(`${"y".repeat(cut)}${many}`, 5000, redact);
    expect(head.replaceAll("[hidden]", "").replaceAll("y", "")).toMatch(/^(?:\[[hiden]*)?$/);
  }
});

test("it is the beginning of what the whole text becomes", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constantFrom(SECRET, "correct-horse", " "), fc.string()), {
        maxLength: 30,
      }),
      fc.nat(100),
      (parts, chars) => {
        const text = parts.join("");
        expect(redactedHead(text, chars, redact)).toBe(redact(text).slice(0, chars));
      },
    ),
  );
});
