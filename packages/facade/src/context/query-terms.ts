const MAX_TERMS = 32;
const MAX_QUERY_CHARS = 10_000;
/** Said in every question, so they tell no file from another. */
const COMMON = new Set(
  "the and for are was not you all how what does can with this that from into should would must have has will when where which there then than them they its use make add".split(
    " ",
  ),
);
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{2,}/gu;

/** Words of a question in lower case, names also in their parts, each once; what is written without spaces in pairs of characters. */
export function queryTerms(query: string): readonly string[] {
  const text = query.slice(0, MAX_QUERY_CHARS).normalize("NFC");
  const words = text.match(/[\p{L}\p{N}_]+/gu) ?? [];
  const parts = words.flatMap((word) => [
    word,
    ...(word.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}]+|\p{N}+/gu) ?? []),
  ]);
  const pairs = (text.match(UNSPACED) ?? []).flatMap((run) =>
    Array.from(run)
      .slice(0, -1)
      .map((char, index) => `${char}${Array.from(run)[index + 1] ?? ""}`),
  );
  const terms = new Set([...pairs, ...parts.map((part) => part.toLowerCase())]);
  return [...terms].filter(tells).slice(0, MAX_TERMS);
}

function tells(term: string): boolean {
  const isWide = /^[^\p{Script=Latin}\p{N}_]+$/u.test(term);
  return (term.length > 2 || (isWide && term.length > 1)) && !COMMON.has(term);
}
