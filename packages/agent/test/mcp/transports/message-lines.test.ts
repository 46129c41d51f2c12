import fc from "fast-check";
import { expect, test } from "vitest";
import { MessageLines } from "../../../src/mcp/transports/message-lines.ts";

function linesOf(chunks: readonly Buffer[], maxBytes = 1000): { lines: string[]; fits: boolean } {
  const lines: string[] = [];
  const reader = new MessageLines(maxBytes, (line) => lines.push(line));
  const fits = chunks.every((chunk) => reader.push(chunk));
  if (fits) reader.end();
  return { lines, fits };
}

function cut(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

test("lines come whole however their bytes are cut, with either line end and without blank ones", () => {
  const word = fc.string({ unit: "binary", maxLength: 20 }).map((text) => JSON.stringify(text));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(word, fc.constantFrom("\n", "\r\n", "\n\n", "\r\n \t\r\n"))),
      fc.integer({ min: 1, max: 30 }),
      (parts, size) => {
        const bytes = Buffer.from(parts.flat().join(""));
        expect(linesOf(cut(bytes, size)).lines).toEqual(parts.map(([text]) => text.trim()));
      },
    ),
  );
});

test("a byte order mark at the beginning is no part of the line, also in pieces", () => {
  const bytes = Buffer.from('\uFEFF{"a":1}\n\uFEFF{"b":1}');
  for (const size of [1, 2, 3, 4, 100]) {
    expect(linesOf(cut(bytes, size)).lines).toEqual(['{"a":1}', '{"b":1}']);
  }
});

test("a line that is too long is noticed when it is, and lines that just fit pass", () => {
  expect(linesOf([Buffer.from(`${"x".repeat(10)}\n${"y".repeat(10)}\n`)], 10)).toEqual({
    lines: ["x".repeat(10), "y".repeat(10)],
    fits: true,
  });
  expect(linesOf([Buffer.from("ok\nxxxxx"), Buffer.from("xxxxxx")], 10)).toEqual({
    lines: ["ok"],
    fits: false,
  });
  expect(linesOf([Buffer.from(`${"x".repeat(11)}\n`)], 10).fits).toBe(false);
});
