import fc from "fast-check";
import { expect, test } from "vitest";
import { isOddName, namesIn, pathsText, shownName, zeroFields } from "../../src/git/path-text.ts";

const bytes = fc
  .uint8Array({ minLength: 1, maxLength: 12 })
  .map((array) => Buffer.from(array.map((byte) => (byte === 0 ? 1 : byte))));

test("names that are UTF-8 stay as they are", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1 }), (text) => {
      const name = text.replaceAll("\0", "0");
      const output = Buffer.from(`${name}\0`);
      expect(namesIn(output)).toEqual([output.toString("utf8").slice(0, -1)]);
      expect(isOddName(namesIn(output)[0] ?? "")).toBe(false);
      expect(shownName(name)).toBe(name);
    }),
  );
});

test("two names are alike only when their bytes are", () => {
  fc.assert(
    fc.property(bytes, bytes, (one, other) => {
      const zero = Buffer.from([0]);
      const names = namesIn(Buffer.concat([one, zero, other, zero]));
      expect(names).toHaveLength(2);
      expect(names[0] === names[1]).toBe(one.equals(other));
    }),
  );
});

test("an odd byte is shown by its number, and never lost", () => {
  const output = Buffer.from([0x61, 0xff, 0xc3, 0xbc, 0xc3, 0x00, 0x62, 0x00]);
  const [odd = "", plain = ""] = namesIn(output);
  expect(isOddName(odd)).toBe(true);
  expect(shownName(odd)).toBe(String.raw`a\xffü\xc3`);
  expect([isOddName(plain), shownName(plain)]).toEqual([false, "b"]);
  expect(isOddName(String.raw`a\xff`)).toBe(false);
  expect(pathsText(output).split("\0")).toHaveLength(3);
  expect(zeroFields(Buffer.from("a\0\0b")).map(String)).toEqual(["a", "", "b"]);
});
