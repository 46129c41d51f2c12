import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { cliError } from "../../errors.ts";
import { type ChildRun, runChild } from "./child-run.ts";
import { gitVersion } from "./git-version.ts";

/** The same place seen from `src/tour/practice` and from `dist/tour/practice`. */
const FILES = new URL("../../../data/practice/repository", import.meta.url);
const TEST_ARGS = ["--test", "--test-reporter=tap"] as const;

/** The tests of the repository, as the model calls them too. */
export const TEST_COMMAND = ["node", ...TEST_ARGS].join(" ");
/** The only file that the task needs to change. */
export const FAULTY_FILE = "prices.mjs";

/** What a run of the repository's tests came to. */
export interface TestRun {
  readonly exitCode: number;
  readonly passed: number;
  readonly failed: number;
}

export interface RepositoryOptions {
  /** Absolute; made. */
  readonly path: string;
  /** Environment of git and of the tests. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A small git repository of one commit, whose second test fails; a plain folder where there is no git. */
export class PracticeRepository {
  readonly path: string;
  readonly #options: RepositoryOptions;

  private constructor(options: RepositoryOptions) {
    this.path = options.path;
    this.#options = options;
  }

  /** @throws CLI_TOUR_FAILED when git fails; the signal's reason */
  static async create(options: RepositoryOptions): Promise<PracticeRepository> {
    const repository = new PracticeRepository(options);
    await cp(fileURLToPath(FILES), options.path, { recursive: true });
    const { path: cwd, ...rest } = options;
    if ((await gitVersion({ ...rest, cwd })) === undefined) return repository;
    await repository.#git("init", "--quiet", "--template=");
    await repository.#git("add", "--all");
    await repository.#git("commit", "--quiet", "--message=A price list");
    return repository;
  }

  /** Runs the tests in a process of the tour itself, not of the agent. */
  async test(): Promise<TestRun> {
    const { code, stdout } = await this.#run(process.execPath, TEST_ARGS);
    const countOf = (word: string): number =>
      Number(new RegExp(`^# ${word} (\\d+)$`, "m").exec(stdout)?.[1] ?? 0);
    return { exitCode: code, passed: countOf("pass"), failed: countOf("fail") };
  }

  /** Files that differ from what was put there at the start, new and deleted ones included. */
  async changedFiles(): Promise<readonly string[]> {
    const [before, after] = await Promise.all([
      contentOf(fileURLToPath(FILES)),
      contentOf(this.path),
    ]);
    const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted();
    return paths.filter((path) => before.get(path) !== after.get(path));
  }

  text(file: string): Promise<string> {
    return readFile(join(this.path, file), "utf8");
  }

  /** Id of the commit that is checked out. */
  async head(): Promise<string> {
    const { stdout } = await this.#git("rev-parse", "HEAD");
    return stdout.trim();
  }

  /** Changes a file and commits it, as a person would. */
  async commit(file: string, change: (text: string) => string): Promise<void> {
    await writeFile(join(this.path, file), change(await this.text(file)));
    await this.#git("commit", "--quiet", `--message=Change ${file}`, "--", file);
  }

  /** Without anything that the settings of a person or a machine could add. */
  async #git(...args: readonly string[]): Promise<ChildRun> {
    const settings = [
      "core.hooksPath=/dev/null",
      "core.fsmonitor=false",
      "user.name=Acumen tour",
      "user.email=tour@localhost",
    ];
    const run = await this.#run("git", [...settings.flatMap((each) => ["-c", each]), ...args]);
    if (run.code === 0) return run;
    const [said = ""] = run.stderr.trim().split("\n");
    throw cliError("CLI_TOUR_FAILED", `git ${args[0]} failed in the practice repository: ${said}`);
  }

  #run(command: string, args: readonly string[]): Promise<ChildRun> {
    const { path, env, signal } = this.#options;
    const isolated = { ...env, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
    return runChild({ command, args }, { cwd: path, env: isolated, ...(signal && { signal }) });
  }
}

/** Files by their path within the folder, without what is git's own. */
async function contentOf(root: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => path.split(sep)[0] !== ".git");
  return new Map(
    await Promise.all(
      paths.map(async (path) => [path, await readFile(join(root, path), "utf8")] as const),
    ),
  );
}
