import { redactedHead } from "../../redaction/redacted-head.ts";
import { createRedactor, type Redactor } from "../../redaction/redactor.ts";
import { visibleText } from "../../text/visible-text.ts";

const ELLIPSIS = "…";
const MAX_NAME_BYTES = 80;

/**
 * Text of a server as it may stand in a prompt or a status: without secrets, without control, bidi and zero-width characters, with
 * plain line feeds, at most `maxBytes` of UTF-8. May be empty.
 * @param redact default: one that knows the shapes of keys alone
 */
export function cleanServerText(
  text: string,
  maxBytes: number,
  redact: Redactor = createRedactor(),
): string {
  // What cannot fit is not looked at.
  const head = redactedHead(text, 4 * maxBytes, redact);
  const seen = head
    .replace(/\r\n?/g, "\n")
    .replace(/[^\n\t -~]/gu, (character) => (visibleText(character) === character ? character : ""))
    .trim();
  // What was between the halves of a secret may be gone.
  return cutBytes(redact(seen), maxBytes, head.length === 4 * maxBytes);
}

/** One line of it, for names. */
export function cleanServerName(
  name: string,
  maxBytes = MAX_NAME_BYTES,
  redact: Redactor = createRedactor(),
): string {
  const head = redactedHead(name, 4 * maxBytes, redact);
  return cleanServerText(head.replace(/\s+/g, " "), maxBytes, redact);
}

/** `text` with a mark that says whose it is, at most `maxBytes` together. */
export function markedServerText(
  server: string,
  text: string,
  maxBytes: number,
  redact: Redactor,
): string {
  const name = cleanServerName(server).replace(/["[\]]/g, "_");
  const mark = `[Text of the MCP server "${name}"] `;
  return `${mark}${cleanServerText(text, maxBytes - Buffer.byteLength(mark), redact)}`;
}

function cutBytes(text: string, maxBytes: number, more: boolean): string {
  if (!more && Buffer.byteLength(text) <= maxBytes) return text;
  const room = Math.max(0, maxBytes - Buffer.byteLength(ELLIPSIS));
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(room));
  return `${text.slice(0, read).trimEnd()}${ELLIPSIS}`;
}
