import fc from "fast-check";
import { expect, test } from "vitest";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { ByteTail } from "../../../src/mcp/transports/byte-tail.ts";

test("the tail is the end of what was written, in whole characters, whatever the chunks are", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.integer({ min: 4, max: 64 }),
      fc.integer({ min: 1, max: 40 }),
      (text, capacity, size) => {
        const bytes = Buffer.from(text);
        const tail = new ByteTail(capacity, createRedactor());
        for (let at = 0; at < bytes.length; at += size) tail.append(bytes.subarray(at, at + size));
        const kept = tail.text();
        expect(kept).not.toContain("\uFFFD".repeat(1 + text.split("\uFFFD").length));
        expect(bytes.toString().endsWith(kept)).toBe(true);
        const length = Buffer.byteLength(kept);
        expect(length).toBeLessThanOrEqual(capacity);
        expect(length).toBeGreaterThanOrEqual(Math.min(bytes.length, capacity - 3));
      },
    ),
  );
});

test("a character that is not complete yet is left out until it is", () => {
  const tail = new ByteTail(100, createRedactor());
  const bytes = Buffer.from("a€");
  tail.append(bytes.subarray(0, 2));
  expect(tail.text()).toBe("a");
  tail.append(bytes.subarray(2));
  expect(tail.text()).toBe("a€");
});

test("a secret is hidden also where its beginning is gone, and however much was hidden behind it", () => {
  const secret = "s3cr3t-of-the-definition";
  for (let at = 0; at <= secret.length; at += 1) {
    for (const behind of ["y".repeat(1000 - at), secret.repeat(3000) + "z".repeat(at)]) {
      const tail = new ByteTail(1000, createRedactor([secret]));
      const text = Buffer.from(`${"x".repeat(40_000)}${secret}${behind}`);
      for (let from = 0; from < text.length; from += 700)
        tail.append(text.subarray(from, from + 700));
      const shown = tail.text();
      expect(shown.length).toBeLessThanOrEqual(1000);
      expect(shown.replaceAll("[hidden]", "")).not.toMatch(/s3c|tion/);
    }
  }
});
