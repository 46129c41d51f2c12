import { mkdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { FakeClock, tempFolder } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { type TrustState, WorkspaceTrust } from "../../src/index.ts";

interface Place extends AsyncDisposable {
  readonly trust: WorkspaceTrust;
  readonly home: string;
  readonly file: string;
  /** With `.acumen/workspace.json`. */
  readonly workspace: string;
  readonly userHome: string;
  write(path: string, content: string | Uint8Array): Promise<void>;
}

async function place(): Promise<Place> {
  const folder = await tempFolder("trust");
  const userHome = folder.join("users", "ann");
  const home = join(userHome, ".acumen");
  const workspace = join(userHome, "project");
  await mkdir(join(workspace, ".acumen"), { recursive: true });
  const write = async (path: string, content: string | Uint8Array): Promise<void> => {
    const target = join(workspace, ".acumen", path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content);
  };
  await write("workspace.json", '{\n  "enabledMcpServers": []\n}\n');
  return {
    trust: new WorkspaceTrust({ home, environment: { HOME: userHome }, clock: new FakeClock() }),
    home,
    file: join(home, "trust.json"),
    workspace,
    userHome,
    write,
    [Symbol.asyncDispose]: () => folder.remove(),
  };
}

const stateOf = async (trust: WorkspaceTrust, cwd: string): Promise<TrustState["state"]> =>
  (await trust.check(cwd)).state;

describe("a workspace", () => {
  test("is untrusted until it was trusted, and again after that was revoked", async () => {
    await using here = await place();
    const { trust, workspace } = here;
    expect(await stateOf(trust, workspace)).toBe("untrusted");
    const { path } = await trust.trust(workspace);
    expect(path).toBe(workspace);
    expect(await trust.check(workspace)).toEqual({
      state: "trusted",
      path: workspace,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/u) as string,
    });
    expect(await trust.list()).toEqual([
      { path: workspace, trustedAt: expect.any(String) as string },
    ]);
    expect(await trust.revoke(workspace)).toBe(true);
    expect(await trust.revoke(workspace)).toBe(false);
    expect(await stateOf(trust, workspace)).toBe("untrusted");
  });

  test("stays trusted for another process, in a file of mode 0600", async () => {
    await using here = await place();
    await here.trust.trust(here.workspace);
    const other = new WorkspaceTrust({ home: here.home, environment: {} });
    expect(await stateOf(other, here.workspace)).toBe("trusted");
    expect((await stat(here.file)).mode & 0o777).toBe(0o600);
    expect((await stat(here.home)).mode & 0o777).toBe(0o700);
  });

  test("is its real path: a link to it counts as it, a trusted link grants nothing to a new target", async () => {
    await using here = await place();
    const link = join(here.userHome, "link");
    await symlink(here.workspace, link);
    await here.trust.trust(link);
    expect(await stateOf(here.trust, here.workspace)).toBe("trusted");
    await rm(link);
    await mkdir(join(here.userHome, "other"));
    await symlink(join(here.userHome, "other"), link);
    expect(await stateOf(here.trust, link)).toBe("untrusted");
  });

  test("without .acumen can be trusted, and asks again when one appears", async () => {
    await using here = await place();
    await rm(join(here.workspace, ".acumen"), { recursive: true });
    await here.trust.trust(here.workspace);
    expect(await stateOf(here.trust, here.workspace)).toBe("trusted");
    await here.write("skillbook.json", "{}");
    expect(await stateOf(here.trust, here.workspace)).toBe("changed");
  });

  test("that does not exist, or is a file, is refused", async () => {
    await using here = await place();
    const missing = join(here.userHome, "missing");
    const file = join(here.workspace, ".acumen", "workspace.json");
    for (const cwd of [missing, file]) {
      await expect(here.trust.check(cwd)).rejects.toMatchObject({
        code: "AGENT_WORKSPACE_INVALID",
      });
      await expect(here.trust.trust(cwd)).rejects.toMatchObject({
        code: "AGENT_WORKSPACE_INVALID",
      });
    }
  });

  test("that is gone can still be revoked", async () => {
    await using here = await place();
    await here.trust.trust(here.workspace);
    await rm(here.workspace, { recursive: true });
    expect(await here.trust.revoke(here.workspace)).toBe(true);
  });
});

