import { createHash } from "node:crypto";
import { posix } from "node:path";
import { parseChanges, type RawChange } from "../git/changed-paths.ts";
import { isOddName, namesIn, pathsText, shownName } from "../git/path-text.ts";
import type { Change, ChangeStats } from "./change.ts";
import type { PlanRepository } from "./plan-repository.ts";
import type { DiffOptions, SandboxDiff } from "./sandboxes.ts";

const MAX_CHANGES = 5_000;
/** Linux takes 2 MiB of arguments and variables, with a pointer to each. */
const MAX_ARGUMENT_BYTES = 1024 * 1024;
const POINTER_SIZE = 9;
const PATCH_BYTES = { patch: 256 * 1024, full: 8 * 1024 * 1024 } as const;
const CONTEXT_LINES = 3;
const LINK = "120000";
const SUBMODULE = "160000";
/** Larger files are no pointers. */
const POINTER_BYTES = 1024;
const POINTER = "version https://git-lfs.github.com/spec/";
/** Notes of changes that are never applied. */
export const LEAVING_LINK = "link that leaves the project";
export const ODD_NAME = "name that is not UTF-8";
const DIFF = [
  "diff-tree",
  "-r",
  "-z",
  "-M",
  "-l5000",
  "--no-ext-diff",
  "--no-textconv",
  "--ignore-submodules=none",
];

interface DiffPlace {
  readonly base: string;
  readonly head: string;
  /** What is compared with the base; absent: the files of the head. */
  readonly tree?: string;
}

export async function readDiff(
  repository: PlanRepository,
  { base, head, tree }: DiffPlace,
  options: DiffOptions,
): Promise<SandboxDiff> {
  const place = { base, head: tree ?? head };
  const all = await readChanges(repository, place, options.signal);
  const digest = digestOf(base, tree ?? (await repository.treeOf(head)));
  const { paths } = options;
  const wanted = paths === undefined ? all : all.filter((change) => isAmong(change, paths));
  const shown = options.pick?.({ digest, changes: wanted }) ?? wanted.slice(0, MAX_CHANGES);
  const patch =
    options.format === "summary"
      ? undefined
      : await readPatch(repository, place, options, shown.length < all.length ? shown : undefined);
  return {
    base_commit: base,
    head_commit: head,
    digest,
    changes: shown,
    stats: statsOf(all),
    ...(patch !== undefined && { patch: patch.text }),
    // Whoever picks knows what was left.
    truncated:
      (options.pick === undefined && shown.length < wanted.length) || patch?.truncated === true,
  };
}

/** What a review is about: the same base and the same files give the same digest. */
export function digestOf(base: string, tree: string): string {
  return createHash("sha256").update(`${base}\n${tree}\n`).digest("hex");
}

export async function readChanges(
  repository: PlanRepository,
  { base, head }: { readonly base: string; readonly head: string },
  signal?: AbortSignal,
): Promise<readonly Change[]> {
  const { stdout } = await repository.run(
    [...DIFF, "--raw", "--numstat", "--no-abbrev", base, head],
    {
      ...(signal !== undefined && { signal }),
    },
  );
  const raws = parseChanges(pathsText(stdout));
  const contents = await smallContents(repository, raws);
  return raws.map(({ oldObject, newObject, ...change }) => {
    const texts = [oldObject, newObject].flatMap((id) => contents.get(id ?? "") ?? []);
    return {
      ...change,
      path: shownName(change.path),
      old_path: change.old_path === null ? null : shownName(change.old_path),
      note: noteOf(change, contents.get(newObject ?? ""), texts),
    };
  });
}

export function statsOf(changes: readonly Change[]): ChangeStats {
  const sum = (count: (change: Change) => number | null): number =>
    changes.reduce((total, change) => total + (count(change) ?? 0), 0);
  return {
    files: changes.length,
    insertions: sum(({ insertions }) => insertions),
    deletions: sum(({ deletions }) => deletions),
  };
}

/** Whether a link at this path leads out of the folder that it is in. */
function leavesRoot(path: string, target: string): boolean {
  if (posix.isAbsolute(target)) return true;
  const place = posix.join(posix.dirname(path), target);
  return place === ".." || place.startsWith("../") || isGitPath(place);
}

function isGitPath(path: string): boolean {
  return path.split("/").some((name) => name.toLowerCase() === ".git");
}

function noteOf(
  { path, old_path, old_mode, new_mode }: Change,
  content: string | undefined,
  texts: readonly string[],
): string | null {
  if (isOddName(path) || isOddName(old_path ?? "")) return ODD_NAME;
  if (old_mode === SUBMODULE || new_mode === SUBMODULE) return "submodule";
  if (new_mode === LINK && content !== undefined && leavesRoot(path, content)) return LEAVING_LINK;
  if (texts.some((text) => text.startsWith(POINTER))) return "pointer of Git LFS, not its content";
  return null;
}

