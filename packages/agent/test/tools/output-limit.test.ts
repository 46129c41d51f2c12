import fc from "fast-check";
import { expect, test } from "vitest";
import { HeadTail } from "../../src/tools/output-limit.ts";

const gap = (leftOut: number): string => `[${leftOut} bytes]`;

test("what fits is kept as it is; what does not is a beginning, a gap and an end of whole characters", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "binary", maxLength: 40 }), { maxLength: 30 }),
      fc.integer({ min: 8, max: 200 }),
      (pieces, limit) => {
        const kept = new HeadTail(limit);
        const encoded = pieces.map((piece) => Buffer.from(piece, "utf8"));
        for (const piece of encoded) kept.push(piece);
        const whole = Buffer.concat(encoded).toString("utf8");
        const total = Buffer.byteLength(whole);
        expect(kept.total).toBe(total);
        const half = Math.floor(limit / 2);
        if (total <= 2 * half) {
          expect(kept.cut).toBe(false);
          expect(kept.text(gap)).toBe(whole);
          return;
        }
        const text = kept.text(gap);
        const leftOut = Number(/\[(\d+) bytes\]/.exec(text)?.[1]);
        const at = text.indexOf(`[${leftOut} bytes]`);
        const tail = text.slice(at + `[${leftOut} bytes]\n`.length);
        const head = [text.slice(0, at), text.slice(0, at - 1)].find(
          (candidate) =>
            whole.startsWith(candidate) &&
            Buffer.byteLength(candidate) + leftOut + Buffer.byteLength(tail) === total,
        );
        expect(head).toBeDefined();
        expect(whole.endsWith(tail)).toBe(true);
        expect(Buffer.byteLength(head ?? "")).toBeLessThanOrEqual(half);
        expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(half);
      },
    ),
  );
});
