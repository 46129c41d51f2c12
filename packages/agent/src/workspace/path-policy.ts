import { relative, sep } from "node:path";

/** What a file system that ignores letter case could take for the same name; format characters and width forms are folded too. */
function foldName(name: string): string {
  return name
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .toLowerCase()
    .replace(/[. ]+$/, (tail) => (tail.length === name.length ? tail : ""));
}

/** Folded components of an absolute path; with a root only those below it. */
function componentsOf(path: string, root?: string): readonly string[] {
  const way = root === undefined ? path : relative(root, path);
  return way.split(sep).filter(Boolean).map(foldName);
}

const KEY_FOLDERS = new Set([".ssh", ".gnupg", ".aws"]);
const SAMPLE_ENDING = /\.(?:example|sample|template)$/;
const KEY_FILE =
  /^id_(?:rsa|dsa|ecdsa|ed25519|ecdsa_sk|ed25519_sk)$|^.*priv.*\.pem$|\.(?:key|ppk|p12|pfx|jks|keystore|kdbx)$/;

/**
 * The rule that keeps a file from being read, by its name alone; undefined: none does.
 * @param path absolute
 * @param root where the workspace begins: what `.env*` names above it does not count
 */
export function secretNameRule(path: string, root?: string): string | undefined {
  const whole = componentsOf(path);
  const folder = whole.find((name) => KEY_FOLDERS.has(name));
  if (folder !== undefined) return `${folder}/**`;
  const inside = root === undefined ? whole : componentsOf(path, root);
  if (inside.some((name) => name.startsWith(".env") && !SAMPLE_ENDING.test(name))) return ".env*";
  return KEY_FILE.test(whole.at(-1) ?? "") ? "private keys" : undefined;
}

/** How much of a file {@link secretContentRule} wants to see. */
export const SECRET_HEAD_BYTES = 65_536;
const KEY_CONTENT =
  /^(?:-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----[ \t]*\r?$|PuTTY-User-Key-File-\d|AGE-SECRET-KEY-1)/m;

/** The rule that keeps a file from being read because of its first bytes. */
export function secretContentRule(head: string): string | undefined {
  return KEY_CONTENT.test(head) ? "private keys" : undefined;
}

/** Writing there could change what git runs or believes. */
export function gitRule(path: string): string | undefined {
  return componentsOf(path).includes(".git") ? ".git/**" : undefined;
}

/** Names that, as a folder or file at any depth, grant rights or steer programs and the agent itself. */
const PROTECTED_FOLDERS = [".acumen", ".vscode", ".idea", ".husky"];
const PROTECTED_FILES = ["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".mcp.json"];
const FOLDED_FOLDERS = new Set(PROTECTED_FOLDERS);
const FOLDED_FILES = new Map(PROTECTED_FILES.map((name) => [foldName(name), name]));

/** Places of a root whose link targets count as protected as well. */
export const PROTECTED_PLACES = [...PROTECTED_FOLDERS, ...PROTECTED_FILES, ".github/workflows"];

/** With a file of this name a folder can become a repository, whose configuration names programs that git runs. */
const GIT_HEAD = "HEAD";

/** The rule by which a write must always be asked for, by name alone. */
export function protectedNameRule(path: string, root: string): string | undefined {
  const names = componentsOf(path, root);
  if (names.at(-1) === foldName(GIT_HEAD)) return GIT_HEAD;
  for (const [index, name] of names.entries()) {
    if (FOLDED_FOLDERS.has(name)) return `${name}/**`;
    const file = FOLDED_FILES.get(name);
    if (file !== undefined) return file;
    if (name === ".github" && (names[index + 1] ?? "workflows") === "workflows")
      return ".github/workflows/**";
  }
  return undefined;
}
