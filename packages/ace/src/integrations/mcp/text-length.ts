const HIGH_SURROGATE = /[\uD800-\uDBFF][\uDC00-\uDFFF]/g;

/** Characters as JSON Schema and Python count them: code points, so an emoji is one and not two. */
export function charCount(text: string): number {
  // Most long texts hold no pair at all, and the scan for them is far cheaper than iterating.
  return text.length - (text.match(HIGH_SURROGATE)?.length ?? 0);
}
