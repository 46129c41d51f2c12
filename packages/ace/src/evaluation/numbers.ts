/** Currency and percent signs that say what a number counts, not how much. */
const UNIT_SIGNS = /[$€£¥%]/gu;
const PLAIN = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i;
/** Thousands groups by comma or space, the Indian grouping included. */
const GROUPED = /^[-+]?\d{1,3}(?:([, ])\d{2,3})*(?:[, ]\d{3})(?:\.\d*)?$/;
const NUMBER_IN_TEXT =
  /(?<![\p{L}\p{N}.,])[-−+]?[$€£¥]?\p{Nd}[\p{Nd},]*(?:\.\p{Nd}+)?(?:e[-+]?\p{Nd}+)?(?![\p{L}\p{N}])/giu;

export interface ParsedNumber {
  readonly value: number;
  /** One unit of the last digit written: 0.01 for "3.10", 1 for "12". */
  readonly unit: number;
}

/**
 * Reads a text that is one number: `,` between groups, `$`, `%` and spaces dropped. "1,2,3" and "3 4" are lists, not numbers.
 * `undefined` for anything else.
 */
export function parseNumber(text: string): ParsedNumber | undefined {
  const bare = text
    .normalize("NFKC")
    .replaceAll("−", "-")
    .replace(UNIT_SIGNS, " ")
    .trim()
    .replace(/^([-+])\s+/, "$1");
  if (!PLAIN.test(bare) && !GROUPED.test(bare)) return undefined;
  const digits = bare.replace(/[, ]/g, "");
  const value = Number(digits);
  if (!Number.isFinite(value)) return undefined;
  const [mantissa = "", exponent = "0"] = digits.toLowerCase().split("e");
  const decimals = mantissa.split(".")[1]?.length ?? 0;
  return { value, unit: 10 ** (Number(exponent) - decimals) };
}

/** The only number in a sentence; `undefined` if it holds none or different ones. */
export function onlyNumberIn(text: string): ParsedNumber | undefined {
  const found = [...text.matchAll(NUMBER_IN_TEXT)]
    .map(([match]) => parseNumber(match.replace(/,+$/, "")))
    .filter((number) => number !== undefined);
  const [first] = found;
  return found.every((number) => number.value === first?.value) ? first : undefined;
}

/** Whether two numbers differ by at most `tolerance`; a hair more is allowed, because 0.3 - 0.2 is not 0.1 in binary. */
export function isClose(value: number, truth: number, tolerance: number): boolean {
  const hair = 1e-9 * Math.max(1, Math.abs(truth), Math.abs(value)) * Math.min(1, tolerance || 1);
  return Math.abs(value - truth) <= tolerance + hair;
}
