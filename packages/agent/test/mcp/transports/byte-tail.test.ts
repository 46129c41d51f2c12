import fc from "fast-check";
import { expect, test } from "vitest";
import { ByteTail } from "../../../src/mcp/transports/byte-tail.ts";

test("the tail is the end of what was written, in whole characters, whatever the chunks are", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.integer({ min: 4, max: 64 }),
      fc.integer({ min: 1, max: 40 }),
      (text, capacity, size) => {
        const bytes = Buffer.from(text);
        const tail = new ByteTail(capacity);
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
  const tail = new ByteTail(100);
  const bytes = Buffer.from("a€");
  tail.append(bytes.subarray(0, 2));
  expect(tail.text()).toBe("a");
  tail.append(bytes.subarray(2));
  expect(tail.text()).toBe("a€");
});
