import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeFile, decodeText, encodeText } from "../../src/workspace/file-text.ts";
import { EndedText } from "../../src/workspace/line-ends.ts";

describe("decoding and encoding", () => {
  test("gives back the same bytes for whatever counts as text", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.string({ unit: "binary" }).map((text) => Buffer.from(text, "utf8")),
      fc.string({ unit: "binary" }).map((text) => Buffer.from(`\uFEFF${text}`, "utf8")),
      fc.string({ unit: "binary" }).map((text) => Buffer.from(`\uFEFF${text}`, "utf16le")),
      fc.string({ unit: "binary" }).map((text) => Buffer.from(`\uFEFF${text}`, "utf16le").swap16()),
      fc.string({ unit: "binary" }).map((text) => Buffer.from(text, "latin1")),
    );
    fc.assert(
      fc.property(bytes, (original) => {
        const file = decodeText(original);
        if (file === undefined) return;
        expect(Buffer.from(encodeText(file) ?? []).toString("hex")).toBe(
          Buffer.from(original).toString("hex"),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ["MZ is a beginning", "text"],
    ["BM of a text", "text"],
    ["\u001B[31mred\u001B[0m and plain\n", "text"],
    ["\u0001\u0002\u0003", "binary"],
  ])("takes %j for %s", (content, type) => {
    expect(decodeFile(Buffer.from(content)).type).toBe(type);
  });
});

describe("a text with line ends", () => {
  test("is the same after a round trip", () => {
    const raw = fc.array(fc.constantFrom("a", "\r", "\n", "\r\n", "é")).map((all) => all.join(""));
    fc.assert(
      fc.property(raw, (text) => {
        expect(EndedText.of(text).raw()).toBe(text);
      }),
    );
  });

  test("keeps all ends outside of what is replaced", () => {
    const raw = fc.array(fc.constantFrom("a", "bb", "\n", "\r\n"), { minLength: 1 });
    fc.assert(
      fc.property(
        raw,
        fc.nat(),
        fc.nat(),
        fc.constantFrom("", "x", "x\ny", "\n"),
        (all, a, b, text) => {
          const old = EndedText.of(all.join(""));
          const start = a % (old.lf.length + 1);
          const end = start + (b % (old.lf.length - start + 1));
          const next = old.replace([{ start, end, text }]);
          expect(next.lf).toBe(old.lf.slice(0, start) + text + old.lf.slice(end));
          const before = EndedText.of(old.lf.slice(0, start)).crlf.length;
          const after = EndedText.of(old.lf.slice(end)).crlf.length;
          expect(next.crlf.slice(0, before)).toEqual(old.crlf.slice(0, before));
          expect(next.crlf.slice(next.crlf.length - after)).toEqual(
            old.crlf.slice(old.crlf.length - after),
          );
          expect(next.crlf).toHaveLength(EndedText.of(next.lf).crlf.length);
        },
      ),
    );
  });
});
