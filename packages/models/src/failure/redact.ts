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
 * A request header with its value, as services show what they got: a line, JSON, Python or a pair in a list. Names that
 * are also words of prose (`host`, `accept`) are not among them.
 */
const HEADER =
  /(?<![\w-])((?:x-[a-z][a-z0-9-]*|(?:proxy-)?authorization|(?:set-)?cookie|api-key|openai-(?:organization|project|beta|version)|anthropic-[a-z]+|user-agent|traceparent|idempotency-key|amz-sdk-[a-z-]+|accept-[a-z]+|content-(?:type|length|encoding))(?:\\?["']\s{0,8},|\\?["']?\s{0,8}(?::|=>|=))\s{0,8})(?:\[?\s{0,8}\\?"[^"]*|\[?\s{0,8}'[^']*|[^\s][^\r\n,;"'}]*)/gi;

/** From two headers on it is a list of them, in which the others are not worth telling apart. */
function withoutHeaders(text: string): string {
  const [first, second] = text.matchAll(HEADER);
  if (first === undefined) return text;
  if (second !== undefined) return `${text.slice(0, first.index)}${HIDDEN}`;
  return text.replace(HEADER, `$1${HIDDEN}`);
}

/**
 * A text of a service made fit for messages: keys, tokens, URL credentials and request headers hidden, one line, bounded.
 * @param secrets texts known to be secret; hidden wherever they occur, also in their percent-encoded form
 */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length < MIN_SECRET_CHARS) continue;
    clean = clean.replaceAll(secret, HIDDEN).replaceAll(encodeURIComponent(secret), HIDDEN);
  }
  for (const [pattern, replacement] of PATTERNS) clean = clean.replace(pattern, replacement);
  clean = withoutHeaders(clean);
  const line = clean.replace(/[\p{C}\s]+/gu, " ").trim();
  return line.length <= MAX_CHARS ? line : `${line.slice(0, MAX_CHARS)}…`;
}
