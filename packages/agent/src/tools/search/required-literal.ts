/** Shorter ones are in most files anyway. */
const MIN_CHARS = 2;
const MAX_CHARS = 200;

/** Escapes of characters that mean themselves. */
const LITERAL_ESCAPE = /^\\[ -/:-@[-`{-~]$/;
/** One item of a pattern: an escape, a class, a group's bracket, a quantifier, or a character. */
const ITEM =
  /\\(?:u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pPk](?:\{[^}]*\}|<[^>]*>)|c[A-Za-z]|\d+|[^])|\[(?:\\[^]|[^\]\\])*\]|[*+?]\??|\{\d*,?\d*\}\??|[^]/gu;

/**
 * A text that every line holds which the regular expression matches; the longest one that a simple look can prove.
 * Undefined: none. Files without it need not be searched.
 * @param pattern a valid regular expression of JavaScript
 */
export function requiredLiteral(pattern: string): string | undefined {
  const runs: string[] = [];
  let run = "";
  let depth = 0;
  const end = (): void => {
    runs.push(run);
    run = "";
  };
  for (const item of pattern.match(ITEM) ?? []) {
    if (item === "(") {
      depth += 1;
      end();
    } else if (item === ")") {
      depth -= 1;
      run = "";
    } else if (depth > 0) {
      continue;
    } else if (item === "|") {
      return undefined;
    } else if (/^[*+?{]/.test(item)) {
      // What is before it may be absent.
      run = run.slice(0, -1);
      end();
    } else if (isLiteral(item)) {
      run += item.length === 1 ? item : item.slice(1);
    } else {
      end();
    }
  }
  end();
  const [longest = ""] = runs.toSorted((one, other) => other.length - one.length);
  return longest.length < MIN_CHARS ? undefined : longest.slice(0, MAX_CHARS);
}

/** ASCII alone: other characters have other bytes in other encodings. */
function isLiteral(item: string): boolean {
  return LITERAL_ESCAPE.test(item) || (/^[ -~]$/.test(item) && !/^[.^$[\]{}()|*+?\\]$/.test(item));
}
