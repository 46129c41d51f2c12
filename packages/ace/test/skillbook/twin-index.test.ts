import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fingerprint } from "../../src/skillbook/twin-index.ts";
import { stripUnsafe } from "../../src/text/sanitise.ts";
import { normaliseText } from "../../src/text/normalise.ts";

/** Pieces that the normal form treats specially, in texts short enough to meet each other. */
const piece = fc.oneof(
  fc.constantFrom(
    "a",
    "B",
    "ß",
    "İ",
    "Σ",
    "ς",
    "é",
    "e\u0301",
    "ﬁ",
    "Ａ",
    "K",
    "½",
    "日本",
    "1",
    "2.5",
  ),
  fc.constantFrom(
    " ",
    "  ",
    "\n",
    "\u00A0",
    "\u3000",
    ".",
    ",",
    "!",
    "?",
    "…",
    "。",
    "！",
    "(",
    ")",
  ),
  fc.constantFrom(
    "“",
    "”",
    "’",
    "'",
    "«",
    "„",
    "「",
    "–",
    "—",
    "-",
    "--x",
    "-D",
    "•",
    "·",
    "`a B`",
    "`",
  ),
  fc.string({ unit: "grapheme", maxLength: 3 }),
);
/** As a book stores it: without what a reader cannot see. */
const text = fc.array(piece, { maxLength: 8 }).map((pieces) => stripUnsafe(pieces.join("")));

describe("fingerprint", () => {
  it("is equal for texts with an equal normal form", () => {
    fc.assert(
      fc.property(text, (content) => {
        const normal = normaliseText(content);
        fc.pre(normaliseText(normal) === normal);
        expect(fingerprint(normal)).toBe(fingerprint(content));
      }),
      { numRuns: 2_000 },
    );
  });

  it("survives changes of case, spacing and punctuation", () => {
    const plain = fingerprint("convert feet to metres first");
    for (const same of [
      "Convert feet to metres first.",
      "CONVERT  FEET\nTO METRES, FIRST!",
      "“Convert” feet (to metres) first…",
    ]) {
      expect(fingerprint(same)).toBe(plain);
    }
  });

  it("does not depend on the form of a sigma, which code next to it decides", () => {
    expect(normaliseText("ΑΣ`x`")).toBe(normaliseText("ας x"));
    expect(fingerprint("ΑΣ`x`")).toBe(fingerprint("ας x"));
  });

  it("tells texts without an ASCII letter apart", () => {
    const texts = ["先に単位を変換する", "単位を書く", "Сначала переведи единицы", "Пиши единицы"];
    expect(new Set(texts.map(fingerprint)).size).toBe(texts.length);
  });
});
