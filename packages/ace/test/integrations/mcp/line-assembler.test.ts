import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineAssembler } from "../../../src/integrations/mcp/line-assembler.ts";

function assemble(maxBytes: number, chunks: readonly string[]): { text: string; tooLong: number } {
  let tooLong = 0;
  const lines = new LineAssembler(maxBytes, () => (tooLong += 1));
  const text = chunks.map((chunk) => lines.push(Buffer.from(chunk))?.toString() ?? "").join("");
  return { text, tooLong };
}

describe("LineAssembler", () => {
  it("passes whole lines on as soon as they have come", () => {
    const lines = new LineAssembler(100, () => undefined);
    expect(lines.push(Buffer.from("a"))).toBeUndefined();
    expect(lines.push(Buffer.from("b\nc\nd"))?.toString()).toBe("ab\nc\n");
    expect(lines.push(Buffer.from("\n"))?.toString()).toBe("d\n");
  });

  it("skips a line over the limit, says so once, and goes on with the next", () => {
    expect(assemble(5, ["12345", "6", "7890", "12\nok\n", "x\n"])).toEqual({
      text: "ok\nx\n",
      tooLong: 1,
    });
  });

  it("gives the same lines however the bytes are cut, multi-byte characters too", () => {
    const text = fc.array(fc.constantFrom("a", "é", "😀", "\n", "\r\n"), { maxLength: 60 });
    fc.assert(
      fc.property(text, fc.array(fc.nat({ max: 9 })), (parts, cuts) => {
        const bytes = Buffer.from(parts.join(""));
        const lines = new LineAssembler(10_000, () => undefined);
        const out: Buffer[] = [];
        let at = 0;
        for (const cut of [...cuts, bytes.length]) {
          const whole = lines.push(bytes.subarray(at, at + cut));
          if (whole !== undefined) out.push(whole);
          at += cut;
        }
        const whole = lines.push(bytes.subarray(at));
        if (whole !== undefined) out.push(whole);
        expect(Buffer.concat(out).toString()).toBe(
          bytes.subarray(0, bytes.lastIndexOf("\n") + 1).toString(),
        );
      }),
    );
  });
});
