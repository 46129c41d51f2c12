import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempFolder } from "@acumen/testkit";

export interface GitProject {
  readonly path: string;
  git(...args: readonly string[]): string;
  write(path: string, text: string): void;
}

const FILES = { "README.md": "# Shop\n" };

/** A real repository with one commit on `main`. */
export async function gitProject(
  files: Readonly<Record<string, string>> = FILES,
): Promise<GitProject & AsyncDisposable> {
  const folder = await tempFolder("acumen-project");
  return {
    ...gitProjectIn(folder.path, files),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** The same in a folder that is there. */
export function gitProjectIn(
  path: string,
  files: Readonly<Record<string, string>> = FILES,
): GitProject {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=Test", "-c", "user.email=test@example.com", ...args], {
      cwd: path,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), text);
  };
  for (const [file, text] of Object.entries(files)) write(file, text);
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", "First");
  return { path, git, write };
}
