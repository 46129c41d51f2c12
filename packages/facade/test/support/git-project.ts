import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempFolder } from "@acumen/testkit";

export interface GitProject extends AsyncDisposable {
  readonly path: string;
  git(...args: readonly string[]): string;
  write(path: string, text: string): void;
}

/** A real repository with one commit on `main`. */
export async function gitProject(
  files: Readonly<Record<string, string>> = { "README.md": "# Shop\n" },
): Promise<GitProject> {
  const folder = await tempFolder("acumen-project");
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=Test", "-c", "user.email=test@example.com", ...args], {
      cwd: folder.path,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", "First");
  return {
    path: folder.path,
    git,
    write,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
