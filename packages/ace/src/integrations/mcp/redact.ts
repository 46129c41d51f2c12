const RULES: readonly (readonly [RegExp, string])[] = [
  // Credentials within a URL: scheme://user:secret@host.
  [/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, "$1***@"],
  // Headers and assignments: "Authorization: Bearer x", api_key=x, "x-api-key": "x".
  [/\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi, "$1 ***"],
  [
    /\b([\w-]*(?:api[_-]?key|token|secret|password|authorization))(["']?\s*[:=]\s*["']?)(?!\s*(?:bearer|basic)\b)[^\s"',;&]+/gi,
    "$1$2***",
  ],
  // Keys that give themselves away by their shape, also when a provider prints them with a masked middle.
  [/\b(?:sk|pk|rk|gsk|xai|ghp|gho|github_pat|AIza|AKIA|ASIA)[-_]?[\w*.-]{8,}/g, "***"],
];

/** Removes what looks like a key, token or password from a text that came from elsewhere. */
export function redact(text: string): string {
  return RULES.reduce(
    (result, [pattern, replacement]) => result.replace(pattern, replacement),
    text,
  );
}
