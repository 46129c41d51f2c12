/**
 * The JSON value that a model's text holds: the whole text, a fenced block, or the first object or list in prose.
 * Undefined when there is none.
 */
export function jsonIn(text: string): unknown {
  for (const candidate of candidates(text)) {
    try {
      return JSON.parse(candidate) as unknown;
    } catch {
      // The next reading may fit.
    }
  }
  return undefined;
}

function* candidates(text: string): Generator<string> {
  const trimmed = text.trim().replace(/^\uFEFF/, "");
  if (trimmed === "") return;
  yield trimmed;
  for (const [, block] of trimmed.matchAll(/```(?:[a-zA-Z0-9]*)\s*\n([\s\S]*?)\n\s*```/g)) {
    if (block !== undefined) yield block;
  }
  const start = trimmed.search(/[[{]/);
  if (start === -1) return;
  const whole = balanced(trimmed, start);
  if (whole !== undefined) yield whole;
}

/** From an opening bracket to the one that closes it, strings jumped over. */
function balanced(text: string, start: number): string | undefined {
  let depth = 0;
  let inString = false;
  for (let index = start; index < text.length; index += 1) {
    const char = text[index];
    if (inString) {
      if (char === "\\") index += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") {
      depth -= 1;
      if (depth === 0) return text.slice(start, index + 1);
    }
  }
  return undefined;
}
