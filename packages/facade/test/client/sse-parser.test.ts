import fc from "fast-check";
import { expect, it } from "vitest";
import { type ServerSentEvent, SseParser } from "../../src/client/sse-parser.ts";

function read(...chunks: readonly string[]): ServerSentEvent[] {
  const parser = new SseParser();
  return chunks.flatMap((chunk) => parser.push(chunk));
}

it.each([
  ["LF", "id: 1\nevent: a\ndata: x\n\n"],
  ["CRLF", "id: 1\r\nevent: a\r\ndata: x\r\n\r\n"],
  ["CR", "id: 1\revent: a\rdata: x\r\r"],
  ["a byte order mark", "\uFEFFid: 1\nevent: a\ndata: x\n\n"],
  ["comments and unknown fields", ": hi\nfoo: bar\nid: 1\n:\nevent: a\ndata: x\n\n"],
  ["no space after the colon", "id:1\nevent:a\ndata:x\n\n"],
])("reads a frame with %s", (_case, text) => {
  expect(read(text)).toEqual([{ id: "1", event: "a", data: "x" }]);
});

it("joins lines of data, keeps the id for later frames, and drops frames without data", () => {
  const text = "id: 7\ndata: a\ndata\ndata:  b\n\n: heartbeat\n\nevent: lost\n\ndata: c\n\n";
  expect(read(text)).toEqual([
    { id: "7", event: "message", data: "a\n\n b" },
    { id: "7", event: "message", data: "c" },
  ]);
});

it("a frame that was cut off is none", () => {
  expect(read("data: a\n")).toEqual([]);
});

it("text without an end is refused", () => {
  const parser = new SseParser();
  const push = (): void => {
    for (let index = 0; index < 10; index += 1) parser.push("x".repeat(1024 * 1024));
  };
  expect(push).toThrow(RangeError);
});

it("however the text is cut, the same events come out", () => {
  const line = fc.oneof(
    fc.constantFrom("", "", ": c", "data", "data:", "id: 3", "event: e", "retry: 5", "data: {}"),
    fc.string().map((text) => `data: ${text.replaceAll(/[\r\n\uFEFF]/g, "")}`),
  );
  const ending = fc.constantFrom("\n", "\r\n", "\r");
  const lines = fc.array(fc.tuple(line, ending), { maxLength: 30 });
  fc.assert(
    fc.property(lines, fc.array(fc.nat({ max: 400 }), { maxLength: 30 }), (parts, cuts) => {
      const text = parts.map(([each, end]) => each + end).join("");
      const places = [...new Set(cuts.map((cut) => Math.min(cut, text.length)))];
      const sorted = [0, ...places.toSorted((a, b) => a - b), text.length];
      const chunks = sorted.slice(1).map((to, index) => text.slice(sorted[index], to));
      expect(read(...chunks)).toEqual(read(text));
    }),
    { seed: 7, numRuns: 500 },
  );
});
