import { visibleText } from "../../text/visible-text.ts";

const ELLIPSIS = "…";
const MAX_NAME_BYTES = 80;

/**
 * Text of a server as it may stand in a prompt or a status: without control, bidi and zero-width characters, with plain line
 * feeds, at most `maxBytes` of UTF-8. May be empty.
 */
export function cleanServerText(text: string, maxBytes: number): string {
  // What cannot fit is not looked at.
  const head = text.slice(0, 4 * maxBytes);
  const seen = head
    .replace(/\r\n?/g, "\n")
    .replace(/[^\n\t -~]/gu, (character) => (visibleText(character) === character ? character : ""))
    .trim();
  return cutBytes(seen, maxBytes, head.length < text.length);
}

/** One line of it, for names. */
export function cleanServerName(name: string, maxBytes = MAX_NAME_BYTES): string {
  return cleanServerText(name.replace(/\s+/g, " "), maxBytes);
}

/** `text` with a mark that says whose it is, at most `maxBytes` together. */
export function markedServerText(server: string, text: string, maxBytes: number): string {
  const name = cleanServerName(server).replace(/["[\]]/g, "_");
  const mark = `[Text of the MCP server "${name}"] `;
  return `${mark}${cleanServerText(text, maxBytes - Buffer.byteLength(mark))}`;
}

function cutBytes(text: string, maxBytes: number, more: boolean): string {
  if (!more && Buffer.byteLength(text) <= maxBytes) return text;
  const room = Math.max(0, maxBytes - Buffer.byteLength(ELLIPSIS));
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(room));
  return `${text.slice(0, read).trimEnd()}${ELLIPSIS}`;
}
