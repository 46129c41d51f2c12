import { expect, test } from "vitest";
import { redactedBase64, redactedBytes } from "../../src/redaction/redacted-bytes.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";

const SECRET = "correct-horse-battery-staple";
const redact = createRedactor([SECRET]);
const base64 = (text: string | Uint8Array): string => Buffer.from(text).toString("base64");

test("Base64 of a text loses its secrets, of anything else nothing", () => {
  const svg = `<svg><text>grün ${SECRET}</text></svg>`;
  expect(redactedBase64(base64(svg), redact)).toBe(base64("<svg><text>grün [hidden]</text></svg>"));
  const other = base64("<svg/>");
  expect(redactedBase64(other, redact)).toBe(other);
  const picture = base64(Buffer.concat([Buffer.from("89504e47", "hex"), Buffer.from(SECRET)]));
  expect(redactedBase64(picture, redact)).toBe(picture);
  expect(redactedBase64(`${SECRET}!`, redact)).toBeUndefined();
});

test("bytes of a text of any size lose their secrets, also where they are read in steps", async () => {
  const step = 1024 * 1024;
  for (const before of [step - 10, step - 1, step, 3 * step - 5]) {
    const safe = await redactedBytes(Buffer.from(`${"ü".repeat(before / 2)}${SECRET}.`), redact);
    expect(Buffer.from(safe).toString()).toBe(`${"ü".repeat(before / 2)}[hidden].`);
  }
  const picture = Buffer.concat([Buffer.from("ffd8ff", "hex"), Buffer.from(SECRET)]);
  expect(await redactedBytes(picture, redact)).toBe(picture);
});
