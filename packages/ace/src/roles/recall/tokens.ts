export interface Token {
  /** How the token counts in comparisons: a stem, the shape of a number (`#d2.1`), `#month`, or the mark itself. */
  readonly form: string;
  readonly kind: "word" | "number" | "mark";
  /** Place in the text. */
  readonly start: number;
  readonly end: number;
}

const TOKEN = /[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*|\p{N}+(?:[.,]\p{N}+)*|[^\s\p{L}\p{M}\p{N}]/gu;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const MONTHS = new Set(
  "january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec".split(
    " ",
  ),
);

/** Cuts a text into words, numbers and marks. */
export function tokenise(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(TOKEN)) {
    const [raw] = match;
    const start = match.index;
    const end = start + raw.length;
    if (/^\p{N}/u.test(raw)) tokens.push({ form: numberShape(raw), kind: "number", start, end });
    else if (!/^[\p{L}\p{M}]/u.test(raw)) tokens.push({ form: raw, kind: "mark", start, end });
    else if (UNSPACED.test(raw)) pushPairs(raw, start, tokens);
    else tokens.push({ form: wordForm(raw), kind: "word", start, end });
  }
  return tokens;
}

/** Scripts without spaces are compared by overlapping pairs of characters, the usual stand-in for a dictionary. */
function pushPairs(run: string, start: number, tokens: Token[]): void {
  const characters = Array.from(run);
  let at = start;
  for (let i = 0; i < Math.max(1, characters.length - 1); i++) {
    const pair = (characters[i] ?? "") + (characters[i + 1] ?? "");
    tokens.push({ form: pair, kind: "word", start: at, end: at + pair.length });
    at += (characters[i] ?? "").length;
  }
}

function wordForm(raw: string): string {
  const word = raw.normalize("NFKC").toLowerCase().replaceAll("’", "'");
  // "may" is a month only with a capital letter, and "march" is a walk without one.
  if (MONTHS.has(word) && raw[0] !== word[0]) return "#month";
  return stem(word.replace(/'s$/, ""));
}

/**
 * Takes off the commonest English endings: enough to bring "issue", "issues", "issued" and "issuing" together, and harmless elsewhere.
 * Short words stay whole, so that "noted" is not "not".
 */
export function stem(word: string): string {
  const single = withoutPlural(word);
  const bare = single.replace(/(?<=.{4})(?:ing|ed)$/, "");
  if (bare !== single) return bare.replace(/([bdfgkmnprtv])\1$/, "$1").replace(/(?<=.{4})e$/, "");
  return single.replace(/(?<=.{4})e$/, "");
}

function withoutPlural(word: string): string {
  if (word.length <= 3) return word;
  if (word.endsWith("ies")) return word.length > 4 ? `${word.slice(0, -3)}y` : word;
  if (/(?:ss|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return /[^sui]s$/.test(word) ? word.slice(0, -1) : word;
}

/** `1999` -> `#year`, `1,250,000` -> `#c7`, `34.6` -> `#2.1`, `12` -> `#2`: what kind of number it is, not which. */
function numberShape(raw: string): string {
  if (/^(?:19|20)\d\d$/.test(raw)) return "#year";
  const [whole = "", decimals] = raw.replace(/,(?=\d{3})/g, "").split(".");
  const grouped = /\d,\d/.test(raw) ? "c" : "";
  const length = Math.min(whole.length, 7);
  return `#${grouped}${length}${decimals === undefined ? "" : `.${Math.min(decimals.length, 3)}`}`;
}