describe("a change below .acumen", () => {
  test("asks again and shows which files differ, and how", async () => {
    await using here = await place();
    await here.write("notes/old.md", "old\n");
    await here.write("same.md", "same\n");
    await here.trust.trust(here.workspace);
    await here.write("workspace.json", '{\n  "enabledMcpServers": ["shell"]\n}\n');
    await here.write("config.json", "new\u202e\n");
    await rm(join(here.workspace, ".acumen", "notes"), { recursive: true });
    const { state, difference } = await here.trust.check(here.workspace);
    expect(state).toBe("changed");
    expect(difference?.map(({ path, change }) => [path, change])).toEqual([
      [".acumen/config.json", "added"],
      [".acumen/notes/old.md", "removed"],
      [".acumen/workspace.json", "changed"],
    ]);
    const diffs = difference?.map(({ diff }) => diff ?? "") ?? [];
    expect(diffs[0]).toContain("+new\\u{202e}");
    expect(diffs[1]).toContain("-old");
    expect(diffs[2]).toContain('-  "enabledMcpServers": []');
    expect(diffs[2]).toContain('+  "enabledMcpServers": ["shell"]');
  });

  test("that is taken back is trusted again", async () => {
    await using here = await place();
    await here.write("a.md", "one");
    await here.trust.trust(here.workspace);
    await here.write("a.md", "two");
    expect(await stateOf(here.trust, here.workspace)).toBe("changed");
    await here.write("a.md", "one");
    expect(await stateOf(here.trust, here.workspace)).toBe("trusted");
  });

  test("a renamed file is a change", async () => {
    await using here = await place();
    await here.write("a.md", "one");
    await here.trust.trust(here.workspace);
    await here.write("b.md", "one");
    await rm(join(here.workspace, ".acumen", "a.md"));
    expect(await stateOf(here.trust, here.workspace)).toBe("changed");
  });

  test("in a binary or large file is named without its content, and a long difference is cut", async () => {
    await using here = await place();
    await here.write("binary", new Uint8Array([0, 255, 1]));
    await here.write("large", "x".repeat(100_000));
    await here.write("long", "a\n".repeat(3_000));
    await here.trust.trust(here.workspace);
    await here.write("binary", new Uint8Array([0, 255, 2]));
    await here.write("large", "y".repeat(100_000));
    await here.write("long", `${"a\n".repeat(1_500)}${"b\n".repeat(1_500)}`);
    const { difference = [] } = await here.trust.check(here.workspace);
    expect(difference.map(({ path, diff }) => [path, diff !== undefined])).toEqual([
      [".acumen/binary", false],
      [".acumen/large", false],
      [".acumen/long", expect.any(Boolean)],
    ]);
    for (const { diff = "" } of difference) expect(diff.length).toBeLessThan(5_000);
  });

  test("between looking and trusting is refused", async () => {
    await using here = await place();
    const { digest } = await here.trust.check(here.workspace);
    await here.write("workspace.json", '{"enabledMcpServers":["shell"]}');
    await expect(here.trust.trust(here.workspace, { digest })).rejects.toMatchObject({
      code: "AGENT_WORKSPACE_UNTRUSTABLE",
    });
    expect(await stateOf(here.trust, here.workspace)).toBe("untrusted");
  });
});

describe("what cannot be vouched for", () => {
  test("the root, the home folders and their parents are refused", async () => {
    await using here = await place();
    const { userHome } = here;
    const account = userInfo().homedir;
    const folders = ["/", userHome, dirname(userHome), dirname(dirname(userHome)), account];
    for (const folder of folders) {
      await expect(here.trust.trust(folder), folder).rejects.toMatchObject({
        code: "AGENT_WORKSPACE_UNTRUSTABLE",
      });
    }
    const link = join(here.workspace, "to-home");
    await symlink(userHome, link);
    await expect(here.trust.trust(link)).rejects.toMatchObject({
      code: "AGENT_WORKSPACE_UNTRUSTABLE",
    });
    await expect(stat(here.file)).rejects.toThrow("ENOENT");
  });

  test("a home folder is untrusted even when it stands in the file", async () => {
    await using here = await place();
    await here.trust.trust(here.workspace);
    const moved = new WorkspaceTrust({ home: here.home, environment: { HOME: here.workspace } });
    expect(await moved.check(here.workspace)).toMatchObject({
      state: "changed",
      problem: "It is your home folder.",
    });
  });

  test.each(["file", "folder", "whole"])("a link (%s) is refused, not followed", async (kind) => {
    await using here = await place();
    const outside = join(here.userHome, "outside");
    await mkdir(outside);
    await writeFile(join(outside, "skillbook.json"), "{}");
    await here.trust.trust(here.workspace);
    const folder = join(here.workspace, ".acumen");
    if (kind === "file") await symlink(join(outside, "skillbook.json"), join(folder, "book.json"));
    if (kind === "folder") await symlink(outside, join(folder, "books"));
    if (kind === "whole") {
      await rm(folder, { recursive: true });
      await symlink(outside, folder);
    }
    expect(await here.trust.check(here.workspace)).toMatchObject({
      state: "changed",
      problem: expect.stringContaining("link") as string,
    });
    await expect(here.trust.trust(here.workspace)).rejects.toMatchObject({
      code: "AGENT_WORKSPACE_UNTRUSTABLE",
    });
  });

  test.each([
    ["too many files", 501, 1],
    ["too many bytes", 5, 900_000],
  ])("%s are refused", async (_name, files, bytes) => {
    await using here = await place();
    const content = "x".repeat(bytes);
    await Promise.all(
      Array.from({ length: files }, (_, index) => here.write(`f${index}`, content)),
    );
    await expect(here.trust.trust(here.workspace)).rejects.toMatchObject({
      code: "AGENT_WORKSPACE_UNTRUSTABLE",
    });
  });

  test("folders nested without end are refused", async () => {
    await using here = await place();
    await here.write(`${"d/".repeat(12)}f`, "x");
    await expect(here.trust.trust(here.workspace)).rejects.toThrow("deeper");
  });
});

