import type { GitCommand } from "../git/git-command.ts";
import type { Project } from "../sandbox/sandboxes.ts";
import { UserRepository } from "../sandbox/user-repository.ts";
import type { ListedFiles } from "./listed-files.ts";
import { compare } from "./pack.ts";

/** Commits that are looked at for what was changed lately. */
const RECENT_COMMITS = 100;
const MAX_LOG_BYTES = 4 * 1024 * 1024;

/** Tracked and new files of a checkout, and when they were changed. @throws PlanError, ConfigurationError; the abort's error */
export async function gitFiles(
  git: GitCommand,
  project: Project,
  signal: AbortSignal,
): Promise<ListedFiles> {
  const repository = await UserRepository.open(git, project);
  const list = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { stdout } = await repository.run(["ls-files", "-z", ...args], { signal });
    return namesIn(stdout.toString("utf8"));
  };
  const [known, fresh, ignored, commits] = await Promise.all([
    list("--cached"),
    list("--others", "--modified", "--exclude-standard"),
    list("--others", "--ignored", "--exclude-standard", "--directory"),
    recentCommits(repository, signal),
  ]);
  const recency = new Map<string, number>();
  for (const [age, paths] of commits.entries()) {
    const value = 0.9 / (1 + age / 5);
    for (const path of paths) if (!recency.has(path)) recency.set(path, value);
  }
  for (const path of fresh) recency.set(path, 1);
  const paths = [...new Set([...known, ...fresh])].toSorted(compare);
  return { paths, ignored, recency, warnings: [] };
}

/** Paths of each commit, the newest first; none in a repository without commits. */
async function recentCommits(
  repository: UserRepository,
  signal: AbortSignal,
): Promise<readonly (readonly string[])[]> {
  const args = ["log", "-z", "--name-only", "--no-renames", "--format=%x01", "-n"];
  const call = { signal, answers: [0, 128], maxBytes: MAX_LOG_BYTES };
  const { stdout } = await repository.run([...args, String(RECENT_COMMITS), "HEAD", "--"], call);
  return stdout
    .toString("utf8")
    .split("\u0001")
    .slice(1)
    .map((commit) => namesIn(commit.replace(/^\0?\n?/, "")));
}

function namesIn(text: string): readonly string[] {
  return text.split("\0").filter((name) => name !== "");
}
