import { tempFolder, type TempFolder } from "@acumen/testkit";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { lstat, mkdir, readdir, readFile, readlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { GitSandboxes, type GitSandboxesOptions } from "../../src/sandbox/git-sandboxes.ts";
import type { ApplyOptions, PlanBase, Project, Sandbox } from "../../src/sandbox/sandboxes.ts";

const run = promisify(execFile);

/** Git as a user would call it, without settings of the machine. */
export async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run("git", [...args], {
    cwd,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: "/nonexistent",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: "Ann",
      GIT_AUTHOR_EMAIL: "ann@example.test",
      GIT_COMMITTER_NAME: "Ann",
      GIT_COMMITTER_EMAIL: "ann@example.test",
    },
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.replace(/\n$/, "");
}

/** Writes files; a null removes nothing and is left out. */
export async function put(
  root: string,
  files: Readonly<Record<string, string | Buffer>>,
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
}

export async function commitAll(repository: string, message: string): Promise<string> {
  await git(repository, "add", "-A");
  await git(repository, "commit", "--quiet", "--allow-empty", "-m", message);
  return git(repository, "rev-parse", "HEAD");
}

/** Every file and link below, with its content and mode. */
export async function fingerprint(root: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const { mode } = await lstat(path);
    const content = entry.isSymbolicLink()
      ? await readlink(path)
      : entry.isFile()
        ? createHash("sha256")
            .update(await readFile(path))
            .digest("hex")
        : "";
    found.set(path.slice(root.length + 1), `${mode.toString(8)} ${content}`);
  }
  return found;
}

export interface SandboxBench extends AsyncDisposable {
  readonly folder: TempFolder;
  readonly home: string;
  /** The user's repository, or plain folder. */
  readonly root: string;
  readonly project: Project;
  readonly sandboxes: GitSandboxes;
  readonly planId: string;
}

export interface BenchOptions extends Partial<GitSandboxesOptions> {
  readonly files?: Readonly<Record<string, string | Buffer>>;
  readonly kind?: Project["kind"];
}

let plans = 0;

/** A user's project with a first commit, and sandboxes beside it. */
export async function sandboxBench(options: BenchOptions = {}): Promise<SandboxBench> {
  const { files = { "a.txt": "one\ntwo\nthree\n" }, kind = "git-checkout", ...rest } = options;
  const folder = await tempFolder("sandbox");
  const root = folder.join("project");
  const home = folder.join("home");
  await mkdir(root);
  await mkdir(home);
  if (kind === "git-checkout") await git(root, "init", "--quiet", "--initial-branch=main");
  await put(root, files);
  if (kind === "git-checkout") await commitAll(root, "first");
  const sandboxes = new GitSandboxes({
    home,
    environment: { PATH: process.env["PATH"], HOME: folder.join("user") },
    isolation: "none",
    ...rest,
  });
  plans += 1;
  return {
    folder,
    home,
    root,
    project: { path: root, name: "local/project", kind, trusted: true },
    sandboxes,
    planId: `PLAN${plans}`,
    [Symbol.asyncDispose]: () => folder.remove(),
  };
}

export const never = new AbortController().signal;

export interface Attempt {
  readonly base: PlanBase;
  readonly sandbox: Sandbox;
}

/** An attempt whose work is done: `work` gets the folder. */
export async function attempt(
  bench: SandboxBench,
  work: (path: string) => Promise<void>,
): Promise<Attempt> {
  const { sandboxes, project, planId } = bench;
  const base = await sandboxes.base(project, planId);
  const sandbox = await sandboxes.create({ planId, attempt: 1, project, base }, never);
  await work(sandbox.path);
  await sandbox.checkpoint("work");
  return { base, sandbox };
}

/** What an apply needs, for what was reviewed. */
export async function applyOptions(
  { sandboxes, project, planId }: SandboxBench,
  { base, sandbox }: Attempt,
  more: Partial<ApplyOptions> = {},
): Promise<ApplyOptions> {
  const place = { project, base, sandbox };
  const { digest } = await sandboxes.diff(place, { format: "summary", signal: never });
  return {
    planId,
    project,
    base,
    sandbox,
    digest,
    expectedTargetHead: null,
    message: "Apply the plan",
    validations: [],
    allowUnisolated: true,
    signal: never,
    moving: () => Promise.resolve(),
    validated: () => Promise.resolve(),
    ...more,
  };
}
