/** A form by which keys give themselves away. */
export interface SecretShape {
  /**
   * Global. Finds the beginning of a secret, long enough to be sure of it: at most {@link DECISION_CHARS}. What group 1
   * matches stays visible.
   */
  readonly start: RegExp;
  /**
   * Sticky. What still belongs to the secret after the beginning, however long; may match nothing. Group 1 is an end
   * after which nothing belongs to it any more.
   */
  readonly rest: RegExp;
  /** Matches an end of text from where `start` could match if more came. Only ever used on {@link DECISION_CHARS}. */
  readonly partial: RegExp;
}

/** No beginning is longer, and no look to the left of it goes further back. */
export const DECISION_CHARS = 256;
export const CONTEXT_CHARS = 2;

/** Not in the middle of a word; an escape such as `\n` of JSON is no part of one. */
const WORD_START = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt]))`;
/** Prefix and what must follow it at once. A bare `sk-` is also a CSS class and half of many words: a digit or length decides. */
const KEYS: readonly (readonly [prefix: string, following: string])[] = [
  ["sk-", String.raw`(?:[A-Za-z0-9]{20}|(?=[\w-]{16})[A-Za-z_-]{0,40}\d)`],
  ["sk_live_", "[A-Za-z0-9]{10}"],
  ["sk_test_", "[A-Za-z0-9]{10}"],
  ["rk_live_", "[A-Za-z0-9]{10}"],
  ["ghp_", "[A-Za-z0-9]{16}"],
  ["gho_", "[A-Za-z0-9]{16}"],
  ["ghu_", "[A-Za-z0-9]{16}"],
  ["ghs_", "[A-Za-z0-9]{16}"],
  ["ghr_", "[A-Za-z0-9]{16}"],
  ["github_pat_", String.raw`\w{16}`],
  ["glpat-", String.raw`[\w-]{16}`],
  ["xoxa-", "[A-Za-z0-9-]{10}"],
  ["xoxb-", "[A-Za-z0-9-]{10}"],
  ["xoxe-", "[A-Za-z0-9-]{10}"],
  ["xoxe.", "[A-Za-z0-9-]{10}"],
  ["xoxo-", "[A-Za-z0-9-]{10}"],
  ["xoxp-", "[A-Za-z0-9-]{10}"],
  ["xoxr-", "[A-Za-z0-9-]{10}"],
  ["xoxs-", "[A-Za-z0-9-]{10}"],
  ["xapp-", "[A-Za-z0-9-]{10}"],
  ["AKIA", "[A-Z0-9]{16}"],
  ["ASIA", "[A-Z0-9]{16}"],
  ["AIza", String.raw`[\w-]{30}`],
  ["hf_", "[A-Za-z0-9]{20}"],
  ["gsk_", "[A-Za-z0-9]{20}"],
  ["npm_", "[A-Za-z0-9]{20}"],
  ["nvapi-", String.raw`[\w-]{20}`],
  ["xai-", "[A-Za-z0-9]{20}"],
  ["pplx-", "[A-Za-z0-9]{20}"],
  ["csk-", "[A-Za-z0-9]{20}"],
  ["gsk-", "[A-Za-z0-9]{20}"],
];
const KEY_CHARS = 64;

/** Headers of JSON web tokens as Base64: they begin with `alg`, `typ` or `kid`. */
const WEB_TOKENS = ["eyJhbGciOi", "eyJ0eXAiOi", "eyJraWQiOi"];

const TOKEN = String.raw`[\w.~+/=-]`;
/** In prose the word after "bearer" is just a word. */
const BEARER = String.raw`(?:(?=${TOKEN}{16})[A-Za-z._~+/=-]{0,40}\d|[A-Za-z]{24})`;

const USER = "[^\\s/@:\"'`<>]{0,64}";
/** Not `${PASSWORD}`, `<password>` and the like. */
const PASSWORD = "(?![$%{<*[])[^\\s/@\"'`<>]{1,128}";
const HALF_PASSWORD = "[^\\s/@\"'`<>]{0,128}";

const PEM_KIND = "[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?";
/** Also lines with a number, a diff's mark or a file's name before them, and line ends as JSON writes them. */
const PEM_BODY = String.raw`[\w+/=\s\\:,.()>|-]`;
const PEM_SURE = String.raw`(?=[\s\\nr>|+\d:-]{0,24}(?:[A-Za-z0-9+/=]{16}|Proc-Type:|Version:|Comment:))`;
const PEM_END = String.raw`-----END ${PEM_KIND}-----`;

export const SECRET_SHAPES: readonly SecretShape[] = [
  {
    start: new RegExp(KEYS.map(keyPattern).join("|"), "g"),
    rest: /[\w-]*/y,
    partial: new RegExp(
      `${WORD_START}(?:${KEYS.map(([prefix]) => `${beginOf(prefix)}$|${literal(prefix)}[\\w-]{0,${KEY_CHARS}}$`).join("|")})`,
    ),
  },
  {
    start: new RegExp(
      WEB_TOKENS.map((token) => keyPattern([token, String.raw`[\w-]{10}`])).join("|"),
      "g",
    ),
    rest: /[\w.-]*/y,
    partial: new RegExp(
      String.raw`${WORD_START}(?:${WEB_TOKENS.map((token) => `${beginOf(token)}$|${token}[\\w-]{0,10}$`).join("|")})`,
    ),
  },
  {
    start: new RegExp(String.raw`(\bbearer[ \t]{1,4})${BEARER}`, "gi"),
    rest: new RegExp(`${TOKEN}*`, "y"),
    partial: new RegExp(
      String.raw`\b(?:${beginOf("bearer")}$|bearer[ \t]{0,4}${TOKEN}{0,48}$)`,
      "i",
    ),
  },
  {
    start: new RegExp(
      String.raw`(authorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:bearer|basic|token)\s{1,4})${TOKEN}{6}`,
      "gi",
    ),
    rest: new RegExp(`${TOKEN}*`, "y"),
    partial: new RegExp(
      String.raw`(?:${beginOf("authorization")}$|authorization\\?["']?\s{0,4}(?:[:=]\s{0,4}\\?["']?(?:[a-z]{0,6}|(?:bearer|basic|token)\s{1,4}${TOKEN}{0,6}))?$)`,
      "i",
    ),
  },
  {
    start: new RegExp(`(://${USER}:)${PASSWORD}(?=@)`, "g"),
    rest: /()/y,
    partial: new RegExp(`:(?:/(?:/${USER}(?::${HALF_PASSWORD})?)?)?$`),
  },
  {
    start: new RegExp(`-----BEGIN ${PEM_KIND}-----${PEM_SURE}`, "g"),
    rest: new RegExp(`(?:(?!-----END )${PEM_BODY})*(${PEM_END})?`, "y"),
    partial: new RegExp(
      `${beginOf("-----BEGIN ")}$|${beginOf("-----END ")}$|-----END [A-Z0-9 ]{0,60}-{0,4}$|` +
        `-----BEGIN [A-Z0-9 ]{0,60}(?:-{1,5}${PEM_BODY}{0,48})?$`,
    ),
  },
];

/** Looks to the left after the prefix: a search that begins with a fixed text is ten times as fast. */
function keyPattern([prefix, following]: readonly [string, string]): string {
  return `${literal(prefix)}(?<=${WORD_START}${literal(prefix)})${following}`;
}

/** Any non-empty beginning of a text. */
function beginOf(text: string): string {
  const [first = "", ...others] = text;
  return literal(first) + others.reduceRight((inner, char) => `(?:${literal(char)}${inner})?`, "");
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);
}
