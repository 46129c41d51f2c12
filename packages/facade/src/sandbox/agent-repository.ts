import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import type { GitCommand } from "../git/git-command.ts";
import { copyIndex } from "./copy-index.ts";
import { initRepository, type Lender } from "./plan-repository.ts";

const CONFIG = `[user]
	name = Acumen
	email = acumen@localhost
[gc]
	auto = 0
[maintenance]
	auto = false
`;

/**
 * The `.git` of a work tree, for whoever works there: status, diff, log and commits work as usual. Nothing of ours ever reads it
 * again, whatever becomes of it.
 */
export async function makeAgentRepository(
  git: GitCommand,
  place: {
    readonly work: string;
    readonly index: string;
    readonly lender: Lender;
    readonly branch: string;
    readonly base: string;
  },
): Promise<void> {
  const gitDir = join(place.work, ".git");
  await initRepository(git, { gitDir, lender: place.lender, bare: false });
  const call = { gitDir, own: true, workTree: place.work };
  await git.run(["update-ref", `refs/heads/${place.branch}`, place.base], call);
  await git.run(["symbolic-ref", "HEAD", `refs/heads/${place.branch}`], call);
  await appendFile(join(gitDir, "config"), CONFIG);
  await copyIndex(place.index, join(gitDir, "index"));
}
