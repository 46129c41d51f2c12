import { lstat, readdir, readFile, realpath, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { BusinessRuleViolation } from "../errors/domain-error.ts";
import type { GitCall, GitCommand, GitResult } from "../git/git-command.ts";
import type { GitSetting } from "../git/git-settings.ts";
import type { Lender } from "./plan-repository.ts";
import type { Project } from "./sandboxes.ts";

type Call = Omit<GitCall, "gitDir" | "own">;

export interface CheckedOut {
  readonly path: string;
  readonly gitDir: string;
}

/** The user's repository: read with care, and changed in two ways only: refs of ours, and the target branch. */
export class UserRepository {
  /** Absolute path of the project. */
  readonly path: string;
  readonly gitDir: string;
  /** The same for all work trees of a repository. */
  readonly commonDir: string;
  readonly #git: GitCommand;

  private constructor(git: GitCommand, path: string, gitDir: string, commonDir: string) {
    this.#git = git;
    this.path = path;
    this.gitDir = gitDir;
    this.commonDir = commonDir;
  }

  /** @throws BusinessRuleViolation when it is no checkout, or a bare one */
  static async open(git: GitCommand, project: Project): Promise<UserRepository> {
    const { path } = project;
    const own = join(path, ".git");
    if (!(await isThere(own))) {
      const isBare = await isThere(join(path, "HEAD"));
      throw new BusinessRuleViolation(
        isBare
          ? `${path} is a bare repository; plans need a checkout. Serve a clone of it.`
          : `${path} has no .git of its own; serve the folder that holds the whole checkout.`,
      );
    }
    // The usual checkout, without asking: each question is a process.
    const isUsual = (await isFolder(own)) && !(await isThere(join(own, "commondir")));
    if (isUsual) return new UserRepository(git, path, own, await realpath(own));
    const read = async (option: string): Promise<string> => {
      const call = { gitDir: own, own: false, workTree: path };
      return git.text(["rev-parse", "--path-format=absolute", option], call);
    };
    const [gitDir, common] = [await read("--git-dir"), await read("--git-common-dir")];
    return new UserRepository(git, path, gitDir, await realpath(common));
  }

  run(args: readonly string[], call: Call = {}): Promise<GitResult> {
    return this.#git.run(args, { workTree: this.path, ...call, gitDir: this.gitDir, own: false });
  }

  text(args: readonly string[], call: Call = {}): Promise<string> {
    return this.#git.text(args, { workTree: this.path, ...call, gitDir: this.gitDir, own: false });
  }

  /** In a checkout of this repository, which may be a linked one. */
  async runIn(
    { path: workTree, gitDir }: CheckedOut,
    args: readonly string[],
    input = "",
  ): Promise<GitResult> {
    const settings = await this.fileSettings();
    const call = { workTree, gitDir, own: false, answers: [0, 1, 2, 128], settings, input };
    return this.#git.run(args, call);
  }

  /** How files are written and compared here. */
  fileSettings(): Promise<readonly GitSetting[]> {
    return this.#git.fileSettings(this.gitDir);
  }

  /** Whether objects may be missing that only its remote has. */
  async isPartial(): Promise<boolean> {
    const packs = await readdir(join(this.commonDir, "objects", "pack")).catch(() => []);
    return packs.some((name) => name.endsWith(".promisor"));
  }

  identity(): Promise<{ readonly name: string; readonly email: string } | undefined> {
    return this.#git.identity(this.gitDir);
  }

  /** Undefined: there is no such branch. */
  async headOf(ref: string): Promise<string | undefined> {
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
    const { exitCode, stdout } = await this.run(args, { answers: [0, 1, 128] });
    return exitCode === 0 ? stdout.toString("utf8").trim() : undefined;
  }

  async headIn({ path, gitDir }: CheckedOut): Promise<string | undefined> {
    const args = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];
    const call = { workTree: path, gitDir, own: false, answers: [0, 1, 128] };
    const { exitCode, stdout } = await this.#git.run(args, call);
    return exitCode === 0 ? stdout.toString("utf8").trim() : undefined;
  }

  /** `refs/heads/…`; undefined: HEAD is detached. */
  async branch(): Promise<string | undefined> {
    const args = ["symbolic-ref", "--quiet", "HEAD"];
    const { exitCode, stdout } = await this.run(args, { answers: [0, 1] });
    const ref = stdout.toString("utf8").trim();
    return exitCode === 0 && ref.startsWith("refs/heads/") ? ref : undefined;
  }

  async lender(): Promise<Lender> {
    const objects = join(this.commonDir, "objects");
    const borrowed = (await isThere(join(objects, "info", "alternates")))
      ? [...(await this.text(["count-objects", "-v"])).matchAll(/^alternate: (\/.*)$/gm)]
      : [];
    return {
      objectFolders: [objects, ...borrowed.map(([, path = ""]) => path)],
      format: await this.text(["rev-parse", "--show-object-format"]),
      shallow: join(this.commonDir, "shallow"),
      exclude: join(this.commonDir, "info", "exclude"),
    };
  }

  async isAncestor(older: string, newer: string): Promise<boolean> {
    const args = ["merge-base", "--is-ancestor", older, newer];
    return (await this.run(args, { answers: [0, 1] })).exitCode === 0;
  }

  /** Sets a ref only if it is what it was. @returns whether it was */
  async swapRef(ref: string, value: string, old: string, reason: string): Promise<boolean> {
    const args = ["update-ref", "-m", reason, ref, value, old];
    const { exitCode } = await this.run(args, { answers: [0, 1, 128] });
    if (exitCode === 0) return true;
    if ((await this.headOf(ref)) !== old) return false;
    // It is where it was, so something else keeps it: git says what.
    await this.run(args);
    return true;
  }

  async pin(ref: string, commit: string): Promise<void> {
    await this.run(["update-ref", ref, commit]);
  }

  /** Removes every ref below. */
  async unpin(prefix: string): Promise<void> {
    const listed = await this.text(["for-each-ref", "--format=%(refname)", `${prefix}/`]);
    const refs = listed.split("\n").filter((ref) => ref.startsWith(`${prefix}/`));
    if (refs.length === 0) return;
    const commands = refs.map((ref) => `delete ${ref}\0\0`).join("");
    await this.run(["update-ref", "--stdin", "-z"], { input: commands });
    // Git leaves the folder that other pins would be in.
    await rmdir(join(this.commonDir, "refs", "acumen")).catch(() => undefined);
  }

  /** A rebase has taken it away from its checkout, and will set it when it ends. */
  async isRebased(ref: string): Promise<boolean> {
    const linked = join(this.commonDir, "worktrees");
    const names = await readdir(linked).catch(() => []);
    const folders = [this.commonDir, ...names.map((name) => join(linked, name))];
    const heads = folders.flatMap((folder) =>
      ["rebase-merge", "rebase-apply"].map((state) =>
        readFile(join(folder, state, "head-name"), "utf8").catch(() => ""),
      ),
    );
    return (await Promise.all(heads)).some((head) => head.trim() === ref);
  }

  /** Where the branch is checked out; undefined: nowhere. */
  async checkoutOf(ref: string): Promise<CheckedOut | undefined> {
    // Whatever a list of checkouts says of it.
    if ((await this.branch()) === ref) return { path: this.path, gitDir: this.gitDir };
    const listed = await this.text(["worktree", "list", "--porcelain", "-z"]);
    for (const entry of listed.split("\0\0")) {
      const fields = entry.split("\0");
      if (!fields.includes(`branch ${ref}`)) continue;
      const path = fields.find((field) => field.startsWith("worktree "))?.slice("worktree ".length);
      if (path === undefined || fields.some((field) => field.startsWith("prunable"))) continue;
      const isMain = listed.startsWith(entry);
      // Where its git folder lies elsewhere, git takes that for the place of the work tree.
      if (isMain && this.gitDir === this.commonDir) return { path: this.path, gitDir: this.gitDir };
      const call = { gitDir: join(path, ".git"), own: false, workTree: path };
      const args = ["rev-parse", "--path-format=absolute", "--git-dir"];
      return { path, gitDir: await this.#git.text(args, call) };
    }
    return undefined;
  }
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path)).isDirectory();
}
