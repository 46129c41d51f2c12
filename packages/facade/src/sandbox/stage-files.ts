import { errnoOf } from "@acumen/core";
import { lstatSync, type Stats } from "node:fs";
import { BusinessRuleViolation } from "../errors/domain-error.ts";
import { namesIn, shownName, zeroFields } from "../git/path-text.ts";
import { setImmediate } from "node:timers/promises";
import type { PlanRepository } from "./plan-repository.ts";

interface StagedPlace {
  readonly work: string;
  readonly index: string;
}

const SLASH = 0x2f;
/** So many files are looked at before others have a turn. */
const YIELD = 500;

/** For a folder that somebody may write to meanwhile. */
interface MovingFolder {
  /** Of files that must be read. */
  readonly maxBytes: number;
}

/**
 * Brings an index of ours up to what stands in a folder, ignored files left out. Only plumbing that starts no other program, whatever
 * the folder holds: a repository within it gives its files, never its `.git`.
 * @param moving a file that vanishes is left out, and the size is bounded
 */
export async function stageFiles(
  repository: PlanRepository,
  place: StagedPlace,
  signal: AbortSignal | undefined,
  moving?: MovingFolder,
): Promise<void> {
  const call = {
    workTree: place.work,
    indexFile: place.index,
    ...(signal !== undefined && { signal }),
  };
  const list = async (...options: string[]): Promise<readonly Buffer[]> => {
    return zeroFields((await repository.run(["ls-files", "-z", ...options], call)).stdout);
  };
  const fresh = await list("--others", "--exclude-standard");
  const nested = fresh.filter(isFolder);
  const touched = [...fresh.filter((path) => !isFolder(path)), ...(await list("-m", "-d"))];
  for (const folder of nested)
    touched.push(...(await filesBelow(repository, place, folder, signal)));
  const links = new LinkedFolders(place.work);
  const gone: Buffer[] = [];
  const there: Buffer[] = [];
  let bytes = 0;
  for (const [at, path] of touched.entries()) {
    if (at % YIELD === 0) await setImmediate();
    const stats = links.isBehindLink(path) ? undefined : statsOf(place.work, path);
    if (stats === undefined || (!isStorable(stats) && !stats.isDirectory())) gone.push(path);
    // A folder here is a submodule: what stands in it is not part of this repository.
    else if (isStorable(stats)) {
      there.push(path);
      bytes += stats.size;
    } else if (!(await isSubmodule(repository, place, path))) gone.push(path);
  }
  if (moving !== undefined && bytes > moving.maxBytes) throw tooMuch(bytes, moving.maxBytes);
  const update = async (option: readonly string[], paths: readonly Buffer[]): Promise<void> => {
    if (paths.length === 0) return;
    const input = Buffer.concat(paths.flatMap((path) => [path, Buffer.from([0])]));
    await repository.run(["update-index", ...option, "-z", "--stdin"], { ...call, input });
  };
  await update(["--force-remove"], gone);
  await update(["--add", "--replace", ...(moving === undefined ? [] : ["--remove"])], there);
}

function tooMuch(bytes: number, most: number): BusinessRuleViolation {
  return new BusinessRuleViolation(
    `The attempt changed ${bytes} bytes so far; at most ${most} are shown while it runs. Wait until it is complete, or have large files ignored.`,
  );
}

/** The tree of what an index holds. */
export async function writeTree(repository: PlanRepository, place: StagedPlace): Promise<string> {
  return repository.text(["write-tree"], { workTree: place.work, indexFile: place.index });
}

/** The files of a repository that was made within the folder. */
async function filesBelow(
  repository: PlanRepository,
  place: StagedPlace,
  folder: Buffer,
  signal: AbortSignal | undefined,
): Promise<readonly Buffer[]> {
  const root = Buffer.concat([Buffer.from(`${place.work}/`), folder]);
  // A name that is no UTF-8 cannot be given to git as a folder.
  const text = root.toString("utf8");
  if (!Buffer.from(text).equals(root)) {
    const [name = ""] = namesIn(folder);
    throw new BusinessRuleViolation(
      `The folder ${shownName(name)} holds a git repository and has a name that is not UTF-8, so its files cannot be read. Rename it.`,
    );
  }
  const { stdout } = await repository.run(["ls-files", "-z", "--others", "--exclude-standard"], {
    workTree: text,
    indexFile: `${place.index}.none`,
    ...(signal !== undefined && { signal }),
  });
  const found: Buffer[] = [];
  for (const path of zeroFields(stdout)) {
    const whole = Buffer.concat([folder, path]);
    if (isFolder(path)) found.push(...(await filesBelow(repository, place, whole, signal)));
    else found.push(whole);
  }
  return found;
}

async function isSubmodule(
  repository: PlanRepository,
  { work, index }: StagedPlace,
  path: Buffer,
): Promise<boolean> {
  const args = ["ls-files", "-s", "-z", "--", path.toString("utf8")];
  const { stdout } = await repository.run(args, { workTree: work, indexFile: index });
  return stdout.toString("latin1").startsWith("160000 ");
}

/** Git calls a path that ends so a folder. */
function isFolder(path: Buffer): boolean {
  return path.at(-1) === SLASH;
}

function isStorable(stats: Stats): boolean {
  return stats.isFile() || stats.isSymbolicLink();
}

function statsOf(root: string, path: Buffer): Stats | undefined {
  try {
    return lstatSync(Buffer.concat([Buffer.from(`${root}/`), path]));
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errnoOf(error) ?? "")) return undefined;
    throw error;
  }
}

/** Folders that became links: what is seen through them lies elsewhere. */
class LinkedFolders {
  readonly #root: string;
  readonly #known = new Map<string, boolean>();

  constructor(root: string) {
    this.#root = root;
  }

  isBehindLink(path: Buffer): boolean {
    const end = path.lastIndexOf(SLASH);
    if (end === -1) return false;
    const folder = path.subarray(0, end);
    const key = folder.toString("latin1");
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const stats = statsOf(this.#root, folder);
    const linked = stats?.isDirectory() !== true || this.isBehindLink(folder);
    this.#known.set(key, linked);
    return linked;
  }
}