/** Contents of links, and of files small enough to be a pointer, by object id. */
async function smallContents(
  repository: PlanRepository,
  raws: readonly RawChange[],
): Promise<ReadonlyMap<string, string>> {
  const ids = raws.flatMap(({ oldObject, newObject, old_mode, new_mode }) => [
    ...(oldObject !== null && old_mode !== SUBMODULE ? [oldObject] : []),
    ...(newObject !== null && new_mode !== SUBMODULE ? [newObject] : []),
  ]);
  if (ids.length === 0) return new Map();
  const checked = await repository.text(["cat-file", "--batch-check"], { input: lines(ids) });
  const small = checked.split("\n").flatMap((line) => {
    const [id = "", type, size] = line.split(" ");
    return type === "blob" && Number(size) <= POINTER_BYTES ? [id] : [];
  });
  return small.length === 0 ? new Map() : readBlobs(repository, small);
}

/** Whole contents; only for ids of blobs that are known to be small. */
export async function readBlobs(
  repository: PlanRepository,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await repository.run(["cat-file", "--batch"], { input: lines(ids) });
  const contents = new Map<string, string>();
  for (let at = 0; at < stdout.length;) {
    const end = stdout.indexOf(0x0a, at);
    const [id = "", , size = "0"] = stdout.toString("latin1", at, end).split(" ");
    const from = end + 1;
    contents.set(id, stdout.toString("utf8", from, from + Number(size)));
    at = from + Number(size) + 1;
  }
  return contents;
}

function lines(items: readonly string[]): string {
  return items.map((item) => `${item}\n`).join("");
}

function isAmong({ path, old_path }: Change, wanted: readonly string[]): boolean {
  return wanted.some((one) => {
    const folder = one.replace(/\/+$/, "");
    return [path, old_path ?? path].some(
      (name) => name === folder || folder === "." || name.startsWith(`${folder}/`),
    );
  });
}

async function readPatch(
  repository: PlanRepository,
  { base, head }: { readonly base: string; readonly head: string },
  { format, contextLines = CONTEXT_LINES, signal }: DiffOptions,
  only: readonly Change[] | undefined,
): Promise<{ readonly text: string; readonly truncated: boolean }> {
  const whole = format === "full";
  if (only?.length === 0) return { text: "", truncated: false };
  const { names, isCut } = namesOf(only ?? []);
  const args = [
    ...DIFF.filter((option) => option !== "-z"),
    "-p",
    "--no-color",
    "--no-commit-id",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    `-U${contextLines}`,
    ...(whole ? ["--binary", "--full-index"] : []),
    base,
    head,
    ...(only === undefined ? [] : ["--", ...names]),
  ];
  const maxBytes = PATCH_BYTES[whole ? "full" : "patch"];
  const { stdout, truncated } = await repository.run(args, { maxBytes, signal });
  const end = truncated ? stdout.lastIndexOf(0x0a) + 1 : stdout.length;
  return { text: stdout.toString("utf8", 0, end), truncated: truncated || isCut };
}

/** As many as a program can be given. */
function namesOf(changes: readonly Change[]): {
  readonly names: readonly string[];
  readonly isCut: boolean;
} {
  const names: string[] = [];
  let bytes = 0;
  for (const { path, old_path } of changes) {
    // Both names of a rename, or it would look like an addition.
    const both = old_path === null ? [path] : [old_path, path];
    bytes += both.reduce((sum, name) => sum + Buffer.byteLength(name) + POINTER_SIZE, 0);
    if (bytes > MAX_ARGUMENT_BYTES) return { names, isCut: true };
    names.push(...both);
  }
  return { names, isCut: false };
}

/**
 * Every path that differs between two commits; of a rename both.
 * @param filter git's letters for kinds of changes, such as `A`
 */
export async function pathsBetween(
  repository: PlanRepository,
  from: string,
  to: string,
  filter?: string,
): Promise<readonly string[]> {
  const kinds = filter === undefined ? [] : [`--diff-filter=${filter}`];
  const options = ["-r", "-z", "--no-renames", "--name-only", "--ignore-submodules=none"];
  const { stdout } = await repository.run(["diff-tree", ...options, ...kinds, from, to]);
  return namesIn(stdout);
}

export interface ObjectChange {
  readonly path: string;
  /** Null: there is no file. */
  readonly oldObject: string | null;
  readonly newObject: string | null;
  readonly newMode: string | null;
}

/** Which object stands at each path that differs; renames are a deletion and an addition. */
export async function objectChanges(
  repository: PlanRepository,
  from: string,
  to: string,
  signal?: AbortSignal,
): Promise<readonly ObjectChange[]> {
  const options = ["-r", "-z", "--no-renames", "--raw", "--no-abbrev", "--ignore-submodules=none"];
  const call = signal === undefined ? {} : { signal };
  const { stdout } = await repository.run(["diff-tree", ...options, from, to], call);
  return parseChanges(pathsText(stdout)).map(
    ({ path, oldObject, newObject, new_mode: newMode }) => ({
      path,
      oldObject,
      newObject,
      newMode,
    }),
  );
}
