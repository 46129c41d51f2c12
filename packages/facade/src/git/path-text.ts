import { isUtf8 } from "node:buffer";

/** Stands for a byte that is no UTF-8; no text that git gives can hold it otherwise. */
const ODD = 0xdc00;
const ODD_BYTE = /[\udc80-\udcff]/u;

/** Fields of git's output, each ended by a zero byte. */
export function zeroFields(output: Buffer): readonly Buffer[] {
  const fields: Buffer[] = [];
  for (let from = 0; from < output.length;) {
    const end = output.indexOf(0, from);
    const to = end === -1 ? output.length : end;
    fields.push(output.subarray(from, to));
    from = to + 1;
  }
  return fields;
}

/** Output of git with `-z` as text in which no two names are alike: of a name that is no UTF-8 each odd byte has a sign of its own. */
export function pathsText(output: Buffer): string {
  if (isUtf8(output)) return output.toString("utf8");
  return zeroFields(output)
    .map((field) => `${nameOf(field)}\0`)
    .join("");
}

/** The names in it that are not empty. */
export function namesIn(output: Buffer): readonly string[] {
  return pathsText(output)
    .split("\0")
    .filter((name) => name !== "");
}

export function isOddName(name: string): boolean {
  return ODD_BYTE.test(name);
}

/** For people and for the wire: an odd byte is shown as `\xff`. */
export function shownName(name: string): string {
  if (!isOddName(name)) return name;
  const shown = (sign: string): string =>
    String.raw`\x${(sign.charCodeAt(0) - ODD).toString(16).padStart(2, "0")}`;
  return name.replace(new RegExp(ODD_BYTE, "gu"), shown);
}

function nameOf(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString("utf8");
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const length = [1, 2, 3, 4].find((size) => isCharacter(bytes.subarray(at, at + size)));
    text +=
      length === undefined
        ? String.fromCharCode(ODD + (bytes[at] ?? 0))
        : bytes.toString("utf8", at, at + length);
    at += length ?? 1;
  }
  return text;
}

/** One whole character and nothing else. */
function isCharacter(bytes: Buffer): boolean {
  return bytes.length > 0 && isUtf8(bytes) && Array.from(bytes.toString("utf8")).length === 1;
}
