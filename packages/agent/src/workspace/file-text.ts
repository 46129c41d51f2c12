import { magicOf } from "./magic-bytes.ts";

/** How a file's bytes are text. `latin-1` is the guess for bytes that are no UTF-8 and hold no control characters. */
export type TextEncoding = "utf-8" | "utf-16le" | "utf-16be" | "latin-1";
/** `none`: there is no line end. `mixed`: both LF and CRLF. */
export type LineEnding = "lf" | "crlf" | "mixed" | "none";

export interface FileText {
  readonly encoding: TextEncoding;
  readonly bom: boolean;
  /** Without the mark, line ends as they are. */
  readonly text: string;
}

export type DecodedFile =
  | ({ readonly type: "text" } & FileText)
  | { readonly type: "image"; readonly mimeType: string }
  | { readonly type: "binary"; readonly what: string };

export function decodeFile(
  bytes: Uint8Array,
  options: { readonly partial?: boolean } = {},
): DecodedFile {
  const magic = magicOf(bytes);
  if (magic?.startsWith("image/") === true) return { type: "image", mimeType: magic };
  if (magic !== undefined) return { type: "binary", what: magic };
  const decoded = decodeText(bytes, options);
  return decoded === undefined || isMostlyControl(bytes, decoded.encoding)
    ? { type: "binary", what: "binary data" }
    : { type: "text", ...decoded };
}

/**
 * Undefined: no text. Decoding and {@link encodeText} give back the same bytes.
 * @param options.partial the bytes are the beginning of a file, and may end inside of a character
 */
export function decodeText(
  bytes: Uint8Array,
  { partial = false }: { readonly partial?: boolean } = {},
): FileText | undefined {
  const marked = (encoding: TextEncoding, text: string | undefined): FileText | undefined =>
    text === undefined ? undefined : { encoding, bom: true, text };
  if (bytes[0] === 0xff && bytes[1] === 0xfe)
    return marked("utf-16le", strict("utf-16le", bytes.subarray(2), partial));
  if (bytes[0] === 0xfe && bytes[1] === 0xff)
    return marked("utf-16be", strict("utf-16be", bytes.subarray(2), partial));
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
    return marked("utf-8", strict("utf-8", bytes.subarray(3), partial));
  if (bytes.includes(0)) return undefined;
  const utf8 = strict("utf-8", bytes, partial);
  if (utf8 !== undefined) return { encoding: "utf-8", bom: false, text: utf8 };
  if (bytes.some(isControl)) return undefined;
  return { encoding: "latin-1", bom: false, text: Buffer.from(bytes).toString("latin1") };
}

/** True for what no text in an old single-byte encoding holds: all but tab, line ends, form feed and escape. */
function isControl(byte: number): boolean {
  return byte === 0x7f || (byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d) && byte !== 0x1b);
}

const SAMPLED_BYTES = 8_192;
const MAX_CONTROL_SHARE = 0.1;

function isMostlyControl(bytes: Uint8Array, encoding: TextEncoding): boolean {
  if (encoding.startsWith("utf-16")) return false;
  const sample = bytes.subarray(0, SAMPLED_BYTES);
  return sample.filter(isControl).length > sample.length * MAX_CONTROL_SHARE;
}

function strict(
  encoding: "utf-8" | "utf-16le" | "utf-16be",
  bytes: Uint8Array,
  stream: boolean,
): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes, { stream });
  } catch {
    return undefined;
  }
}

/** In text of whole code points only a half without its partner is of this category. */
const LONE_SURROGATE = /\p{Cs}/u;

const ABOVE_LATIN = /[\u0100-\uffff]/;

/** Undefined: the text holds characters that the encoding has not. */
export function encodeText({ encoding, bom, text }: FileText): Uint8Array | undefined {
  const whole = bom ? `\uFEFF${text}` : text;
  switch (encoding) {
    case "utf-8":
      return LONE_SURROGATE.test(whole) ? undefined : Buffer.from(whole, "utf8");
    case "utf-16le":
      return Buffer.from(whole, "utf16le");
    case "utf-16be":
      return Buffer.from(whole, "utf16le").swap16();
    case "latin-1":
      return ABOVE_LATIN.test(text) ? undefined : Buffer.from(text, "latin1");
  }
}

export function lineEndingOf(text: string): LineEnding {
  let crlf = 0;
  let lf = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    if (text[at - 1] === "\r") crlf += 1;
    else lf += 1;
    if (crlf > 0 && lf > 0) return "mixed";
  }
  if (crlf > 0) return "crlf";
  return lf > 0 ? "lf" : "none";
}

/** The text as models see it: every line end is LF. */
export function toLf(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/** What is worth saying about how a file is stored; empty for UTF-8 with LF. */
export function storageNotes(file: Omit<FileText, "text">, ending: LineEnding): readonly string[] {
  const notes: string[] = [];
  if (ending === "crlf") notes.push("CRLF line ends, shown as LF");
  if (ending === "mixed") notes.push("mixed LF and CRLF line ends, shown as LF");
  if (file.encoding === "latin-1") notes.push("not UTF-8, read as latin-1");
  else if (file.encoding !== "utf-8") notes.push(`encoding ${file.encoding}`);
  if (file.bom && file.encoding === "utf-8") notes.push("begins with a byte order mark");
  return notes;
}
