const RULES: readonly (readonly [RegExp, string])[] = [
  // Credentials within a URL: scheme://user:secret@host.
  [/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, "$1***@"],
  // Headers and assignments: "Authorization: Bearer x", api_key=x, "x-api-key": "x".
  [/\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi, "$1 ***"],
  [
    /\b([\w-]*(?:api[_-]?key|token|secret|password|authorization))(["']?\s*[:=]\s*["']?)(?!\s*(?:bearer|basic)\b)[^\s"',;&]+/gi,
    "$1$2***",
  ],
  // Within a query: ?key=x, &X-Amz-Signature=x.
  [/([?&](?:key|sig|signature|x-amz-[a-z-]+)=)[^\s"'&]+/gi, "$1***"],
  // Keys that give themselves away by their shape, also when a provider prints them with a masked middle. Without the
  // separator "skillbooks" would be one.
  [/\b(?:sk|pk|rk|gsk|xai|csk|hf|nvapi|pplx|tgp|fw|r8|ghp|gho|github_pat)[-_][\w*.-]{8,}/g, "***"],
  [/\b(?:AIza|AKIA|ASIA)[\w*.-]{8,}/g, "***"],
  // JSON web tokens.
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, "***"],
];

/** Removes what looks like a key, token or password from a text that came from elsewhere. */
export function redact(text: string): string {
  return RULES.reduce(
    (result, [pattern, replacement]) => result.replace(pattern, replacement),
    text,
  );
}
