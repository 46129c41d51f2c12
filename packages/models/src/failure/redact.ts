const HIDDEN = "[hidden]";
const MAX_CHARS = 300;
/** Shorter texts occur in prose by chance. */
const MIN_SECRET_CHARS = 4;

/** Forms of keys as services repeat them, also in part or masked. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@/gi, `$1${HIDDEN}@`],
  [/\b(?:Bearer|Basic)\s+[^\s"',;]+/gi, HIDDEN],
  [
    /([?&](?:key|api[-_]?key|token|access_token|signature|x-amz-[a-z-]+)=)[^&\s"']+/gi,
    `$1${HIDDEN}`,
  ],
  [/\S*\*{3,}\S*/g, HIDDEN],
  [
    /\b(?:sk|pk|rk|gsk|xai|csk|nvapi|hf|pplx|fw|r8|key|tgp|sk-ant|sk-or)[-_][A-Za-z0-9_-]{8,}/g,
    HIDDEN,
  ],
  [/\bAIza[\w-]{10,}/g, HIDDEN],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{8,}/g, HIDDEN],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, HIDDEN],
];

/**
 * A text of a service made fit for messages: keys, tokens and URL credentials hidden, one line, bounded.
 * @param secrets texts known to be secret; hidden wherever they occur, also in their percent-encoded form
 */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length < MIN_SECRET_CHARS) continue;
    clean = clean.replaceAll(secret, HIDDEN).replaceAll(encodeURIComponent(secret), HIDDEN);
  }
  for (const [pattern, replacement] of PATTERNS) clean = clean.replace(pattern, replacement);
  const line = clean.replace(/[\p{C}\s]+/gu, " ").trim();
  return line.length <= MAX_CHARS ? line : `${line.slice(0, MAX_CHARS)}…`;
}
