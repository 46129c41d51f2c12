import { AcumenError } from "@acumen/core";
import { tempFolder } from "@acumen/testkit";
import { mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { openWorkspace, protectedRule } from "../../src/workspace/workspace.ts";

/** The folder `ws` inside of a temp folder, so that there is an outside. */
async function workspaceIn(folder: { join(...names: string[]): string }, more: string[] = []) {
  await mkdir(folder.join("ws", "src"), { recursive: true });
  return openWorkspace({ cwd: folder.join("ws"), additionalDirectories: more });
}

describe("opening a workspace", () => {
  test("resolves its folders and leaves doubles out", async () => {
    await using folder = await tempFolder();
    await mkdir(folder.join("ws"));
    await mkdir(folder.join("lib"));
    await symlink(folder.join("ws"), folder.join("link"));
    const workspace = await openWorkspace({
      cwd: folder.join("link"),
      additionalDirectories: [folder.join("lib"), folder.join("ws"), folder.join("lib")],
    });
    expect(workspace.cwd).toBe(folder.join("ws"));
    expect(workspace.directories).toEqual([folder.join("lib")]);
    expect(workspace.roots).toEqual([folder.join("ws"), folder.join("lib")]);
  });

  test.each([
    ["relative/folder", "absolute"],
    ["/no/such/folder", "does not exist"],
    ["/etc/passwd", "not a folder"],
  ])("refuses %s", async (cwd, reason) => {
    const error: unknown = await openWorkspace({ cwd }).catch((cause: unknown) => cause);
    expect(AcumenError.isInstance(error) && error.code).toBe("AGENT_WORKSPACE_INVALID");
    expect(String(error)).toContain(reason);
  });
});

describe("locating a path", () => {
  test("finds files by relative and absolute names in every root", async () => {
    await using folder = await tempFolder();
    await mkdir(folder.join("lib"));
    const workspace = await workspaceIn(folder, [folder.join("lib")]);
    await writeFile(folder.join("ws", "src", "a.ts"), "");
    expect(await workspace.locate("src/../src/a.ts", "read")).toMatchObject({
      ok: true,
      path: folder.join("ws", "src", "a.ts"),
      shown: "src/a.ts",
      exists: true,
    });
    expect(await workspace.locate(folder.join("lib", "new", "b.ts"), "write")).toMatchObject({
      ok: true,
      path: folder.join("lib", "new", "b.ts"),
      shown: folder.join("lib", "new", "b.ts"),
      exists: false,
    });
    expect(await workspace.locate(".", "read")).toMatchObject({ shown: ".", exists: true });
  });

  test("refuses what lies outside, by its own name or through a link at any depth", async () => {
    await using folder = await tempFolder();
    const workspace = await workspaceIn(folder);
    await mkdir(folder.join("out", "deep"), { recursive: true });
    await mkdir(folder.join("ws-evil"));
    await writeFile(folder.join("out", "deep", "x.txt"), "");
    await symlink(folder.join("out"), folder.join("ws", "link"));
    await symlink(folder.join("out", "deep", "x.txt"), folder.join("ws", "src", "x.txt"));
    await symlink("../link", folder.join("ws", "src", "chain"));
    for (const path of [
      "../x",
      "src/../../x",
      "/etc/passwd",
      folder.join("ws-evil", "x"),
      "link",
      "link/deep/x.txt",
      "link/new/deeper/y.txt",
      "src/x.txt",
      "src/chain/deep/x.txt",
      "src/chain/new.txt",
    ]) {
      for (const access of ["read", "write"] as const) {
        const located = await workspace.locate(path, access);
        expect(located, path).toMatchObject({ ok: false });
        const message = located.ok ? "" : located.message;
        expect(message).toContain(`${path} is outside of the workspace`);
        expect(message).toContain(workspace.cwd);
        // Where a link leads is not told.
        if (!path.startsWith(folder.path)) expect(message).not.toContain(folder.join("out"));
      }
    }
  });

  test("follows links that stay inside, and refuses those that lead to nothing or in a circle", async () => {
    await using folder = await tempFolder();
    const workspace = await workspaceIn(folder);
    await symlink("src", folder.join("ws", "inner"));
    await symlink("nothing", folder.join("ws", "dangling"));
    await symlink(folder.join("later"), folder.join("ws", "out"));
    await symlink("round", folder.join("ws", "round"));
    await writeFile(folder.join("ws", "file"), "");
    expect(await workspace.locate("inner/new.ts", "write")).toMatchObject({
      path: folder.join("ws", "src", "new.ts"),
    });
    for (const [path, reason] of [
      ["dangling", "link that leads to nothing"],
      ["out/x", "link that leads to nothing"],
      ["round", "circle of links"],
      ["file/x", "file among its folders"],
      ["", "empty"],
      ["a\0b", "NUL"],
      ["~", "not expanded"],
      ["~/x", "not expanded"],
      ["~root/x", "not expanded"],
    ] as const) {
      const located = await workspace.locate(path, "write");
      expect(located.ok ? "" : located.message, path).toContain(reason);
    }
    expect(await workspace.locate("./~root/x", "write")).toMatchObject({ ok: true });
    expect(await workspace.locate("~notes.txt", "write")).toMatchObject({ ok: true });
  });

  test("names the rule that keeps secrets from being read, also through a link", async () => {
    await using folder = await tempFolder();
    const workspace = await workspaceIn(folder);
    await mkdir(folder.join("ws", ".SSH"));
    await writeFile(folder.join("ws", ".env"), "");
    await symlink(".env", folder.join("ws", "notes.txt"));
    for (const [path, rule] of [
      [".env", ".env*"],
      ["notes.txt", ".env*"],
      ["src/.ENV.local", ".env*"],
      [".envrc", ".env*"],
      [".SSH/config", ".ssh/**"],
      // What a case-folding file system takes for the same letter.
      [".\u017F\u017Fh/config", ".ssh/**"],
      ["src/ID_RSA", "private keys"],
      ["server.key", "private keys"],
    ] as const) {
      const located = await workspace.locate(path, "read");
      expect(located.ok ? "" : located.message, path).toContain(`rule "${rule}"`);
    }
    for (const path of [
      ".env.example",
      ".env.local.SAMPLE",
      ".env.template",
      "id_rsa.pub",
      "a.pem",
    ])
      expect(await workspace.locate(path, "read"), path).toMatchObject({ ok: true });
    // What is there cannot be seen, so it cannot be changed; a new file holds nothing yet.
    expect(await workspace.locate(".env", "write")).toMatchObject({ ok: false });
    expect(await workspace.locate("src/.env", "write")).toMatchObject({ ok: true });
    expect(await workspace.locate(".ssh/authorized_keys", "write")).toMatchObject({ ok: false });
  });

  test("refuses writes into .git, reads are free", async () => {
    await using folder = await tempFolder();
    const workspace = await workspaceIn(folder);
    await mkdir(folder.join("ws", ".git", "hooks"), { recursive: true });
    await symlink(".git/hooks", folder.join("ws", "hooks"));
    for (const path of [
      ".git/config",
      ".GIT/hooks/x",
      "src/.git",
      "hooks/pre-commit",
      ".g\u200Cit/x",
    ]) {
      const located = await workspace.locate(path, "write");
      expect(located.ok ? "" : located.message, path).toContain('".git/**"');
      expect(await workspace.locate(path, "read"), path).toMatchObject({ ok: true });
    }
    expect(await workspace.locate(".gitignore", "write")).toMatchObject({ ok: true });
  });

  test("keeps the system's folders out of a workspace that contains them", async () => {
    const wide = await openWorkspace({ cwd: "/", additionalDirectories: ["/dev/shm", "/proc"] });
    for (const path of [
      "proc/self/environ",
      "/sys/kernel",
      "dev/stdin",
      `/proc/${process.pid}/mem`,
    ])
      expect(await wide.locate(path, "read"), path).toMatchObject({ ok: false });
    expect(await wide.locate("/dev/shm/x", "write")).toMatchObject({ ok: true });
    expect(await wide.locate("/etc/hostname", "read")).toMatchObject({ ok: true });
  });

  test("does not count the name of an additional directory", async () => {
    await using folder = await tempFolder();
    await mkdir(folder.join("ws", ".env-tools"), { recursive: true });
    const workspace = await workspaceIn(folder, [folder.join("ws", ".env-tools")]);
    expect(await workspace.locate(".env-tools/a.py", "read")).toMatchObject({ ok: true });
    expect(await workspace.locate(".env-tools/.env", "read")).toMatchObject({ ok: false });
  });

  test("keeps Acumen's own keys from being read when its home is inside", async () => {
    await using folder = await tempFolder();
    await mkdir(folder.join("ws", "state"), { recursive: true });
    await writeFile(folder.join("ws", "state", "credentials.json"), "{}");
    const workspace = await openWorkspace({
      cwd: folder.join("ws"),
      home: folder.join("ws", "state"),
    });
    expect(await workspace.locate("state/credentials.json", "read")).toMatchObject({ ok: false });
    expect(protectedRule(workspace, folder.join("ws", "state", "mcp.json"))).toBe(
      "$ACUMEN_HOME/**",
    );
    expect(protectedRule(workspace, folder.join("ws", "states"))).toBeUndefined();
    const around = await openWorkspace({ cwd: folder.join("ws"), home: folder.path });
    expect(protectedRule(around, folder.join("ws", "a"))).toBeUndefined();
  });
});

describe("protected writes", () => {
  test("names the rule at every depth and in every letter case", async () => {
    await using folder = await tempFolder();
    await mkdir(folder.join("lib"));
    const workspace = await workspaceIn(folder, [folder.join("lib")]);
    for (const [path, rule] of [
      [".acumen/workspace.json", ".acumen/**"],
      ["AGENTS.md", "AGENTS.md"],
      ["src/agents.MD", "AGENTS.md"],
      ["CLAUDE.md", "CLAUDE.md"],
      [".mcp.json", ".mcp.json"],
      ["packages/a/.VSCode/tasks.json", ".vscode/**"],
      [".idea/x.xml", ".idea/**"],
      [".husky/pre-commit", ".husky/**"],
      [".GitHub/Workflows/ci.yml", ".github/workflows/**"],
      [".github", ".github/workflows/**"],
      ["HEAD", "HEAD"],
      ["fixtures/a.git/head", "HEAD"],
    ] as const) {
      expect(protectedRule(workspace, folder.join("ws", path)), path).toBe(rule);
      expect(protectedRule(workspace, folder.join("lib", path)), path).toBe(rule);
    }
    for (const path of [
      "src/a.ts",
      ".github/CODEOWNERS",
      "docs/AGENTS.md.txt",
      "acumen/x",
      "HEAD/x",
    ])
      expect(protectedRule(workspace, folder.join("ws", path)), path).toBeUndefined();
  });

  test("counts what a protected name leads to through a link", async () => {
    await using folder = await tempFolder();
    const workspace = await workspaceIn(folder);
    await mkdir(folder.join("ws", "conf"));
    await symlink("conf", folder.join("ws", ".vscode"));
    const target = await realpath(folder.join("ws", ".vscode"));
    expect(protectedRule(workspace, `${target}/tasks.json`)).toBe(".vscode");
    expect(protectedRule(workspace, folder.join("ws", "src", "tasks.json"))).toBeUndefined();
  });
});
