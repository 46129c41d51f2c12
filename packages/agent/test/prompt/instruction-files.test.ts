import { type TempFolder, tempFolder } from "@acumen/testkit";
import { execFile } from "node:child_process";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findGitRoot } from "../../src/prompt/git-root.ts";
import { INSTRUCTION_LIMITS, readInstructions } from "../../src/prompt/instruction-files.ts";

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

async function write(name: string, text: string | Uint8Array): Promise<void> {
  await mkdir(dirname(folder.join(name)), { recursive: true });
  await writeFile(folder.join(name), text);
}
const gitIn = (name: string) => mkdir(folder.join(name, ".git"), { recursive: true });

describe("the chain of instructions", () => {
  test("goes from the git root down to the working directory", async () => {
    await gitIn("repository");
    await write("AGENTS.md", "outside");
    await write("repository/AGENTS.md", "root\n");
    await write("repository/packages/a/AGENTS.md", "nearest");
    await write("repository/packages/b/AGENTS.md", "beside");
    const { files, problems } = await readInstructions(folder.join("repository/packages/a"));
    expect(files).toEqual([
      { path: "AGENTS.md", text: "root" },
      { path: "packages/a/AGENTS.md", text: "nearest" },
    ]);
    expect(problems).toEqual([]);
  });

  test("is the working directory alone outside a repository", async () => {
    await write("AGENTS.md", "above");
    await write("here/AGENTS.md", "here");
    const { files } = await readInstructions(folder.join("here"));
    expect(files).toEqual([{ path: "AGENTS.md", text: "here" }]);
  });

  test("takes CLAUDE.md, else GEMINI.md, in a folder without AGENTS.md", async () => {
    await gitIn(".");
    await write("GEMINI.md", "g");
    await write("a/CLAUDE.md", "c");
    await write("a/GEMINI.md", "not this");
    await write("a/b/AGENTS.md", "a");
    await write("a/b/CLAUDE.md", "not this");
    const { files } = await readInstructions(folder.join("a/b"));
    expect(files.map(({ path }) => path)).toEqual(["GEMINI.md", "a/CLAUDE.md", "a/b/AGENTS.md"]);
  });

  test("a work tree's .git file counts, another user's does not", async () => {
    await write("repository/.git", "gitdir: elsewhere");
    await mkdir(folder.join("repository/a"));
    expect(await findGitRoot(folder.join("repository/a"))).toBe(folder.join("repository"));
    expect(await findGitRoot(folder.join("repository/a"), 4_294_967_290)).toBeUndefined();
  });
});

describe("what is left out", () => {
  test("links that lead out of the repository, through a folder too", async () => {
    await gitIn("repository");
    await write("outside/secret.md", "secret");
    await write("outside/AGENTS.md", "secret");
    await symlink(folder.join("outside/secret.md"), folder.join("repository/AGENTS.md"));
    await symlink(folder.join("outside"), folder.join("repository/docs"));
    await mkdir(folder.join("repository/a"));
    await symlink("../docs/AGENTS.md", folder.join("repository/a/AGENTS.md"));
    expect(await readInstructions(folder.join("repository/a"))).toEqual({
      files: [],
      problems: [
        { path: "AGENTS.md", reason: "leads out of the repository" },
        { path: "a/AGENTS.md", reason: "leads out of the repository" },
      ],
    });
  });

  test("links to anything but Markdown; those inside are followed", async () => {
    await gitIn(".");
    await write(".env", "KEY=1");
    await write("docs/agents.md", "guide");
    await symlink(".env", folder.join("AGENTS.md"));
    await mkdir(folder.join("a"));
    await symlink("../docs/agents.md", folder.join("a/AGENTS.md"));
    expect(await readInstructions(folder.join("a"))).toEqual({
      files: [{ path: "a/AGENTS.md", text: "guide" }],
      problems: [{ path: "AGENTS.md", reason: "leads to a file that is no Markdown" }],
    });
  });

  test("folders, pipes and dangling links, without hanging", async () => {
    await gitIn(".");
    await mkdir(folder.join("AGENTS.md"));
    await mkdir(folder.join("a/b"), { recursive: true });
    await promisify(execFile)("mkfifo", [folder.join("a/AGENTS.md")]);
    await symlink("nowhere.md", folder.join("a/b/AGENTS.md"));
    const { files, problems } = await readInstructions(folder.join("a/b"));
    expect(files).toEqual([]);
    expect(problems.map(({ reason }) => reason)).toEqual([
      "is no regular file",
      "is no regular file",
      "cannot be read",
    ]);
  });

  test.skipIf(process.getuid?.() === 0)(
    "a file that may not be read (not as root, who may read everything)",
    async () => {
      await write("AGENTS.md", "text");
      await chmod(folder.join("AGENTS.md"), 0);
      expect((await readInstructions(folder.path)).problems).toHaveLength(1);
    },
  );
});

describe("sizes", () => {
  test("a file is cut at its limit, between characters, and says so", async () => {
    await write("AGENTS.md", `a${"é".repeat(20_000)}`);
    const { files, problems } = await readInstructions(folder.path);
    const text = files[0]?.text ?? "";
    expect(text).toMatch(/^aé+\n\[cut: the first 32768 of 40001 bytes\]$/);
    expect(problems).toEqual([{ path: "AGENTS.md", reason: "cut to 32768 of 40001 bytes" }]);
  });

  test("together they keep to the limit, and the nearest stay whole", async () => {
    await gitIn(".");
    await write("AGENTS.md", "r".repeat(30_000));
    await write("a/AGENTS.md", "m".repeat(30_000));
    await write("a/b/AGENTS.md", "n".repeat(30_000));
    const { files } = await readInstructions(folder.join("a/b"));
    const [root = "", middle = "", nearest = ""] = files.map(({ text }) => text);
    expect(nearest).toBe("n".repeat(30_000));
    expect(middle).toBe("m".repeat(30_000));
    const left = INSTRUCTION_LIMITS.total - 60_000;
    expect(root).toBe(`${"r".repeat(left)}\n[cut: the first ${left} of 30000 bytes]`);
  });
});
