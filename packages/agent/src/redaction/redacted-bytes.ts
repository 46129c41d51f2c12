import { isUtf8 } from "node:buffer";
import { setImmediate as nextRound } from "node:timers/promises";
import { StringDecoder } from "node:string_decoder";
import type { Redactor } from "./redactor.ts";

const BASE64_ONLY = /^[A-Za-z0-9+/=\s]*$/;
/** More are not looked at in one go. */
const MAX_CHARS = 32 * 1024 * 1024;
const STEP_BYTES = 1024 * 1024;

/** Bytes as Base64 without the secrets of the text that they are; undefined: it is no Base64. What is no text stays as it is. */
export function redactedBase64(data: string, redact: (text: string) => string): string | undefined {
  if (!BASE64_ONLY.test(data)) return undefined;
  if (data.length > MAX_CHARS) return data;
  const bytes = Buffer.from(data, "base64");
  if (!isUtf8(bytes)) return data;
  const text = bytes.toString("utf8");
  const safe = redact(text);
  return safe === text ? data : Buffer.from(safe).toString("base64");
}

/** The same for bytes of any size. Others get their turn in between. */
export async function redactedBytes(bytes: Uint8Array, redact: Redactor): Promise<Uint8Array> {
  if (!isUtf8(bytes)) return bytes;
  const decoder = new StringDecoder("utf8");
  const stream = redact.stream();
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += STEP_BYTES) {
    const step = bytes.subarray(at, at + STEP_BYTES);
    parts.push(stream.push(decoder.write(Buffer.from(step))));
    if (at + STEP_BYTES < bytes.length) await nextRound();
  }
  return Buffer.from(parts.join("") + stream.end());
}
