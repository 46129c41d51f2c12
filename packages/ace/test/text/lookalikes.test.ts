import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { skeletonOf } from "../../src/text/lookalikes.ts";

describe("skeletonOf", () => {
  it.each([
    ["SYSTEM:", "system:"],
    ["Ｓｙｓｔｅｍ：", "system:"],
    ["ѕуѕtеm", "system"],
    ["sýstém", "system"],
    ["ﬁle 𝐔𝐬𝐞𝐫", "file user"],
    ["‹∕x｜›", "</x|>"],
  ])("reads %j as %j", (text, skeleton) => {
    expect(skeletonOf(text).text).toBe(skeleton);
  });

  it("leads each position back to the character that it came from", () => {
    const { text, origin } = skeletonOf("a𝐔ﬁ<é:");
    expect(text).toBe("aufi<e:");
    expect(Array.from(text, (_, i) => origin(i))).toEqual([0, 1, 3, 3, 4, 5, 6]);
  });

  it("keeps positions ascending and inside the text, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (value) => {
        const { text, origin } = skeletonOf(value);
        let last = 0;
        for (let i = 0; i < text.length; i++) {
          expect(origin(i)).toBeGreaterThanOrEqual(last);
          last = origin(i);
        }
        expect(last).toBeLessThanOrEqual(value.length);
      }),
    );
  });
});
