const NAMED: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  e: "\u001B",
  E: "\u001B",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?",
};
const CODED = /^(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3}))/u;

export interface AnsiQuoted {
  readonly text: string;
  /** Position after the closing quote. */
  readonly end: number;
  /** False: it holds an escape whose meaning is not certain. */
  readonly exact: boolean;
}

/** Reads `$'…'` from behind its opening quote; undefined when the quote does not end. */
export function readAnsiQuoted(source: string, start: number): AnsiQuoted | undefined {
  let text = "";
  let exact = true;
  let ended = false;
  for (let at = start; at < source.length; at += 1) {
    const character = source.charAt(at);
    if (character === "'") return { text, end: at + 1, exact };
    let piece = character;
    if (character === "\\") {
      const escape = readEscape(source, at + 1);
      piece = escape.text;
      exact &&= escape.exact;
      at += escape.length;
    }
    // A NUL ends the text for the shell, not the quote.
    ended ||= piece === "\0";
    if (!ended) text += piece;
  }
  return undefined;
}

function readEscape(
  source: string,
  at: number,
): { readonly text: string; readonly length: number; readonly exact: boolean } {
  const next = source.charAt(at);
  const named = NAMED[next];
  if (named !== undefined) return { text: named, length: 1, exact: true };
  const coded = CODED.exec(source.slice(at, at + 9));
  if (coded === null) return { text: `\\${next}`, length: 1, exact: !/[xuUc]/u.test(next) };
  const [whole, ...digits] = coded;
  const octal = digits[3] !== undefined;
  const digit = digits.find((one) => one !== undefined) ?? "0";
  const code = Number.parseInt(digit, octal ? 8 : 16) & (octal ? 0xff : 0xffffffff);
  // Beyond ASCII a byte is a piece of a character, by the shell's locale.
  if (code < 0 || code > 0x7f) return { text: "", length: whole.length, exact: false };
  return { text: String.fromCharCode(code), length: whole.length, exact: true };
}
