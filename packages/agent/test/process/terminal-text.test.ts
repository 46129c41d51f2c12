import fc from "fast-check";
import { expect, test } from "vitest";
import { RingLog } from "../../src/process/ring-log.ts";
import { TerminalText } from "../../src/process/terminal-text.ts";

/** All but tabs and line breaks. */
const CONTROL = new RegExp(String.raw`[\0-\x08\x0b-\x1f\x7f-\x9f]`);

function readable(pieces: readonly Uint8Array[], foldLines: boolean): string {
  const text = new TerminalText({ foldLines });
  return pieces.map((piece) => text.push(piece)).join("") + text.end();
}

const part = fc.oneof(
  fc.constantFrom(
    "\u001b[31m",
    "\u001b[2K",
    "\u001b]0;t\u0007",
    "\u001b",
    "\r",
    "\n",
    "\r\n",
    "ü😀",
    "\0",
  ),
  fc.string({ maxLength: 5 }),
);
const output = fc
  .array(part, { maxLength: 20 })
  .map((parts) => Buffer.from(parts.join(""), "utf8"));

test("whatever comes and however it is cut, text without control characters comes out", () => {
  fc.assert(
    fc.property(output, fc.array(fc.nat(), { maxLength: 6 }), fc.boolean(), (bytes, cuts, fold) => {
      const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted(
        (a, b) => a - b,
      );
      const pieces = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
      const text = readable(pieces, fold);
      expect(text).not.toMatch(CONTROL);
      expect(Buffer.from(text, "utf8").toString("utf8")).toBe(text);
    }),
  );
});

test("progress that is written over and over is one line, as it was last", () => {
  const progress = Array.from({ length: 100 }, (_, index) => `\rdownload ${index}%`).join("");
  expect(readable([Buffer.from(`start\n${progress}\r\nend`)], true)).toBe(
    "start\ndownload 99%\nend",
  );
  expect(readable([Buffer.from("a\rb\r\nc")], false)).toBe("a\nb\nc");
});

test("a line without an end is not kept back for ever", () => {
  const text = new TerminalText({ foldLines: true });
  expect(text.push(Buffer.from("x".repeat(5000)))).toHaveLength(5000);
});

test("a log that goes round gives any part of what it still has", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 30 }), { maxLength: 40 }),
      fc.nat({ max: 400 }),
      fc.nat({ max: 60 }),
      (pieces, offset, limit) => {
        const log = new RingLog(50);
        for (const piece of pieces) log.append(piece);
        const whole = pieces.join("");
        const { text, from, to, begin, end } = log.read(offset, limit + 1);
        expect(end).toBe(whole.length);
        expect(end - begin).toBeGreaterThanOrEqual(Math.min(50, whole.length));
        expect(end - begin).toBeLessThanOrEqual(130);
        expect(from).toBe(Math.min(Math.max(offset, begin), end));
        expect(text).toBe(whole.slice(from, to));
        expect(text.length).toBe(Math.min(limit + 1, end - from));
        const last = log.read(undefined, limit + 1);
        expect(last.text).toBe(whole.slice(Math.max(begin, end - limit - 1)));
      },
    ),
  );
});