describe("who is let in", () => {
  test("is a workspace as it was trusted; any other one that can be is, when all are trusted once", async () => {
    await using here = await place();
    const { trust, workspace, home, userHome } = here;
    const once = new WorkspaceTrust({ home, environment: { HOME: userHome }, once: true });
    const seen = async (by: WorkspaceTrust) => {
      const { trusted, changed } = await by.admit(workspace);
      return { trusted, changed };
    };
    expect(await seen(trust)).toEqual({ trusted: false, changed: false });
    expect(await seen(once)).toEqual({ trusted: true, changed: false });
    await trust.trust(workspace);
    expect(await seen(trust)).toEqual({ trusted: true, changed: false });
    await here.write("a.md", "new");
    expect(await seen(trust)).toEqual({ trusted: false, changed: true });
    expect(await seen(once)).toEqual({ trusted: true, changed: false });
    expect((await trust.check(workspace)).state).toBe("changed");
  });

  test("is not what can't be trusted, not even once, and the reason is said", async () => {
    await using here = await place();
    const { home, userHome, workspace } = here;
    const once = new WorkspaceTrust({ home, environment: { HOME: userHome }, once: true });
    const refused = (folder: string, reason: string) =>
      expect(once.admit(folder), folder).rejects.toMatchObject({
        code: "AGENT_WORKSPACE_UNTRUSTABLE",
        message: expect.stringContaining(reason) as string,
      });
    await refused("/", "root");
    await refused(userHome, "your home folder");
    await refused(dirname(userHome), "Your home folder lies in it");
    await symlink("/etc/passwd", join(workspace, ".acumen", "link"));
    await refused(workspace, "is a link");
  });
});

describe("a file below .acumen", () => {
  test("is read as it was looked at, or not at all", async () => {
    await using here = await place();
    const { trust, workspace } = here;
    await here.write("deep/a.md", "one");
    const { digest } = await trust.admit(workspace);
    const read = async (file: string) =>
      Buffer.from((await trust.read(workspace, file, digest)) ?? "none").toString("utf8");
    expect(await read("deep/a.md")).toBe("one");
    expect(await read("other.md")).toBe("none");
    const refused = { code: "AGENT_WORKSPACE_UNTRUSTABLE" };
    await here.write("deep/a.md", "two");
    await expect(read("deep/a.md")).rejects.toMatchObject(refused);
    await here.write("deep/a.md", "one");
    expect(await read("deep/a.md")).toBe("one");
    await symlink("/etc/passwd", join(workspace, ".acumen", "other.md"));
    await expect(read("other.md")).rejects.toMatchObject(refused);
  });
});

describe("the file of trust", () => {
  test.each([
    ["no JSON", "{"],
    ["another format", '{"format":"x","version":1,"workspaces":[]}'],
    ["a newer version", '{"format":"acumen.trust","version":2,"workspaces":[]}'],
    ["a wrong entry", '{"format":"acumen.trust","version":1,"workspaces":[{"path":1}]}'],
  ])("with %s: everything is untrusted, and nothing overwrites it", async (_name, content) => {
    await using here = await place();
    await here.trust.trust(here.workspace);
    await writeFile(here.file, content);
    expect(await here.trust.check(here.workspace)).toMatchObject({
      state: "untrusted",
      problem: expect.stringContaining(here.file) as string,
    });
    const refused = { code: "AGENT_TRUST_INVALID" };
    await expect(here.trust.trust(here.workspace)).rejects.toMatchObject(refused);
    await expect(here.trust.revoke(here.workspace)).rejects.toMatchObject(refused);
    await expect(here.trust.list()).rejects.toMatchObject(refused);
    expect(await readFile(here.file, "utf8")).toBe(content);
  });

  test("loses nothing when many write at once", async () => {
    await using here = await place();
    const folders = Array.from({ length: 12 }, (_, index) => join(here.userHome, `p${index}`));
    await Promise.all(folders.map((folder) => mkdir(folder)));
    await Promise.all(
      folders.map((folder) =>
        new WorkspaceTrust({ home: here.home, environment: {} }).trust(folder),
      ),
    );
    const paths = (await here.trust.list()).map(({ path }) => path);
    expect(paths.toSorted()).toEqual(folders.toSorted());
  });

  test("in a folder that cannot be written is a coded error", async () => {
    await using here = await place();
    const blocked = join(here.userHome, "blocked");
    await writeFile(blocked, "a file");
    const trust = new WorkspaceTrust({ home: join(blocked, "home"), environment: {} });
    await expect(trust.trust(here.workspace)).rejects.toMatchObject({
      code: "CORE_FILE_NOT_WRITABLE",
    });
  });
});
