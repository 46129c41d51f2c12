/**
 * Everything that a reader can't see but a model can: controls except line feed and TAB, lone surrogates, and what Unicode calls
 * default-ignorable (bidi marks and overrides, zero-width and tag characters, soft hyphen, fillers). U+FE0F stays, because emoji
 * lose their colour without it and a run of equal selectors can hide nothing worth hiding.
 */
const UNSAFE = /(?![\n\t]|\u{FE0F})[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/gu;
/** Line ends that some renderers honour: kept as line feeds, so that checks by line see what the reader sees. */
const LINE_ENDS = /\r\n?|[\v\f\u0085\u2028\u2029]/g;

/** Most texts: nothing to do, and cheaper to see than to replace. */
const SAFE_ASCII = /^[\n\t -~]*$/;

/** Removes invisible and control characters; every kind of line end becomes a line feed. Idempotent. */
export function stripUnsafe(text: string): string {
  if (SAFE_ASCII.test(text)) return text;
  return text.replace(LINE_ENDS, "\n").replace(UNSAFE, "");
}
