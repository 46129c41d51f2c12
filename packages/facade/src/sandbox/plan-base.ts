import { BusinessRuleViolation } from "../errors/domain-error.ts";
import { namesIn, shownName } from "../git/path-text.ts";
import { readBlobs } from "./read-diff.ts";
import type { PlanRepository } from "./plan-repository.ts";
import type { UserRepository } from "./user-repository.ts";
import { dirtyFiles } from "./dirty-files.ts";

const SHOWN = 5;

/** @throws BusinessRuleViolation when no plan can start from what is checked out */
export async function startOf(
  user: UserRepository,
): Promise<{ readonly commit: string; readonly ref: string }> {
  const ref = await user.branch();
  if (ref === undefined) {
    throw new BusinessRuleViolation(
      `${user.path} has a detached HEAD, so a plan has no branch to be merged into. Check out a branch there.`,
    );
  }
  const commit = await user.headOf(ref);
  if (commit === undefined) {
    throw new BusinessRuleViolation(
      `${user.path} has no commit yet on ${ref}; a plan has nothing to start from. Make a first commit.`,
    );
  }
  return { commit, ref };
}

/** @throws BusinessRuleViolation when a clone does not have all files of a commit, which nothing of ours fetches */
export async function checkComplete(
  user: UserRepository,
  repository: PlanRepository,
  commit: string,
): Promise<void> {
  if (!(await user.isPartial())) return;
  const args = ["rev-list", "--objects", "--no-walk", "--missing=print", commit];
  const missing = (await repository.text(args)).split("\n").filter((line) => line.startsWith("?"));
  if (missing.length === 0) return;
  throw new BusinessRuleViolation(
    `${user.path} is a partial clone that lacks ${missing.length} objects of ${commit}, and a plan fetches nothing. Run \`git fetch --refetch --no-filter\` there, or serve a full clone.`,
  );
}

/** What a plan will not see, in clear words. */
export async function baseWarnings(
  user: UserRepository,
  repository: PlanRepository,
  commit: string,
  scratchIndex: string,
): Promise<readonly string[]> {
  const { stdout } = await repository.run(["ls-tree", "-r", "-z", "--end-of-options", commit]);
  const entries = namesIn(stdout);
  const submodules = entries.filter((line) => line.startsWith("160000 ")).map(pathOf);
  const attributes = entries.filter((line) => /(?:^|\/)\.gitattributes$/.test(pathOf(line)));
  const filters = await filtersIn(repository, attributes.map(objectOf));
  const dirty = await dirtyFiles(user, repository, scratchIndex);
  return [
    ...(submodules.length === 0
      ? []
      : [`Submodules are not part of a plan; their folders are empty in it: ${some(submodules)}.`]),
    ...(filters.has("lfs")
      ? ["Files of Git LFS are pointers in a plan: their content is neither fetched nor stored."]
      : []),
    ...[...filters]
      .filter((name) => name !== "lfs")
      .map(
        (name) => `The filter ${JSON.stringify(name)} of .gitattributes does not run in a plan.`,
      ),
    ...(dirty.length === 0
      ? []
      : [`Uncommitted changes are not part of the plan: ${some(dirty)}.`]),
  ];
}

function pathOf(line: string): string {
  return line.slice(line.indexOf("\t") + 1);
}

function objectOf(line: string): string {
  return line.split("\t", 1)[0]?.split(" ")[2] ?? "";
}

async function filtersIn(
  repository: PlanRepository,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const contents = [...(await readBlobs(repository, ids)).values()];
  const names = contents.flatMap((content) =>
    [...content.matchAll(/^[^#\n]*\sfilter=(\S+)/gm)].map(([, name = ""]) => name.slice(0, 60)),
  );
  return new Set(names);
}

function some(paths: readonly string[]): string {
  const shown = paths.slice(0, SHOWN).map((path) => shownName(path).replace(/\p{C}/gu, "\ufffd"));
  const more = paths.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}
