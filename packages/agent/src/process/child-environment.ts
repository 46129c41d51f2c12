/** What commands need to run as the user's own would; no name here carries a key. */
const SAFE_NAMES = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "TERM",
  "TMPDIR",
  "TZ",
  "CI",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "FTP_PROXY",
]);
const SAFE_PREFIX = "LC_";

/**
 * The whole environment of a child: names of the allow list and those of `pass` as `environment` has them, and
 * `ACUMEN_AGENT=1`, which nothing replaces.
 * @param pass exact names beside the safe ones
 */
export function childEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  pass: readonly string[] = [],
): Record<string, string> {
  const passed = new Set(pass);
  const allowed = ([name, value]: readonly [string, string | undefined]): boolean =>
    value !== undefined && (isSafe(name) || passed.has(name));
  const child = Object.fromEntries(Object.entries(environment).filter(allowed));
  return { ...(child as Record<string, string>), ACUMEN_AGENT: "1" };
}

/** Proxy variables are written in either case. */
function isSafe(name: string): boolean {
  const proxy = /^[a-z]+_proxy$/.test(name) ? name.toUpperCase() : name;
  return SAFE_NAMES.has(proxy) || name.startsWith(SAFE_PREFIX);
}
