import { describe, expect, test } from "vitest";
import { usableImage } from "../../src/conversation/image-block.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const GIF = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
const WEBP = Buffer.from("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==", "base64");
const JPEG = Buffer.concat([
  Buffer.from("ffd8ffe000104a46494600010100000100010000", "hex"),
  Buffer.alloc(120, 1),
  Buffer.from("ffd9", "hex"),
]);

const FORMATS: [string, Buffer, number][] = [
  ["image/png", PNG, 33],
  ["image/gif", GIF, 13],
  ["image/webp", WEBP, 20],
  ["image/jpeg", JPEG, 20],
];

describe.each(FORMATS)("%s", (mediaType, bytes, head) => {
  test("is taken as it is", () => {
    const data = bytes.toString("base64");
    expect(usableImage(data)).toEqual({ mediaType, data });
  });

  test("is none when there is only its beginning, however much of that", () => {
    for (let length = 0; length <= head; length += 1) {
      expect(usableImage(bytes.subarray(0, length).toString("base64"))).toBeUndefined();
    }
  });
});

test.each([
  ["a PNG without a width", PNG, 16],
  ["a PNG without a height", PNG, 20],
  ["a GIF without a width", GIF, 6],
])("%s is none", (_what, bytes, at) => {
  const damaged = Buffer.from(bytes);
  damaged.fill(0, at, at + (bytes === PNG ? 4 : 2));
  expect(usableImage(damaged.toString("base64"))).toBeUndefined();
});

test("a WebP that is shorter than it says is none", () => {
  expect(usableImage(WEBP.subarray(0, -4).toString("base64"))).toBeUndefined();
});
