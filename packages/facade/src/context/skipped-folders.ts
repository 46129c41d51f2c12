/** Code of others, and what programs make of it. */
const VENDOR = new Set([
  "node_modules",
  "bower_components",
  "jspm_packages",
  "vendor",
  "third_party",
  "pods",
  "site-packages",
  "__pycache__",
  "venv",
  ".venv",
  ".tox",
  ".yarn",
  ".gradle",
]);
/** Of programs that keep their own records there, ours included. */
const RECORDS = new Set([".git", ".hg", ".svn", ".jj", ".acumen"]);

/** The outermost folder of a path (relative, with `/`) that no context looks into; undefined: there is none. */
export function skippedFolder(path: string): string | undefined {
  const names = path.split("/");
  const index = names.findIndex(
    (name) => VENDOR.has(name.toLowerCase()) || RECORDS.has(name.toLowerCase()),
  );
  return index === -1 ? undefined : names.slice(0, index + 1).join("/");
}

/** Whether a path leads into records that a context never shows, not even when somebody pins them. */
export function isRecord(path: string): boolean {
  return path.split("/").some((name) => RECORDS.has(name.toLowerCase()));
}
