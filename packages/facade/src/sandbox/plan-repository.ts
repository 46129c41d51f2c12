import { errnoOf } from "@acumen/core";
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { GitCall, GitCommand, GitResult } from "../git/git-command.ts";

/** Where objects are borrowed from, and what must be known to read them. */
export interface Lender {
  readonly objectFolders: readonly string[];
  readonly format: string;
  /** The file that names where a shallow history ends. */
  readonly shallow: string | undefined;
  /** The user's own ignore rules beside `.gitignore`. */
  readonly exclude: string | undefined;
}

type Call = Omit<GitCall, "gitDir" | "own">;

const IDENTITY = {
  GIT_AUTHOR_NAME: "Acumen",
  GIT_AUTHOR_EMAIL: "acumen@localhost",
  GIT_COMMITTER_NAME: "Acumen",
  GIT_COMMITTER_EMAIL: "acumen@localhost",
};

interface CommitFacts {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly date: Date;
  readonly identity?: { readonly name: string; readonly email: string } | undefined;
}

/**
 * A git folder that only this program writes, without work tree: trees are made, compared and merged here. It borrows the
 * objects of the user's repository and writes none there.
 */
export class PlanRepository {
  readonly gitDir: string;
  readonly #git: GitCommand;
  readonly #variables: GitCall["variables"];

  constructor(git: GitCommand, gitDir: string, variables: GitCall["variables"] = {}) {
    this.#git = git;
    this.gitDir = gitDir;
    this.#variables = variables;
  }

  /** The same one, whose new objects go to another folder. That folder must borrow those of this one. */
  storingIn(objects: string): PlanRepository {
    return new PlanRepository(this.#git, this.gitDir, { GIT_OBJECT_DIRECTORY: objects });
  }

  get objects(): string {
    return join(this.gitDir, "objects");
  }

  /** One that is there keeps its commits: a plan may know them still. */
  async init(lender: Lender): Promise<void> {
    const args = ["rev-parse", "--show-object-format"];
    const known = await this.run(args, { answers: [0, 128] }).catch(() => undefined);
    const isUsable = known?.stdout.toString("utf8").trim() === lender.format;
    if (!isUsable) await rm(this.gitDir, { recursive: true, force: true });
    await initRepository(this.#git, { gitDir: this.gitDir, lender, bare: true });
  }

  run(args: readonly string[], call: Call = {}): Promise<GitResult> {
    return this.#git.run(args, this.#call(call));
  }

  text(args: readonly string[], call: Call = {}): Promise<string> {
    return this.#git.text(args, this.#call(call));
  }

  #call(call: Call): GitCall {
    const variables = { ...this.#variables, ...call.variables };
    return { ...call, variables, gitDir: this.gitDir, own: true };
  }

  /** Undefined: it has no such commit. */
  async commitOf(name: string): Promise<string | undefined> {
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
    const { exitCode, stdout } = await this.run(args, { answers: [0, 1, 128] });
    return exitCode === 0 ? stdout.toString("utf8").trim() : undefined;
  }

  treeOf(commit: string): Promise<string> {
    return this.text(["rev-parse", "--verify", "--end-of-options", `${commit}^{tree}`]);
  }

  commit({ tree, parents, message, date, identity }: CommitFacts): Promise<string> {
    const at = `${Math.floor(date.getTime() / 1000)} +0000`;
    return this.text(["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent])], {
      input: message,
      variables: {
        ...IDENTITY,
        ...(identity !== undefined && {
          GIT_AUTHOR_NAME: identity.name,
          GIT_AUTHOR_EMAIL: identity.email,
          GIT_COMMITTER_NAME: identity.name,
          GIT_COMMITTER_EMAIL: identity.email,
        }),
        GIT_AUTHOR_DATE: at,
        GIT_COMMITTER_DATE: at,
      },
    });
  }

  async isAncestor(older: string, newer: string): Promise<boolean> {
    const args = ["merge-base", "--is-ancestor", older, newer];
    return (await this.run(args, { answers: [0, 1] })).exitCode === 0;
  }

  /** Writes the files of a commit into an empty folder. */
  async checkOut(
    commit: string,
    place: { readonly work: string; readonly index: string },
    signal?: AbortSignal,
  ): Promise<void> {
    const call = {
      workTree: place.work,
      indexFile: place.index,
      ...(signal !== undefined && { signal }),
    };
    await this.run(["read-tree", "--end-of-options", commit], call);
    await this.run(["checkout-index", "--all", "--index", "--quiet"], call);
  }
}

/** Without templates, which could bring hooks. */
export async function initRepository(
  git: GitCommand,
  place: { readonly gitDir: string; readonly lender: Lender; readonly bare: boolean },
): Promise<void> {
  const { gitDir, lender, bare } = place;
  await mkdir(gitDir, { recursive: true, mode: 0o700 });
  const args = [
    "init",
    "--quiet",
    "--template=",
    "--initial-branch=main",
    `--object-format=${lender.format}`,
    ...(bare ? ["--bare"] : []),
  ];
  await git.run(args, { gitDir, own: true, ...(!bare && { workTree: dirname(gitDir) }) });
  const info = join(gitDir, "objects", "info");
  await mkdir(info, { recursive: true });
  await mkdir(join(gitDir, "info"), { recursive: true });
  await writeFile(join(info, "alternates"), lender.objectFolders.map(alternateLine).join(""));
  await copyIfThere(lender.shallow, join(gitDir, "shallow"));
  await copyIfThere(lender.exclude, join(gitDir, "info", "exclude"));
}

/** A line of its own that begins with a quote or `#` would be read otherwise. */
export function alternateLine(path: string): string {
  return /["\\\p{Cc}]/u.test(path) ? `"${path.replace(/["\\\p{Cc}]/gu, escaped)}"\n` : `${path}\n`;
}

function escaped(character: string): string {
  if (character === '"' || character === "\\") return `\\${character}`;
  return `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`;
}

async function copyIfThere(from: string | undefined, to: string): Promise<void> {
  if (from === undefined) return;
  await copyFile(from, to).catch((error: unknown) => {
    if (errnoOf(error) !== "ENOENT") throw error;
  });
}
