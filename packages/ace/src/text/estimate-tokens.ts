/** Letters of an ASCII word that one token covers. English words of 6 letters or fewer are nearly always one token of their own. */
const LETTERS_PER_TOKEN = 6;
/** GPT-4 and later, Llama 3 and Claude cut digit runs into groups of at most three. */
const DIGITS_PER_TOKEN = 3;
const LETTERS = 1;
const DIGITS = 2;

/**
 * Tokens that a text takes, estimated without a tokenizer so that it works offline and for any model: an ASCII word costs one token per
 * 6 letters begun, a number one per 3 digits begun, a punctuation mark, line feed or TAB 1, a space nothing (it joins the next word),
 * any character beyond ASCII 1, beyond the basic plane (emoji) 2. It leans high: over English prose about a tenth above the count of
 * current tokenizers. Adding text never lowers it, and it is additive over lines.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let kind = 0;
  let run = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const next = runKind(code);
    if (next !== 0) {
      run = next === kind ? run + 1 : 1;
      if ((run - 1) % (next === LETTERS ? LETTERS_PER_TOKEN : DIGITS_PER_TOKEN) === 0) tokens++;
    } else if (code !== 0x20) {
      // Each half of a surrogate pair counts 1, so an emoji counts 2.
      tokens++;
    }
    kind = next;
  }
  return tokens;
}

function runKind(code: number): number {
  if (code >= 0x30 && code <= 0x39) return DIGITS;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a ? LETTERS : 0;
}
