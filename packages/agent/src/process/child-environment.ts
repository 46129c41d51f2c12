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
 * Settings of git that go before those of a repository. A folder whose files a model wrote can look like a bare repository, and its
 * configuration would name programs that a mere `git status` in it runs.
 */
const GIT_SETTINGS = [
  ["safe.bareRepository", "explicit"],
  ["core.fsmonitor", "false"],
] as const;

/**
 * The whole environment of a child: names of the allow list and those of `pass` as `environment` has them, settings of git behind
 * those that are passed, and `ACUMEN_AGENT=1`, which nothing replaces.
 * @param pass exact names beside the safe ones
 */
export function childEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  pass: readonly string[] = [],
): Record<string, string> {
  const passed = new Set(pass);
  const allowed = ([name, value]: readonly [string, string | undefined]): boolean =>
    value !== undefined && (isSafe(name) || passed.has(name));
  const child = Object.fromEntries(Object.entries(environment).filter(allowed)) as Record<
    string,
    string
  >;
  return { ...child, ...gitSettings(child["GIT_CONFIG_COUNT"]), ACUMEN_AGENT: "1" };
}

/** @param count how many settings are there already */
function gitSettings(count = "0"): Record<string, string> {
  const first = /^\d{1,4}$/u.test(count) ? Number(count) : 0;
  const settings = GIT_SETTINGS.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return {
    ...Object.fromEntries(settings),
    GIT_CONFIG_COUNT: String(first + GIT_SETTINGS.length),
  };
}

/** Proxy variables are written in either case. */
function isSafe(name: string): boolean {
  const proxy = /^[a-z]+_proxy$/.test(name) ? name.toUpperCase() : name;
  return SAFE_NAMES.has(proxy) || name.startsWith(SAFE_PREFIX);
}
