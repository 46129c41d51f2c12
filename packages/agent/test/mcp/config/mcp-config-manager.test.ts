import { chmod, mkdir, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { McpConfigManager, WorkspaceTrust } from "../../../src/index.ts";
import { ENVIRONMENT, type Machine, machine, serverOf } from "./support.ts";

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

/** Whoever looks for a definition finds it. */
async function namesIn({ manager }: Machine): Promise<readonly string[]> {
  return (await manager.definitions()).servers.map(({ name }) => name);
}

describe("add", () => {
  test("makes folder and file for the owner alone, and writes what was given", async () => {
    await using here = await machine();
    const raw = { command: "node", args: ["-e", "A", "-e", "A"], env: { K: "${TOKEN}" }, note: 1 };
    expect(await here.manager.add("files", raw)).toEqual({
      file: here.machineFile,
      replaced: false,
      closed: false,
    });
    expect(JSON.parse(await here.read(here.machineFile))).toEqual({ mcpServers: { files: raw } });
    expect(await here.read(here.machineFile)).toMatch(/\}\n$/u);
    expect(await modeOf(here.machineFile)).toBe(0o600);
    expect(await modeOf(here.home)).toBe(0o700);
    expect(await readdir(here.home)).toEqual(["mcp.json"]);
  });

  test("enables nothing", async () => {
    await using here = await machine();
    await here.manager.add("a", { command: "a" });
    expect(await serverOf(here.manager.sourceFor(here), "a")).toMatchObject({ enabled: false });
  });

  test("keeps comments, unknown keys, a byte order mark and the file's mode", async () => {
    await using here = await machine();
    const text =
      '\uFEFF{\n  // mine\n  "later": { "x": [1] },\n  "mcpServers": {\n    "a": { "command": "a", "vendor": {} } // one\n  }\n}\n';
    await here.define(text);
    await chmod(here.machineFile, 0o640);
    await here.manager.add("b", { command: "b" });
    expect(await here.read(here.machineFile)).toBe(
      text.replace("} // one\n", '}, // one\n    "b": {\n      "command": "b"\n    }\n'),
    );
    expect(await modeOf(here.machineFile)).toBe(0o640);
  });

  test("refuses a name that is taken, unless it is to replace just that definition", async () => {
    await using here = await machine();
    await here.define('{"mcpServers": {"a": {"command": "a"}, /* b */ "b": {"command": "b"}}}');
    const before = await here.read(here.machineFile);
    await expect(here.manager.add("b", { command: "c" })).rejects.toMatchObject({
      code: "AGENT_MCP_SERVER_EXISTS",
    });
    expect(await here.read(here.machineFile)).toBe(before);
    const force = { force: true };
    expect(await here.manager.add("b", { command: "c" }, force)).toMatchObject({ replaced: true });
    const after = await here.read(here.machineFile);
    expect(after).toContain('{"mcpServers": {"a": {"command": "a"}, /* b */ "b": {');
    await here.manager.add("b", { command: "c" }, force);
    expect(await here.read(here.machineFile)).toBe(after);
    expect(await namesIn(here)).toEqual(["a", "b"]);
  });

  test("refuses an unusable definition or name before it touches anything", async () => {
    await using here = await machine();
    const invalid = { code: "AGENT_MCP_CONFIG_INVALID" };
    await expect(here.manager.add("a", { comand: "x" })).rejects.toMatchObject(invalid);
    await expect(here.manager.add("a b", { command: "x" })).rejects.toMatchObject(invalid);
    await expect(here.manager.add("__proto__", { command: "x" })).rejects.toMatchObject(invalid);
    const raw = { url: "https://ann:hunter2-secret@h/" };
    const error: unknown = await here.manager.add("a", raw).catch((one: unknown) => one);
    expect(error).toMatchObject(invalid);
    expect(JSON.stringify(error)).not.toContain("hunter2");
    await expect(stat(here.home)).rejects.toThrow("ENOENT");
  });

  test("takes a definition whose variable is not set here, and says so", async () => {
    await using here = await machine();
    const added = await here.manager.add("a", { command: "${NONE}" });
    expect(added.fault).toMatch(/^command: the variable NONE is not set/u);
    expect(await namesIn(here)).toEqual(["a"]);
  });
});

describe("a file that cannot be edited stays as it is", () => {
  const edits: readonly [string, (here: Machine) => Promise<unknown>][] = [
    ["add", ({ manager }) => manager.add("x", { command: "x" }, { force: true })],
    ["remove", ({ manager }) => manager.remove("a")],
  ];

  test.each(edits)("%s: broken, with line and column", async (_name, edit) => {
    await using here = await machine();
    const text = '{\n  "mcpServers": {\n    "a": {"command": "a"\n';
    await here.define(text);
    await expect(edit(here)).rejects.toMatchObject({
      code: "AGENT_MCP_CONFIG_INVALID",
      message: expect.stringMatching(/Nothing was changed\. .+mcp\.json:4:1: /u) as string,
      details: { path: here.machineFile, line: 4, column: 1 },
    });
    expect(await here.read(here.machineFile)).toBe(text);
    expect(await readdir(here.home)).toEqual(["mcp.json"]);
  });

  test.each(edits)("%s: under another program's key", async (_name, edit) => {
    await using here = await machine();
    const text = '{"servers": {"a": {"command": "a"}}}';
    await here.define(text);
    await expect(edit(here)).rejects.toMatchObject({ code: "AGENT_MCP_CONFIG_INVALID" });
    expect(await here.read(here.machineFile)).toBe(text);
  });

  test("add: a link, a folder, no UTF-8", async () => {
    await using here = await machine();
    const target = join(here.folder, "dotfiles.json");
    await writeFile(target, "{}");
    await mkdir(here.home);
    await symlink(target, here.machineFile);
    const add = (): Promise<unknown> => here.manager.add("x", { command: "x" });
    await expect(add()).rejects.toMatchObject({
      code: "AGENT_MCP_CONFIG_INVALID",
      message: expect.stringContaining("is a link") as string,
    });
    expect(await here.read(target)).toBe("{}");
    await using other = await machine();
    await mkdir(other.machineFile, { recursive: true });
    await expect(other.manager.add("x", { command: "x" })).rejects.toThrow(/no regular file/u);
    await using third = await machine();
    await mkdir(third.home);
    await writeFile(third.machineFile, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]));
    await expect(third.manager.add("x", { command: "x" })).rejects.toThrow(/is not UTF-8/u);
  });

  test("but a link is read", async () => {
    await using here = await machine();
    const target = join(here.folder, "dotfiles.json");
    await writeFile(target, '{"mcpServers": {"a": {"command": "a"}}}');
    await mkdir(here.home);
    await symlink(target, here.machineFile);
    expect(await namesIn(here)).toEqual(["a"]);
  });
});

test("edits that come together lose nothing", async () => {
  await using here = await machine();
  await here.manager.add("gone", { command: "g" });
  const names = Array.from({ length: 12 }, (_, index) => `s${index}`);
  await Promise.all([
    here.manager.remove("gone"),
    ...names.map((name) => {
      const { home, trust } = here;
      const other = new McpConfigManager({ home, trust, environment: ENVIRONMENT });
      return other.add(name, { command: name });
    }),
  ]);
  expect([...(await namesIn(here))].toSorted()).toEqual(names.toSorted());
});

describe("enable", () => {
  test("makes workspace.json for the owner alone, and keeps what else stands in one", async () => {
    await using here = await machine();
    await here.manager.add("a", { command: "a" });
    expect(await here.manager.enable(here.cwd, "a")).toMatchObject({
      changed: true,
      missing: false,
    });
    expect(await modeOf(here.workspaceFile)).toBe(0o600);
    const text = '{\n  // ours\n  "more": true,\n  "enabledMcpServers": ["a"] // these\n}\n';
    await here.choose(text);
    await chmod(here.workspaceFile, 0o664);
    expect(await here.manager.enable(here.cwd, "b")).toMatchObject({
      changed: true,
      missing: true,
    });
    expect(await here.read(here.workspaceFile)).toBe(text.replace('["a"]', '["a", "b"]'));
    expect(await modeOf(here.workspaceFile)).toBe(0o664);
    expect(await here.manager.enable(here.cwd, "b")).toMatchObject({ changed: false });
  });

  test("trusts a trusted workspace again, as it is with this edit", async () => {
    await using here = await machine();
    await here.manager.add("a", { command: "a" });
    await here.choose("{}");
    await writeFile(join(dirname(here.workspaceFile), "config.json"), "{}");
    await here.trust.trust(here.cwd);
    const { trust } = await here.manager.enable(here.cwd, "a");
    expect(trust).toMatchObject({
      state: "trusted",
      files: [".acumen/config.json", ".acumen/workspace.json"],
    });
    expect(trust.digest).toBe((await here.trust.check(here.cwd)).digest);
    const server = await serverOf(here.manager.sourceFor(here), "a");
    expect(server).toMatchObject({ enabled: true });
    expect(server).not.toHaveProperty("disabledReason");
    const after = await here.manager.disable(here.cwd, "a");
    expect(after).toMatchObject({ changed: true, trust: { state: "trusted" } });
  });

  test("does not make an untrusted or changed workspace trusted, and says what would be trusted", async () => {
    await using here = await machine();
    const first = await here.manager.enable(here.cwd, "a");
    expect(first.trust).toMatchObject({ state: "untrusted", files: [".acumen/workspace.json"] });
    await here.trust.trust(here.cwd, { digest: first.trust.digest });

    await writeFile(join(dirname(here.workspaceFile), "config.json"), "{}");
    const second = await here.manager.enable(here.cwd, "b");
    expect(second.trust.state).toBe("changed");
    expect(second.trust.difference?.map(({ path, change }) => [path, change])).toEqual([
      [".acumen/config.json", "added"],
      [".acumen/workspace.json", "changed"],
    ]);
    await here.trust.trust(here.cwd, { digest: second.trust.digest });
    expect(await serverOf(here.manager.sourceFor(here), "b")).not.toHaveProperty("disabledReason");
  });

  test("does not trust what somebody else changed while it wrote", async () => {
    await using here = await machine();
    await here.choose("{}");
    await here.trust.trust(here.cwd);
    class Meddling extends WorkspaceTrust {
      override async trust(...args: Parameters<WorkspaceTrust["trust"]>): Promise<never> {
        await writeFile(join(here.cwd, ".acumen", "config.json"), "{}");
        return (await super.trust(...args)) as never;
      }
    }
    const trust = new Meddling({ home: here.home, environment: ENVIRONMENT });
    const manager = new McpConfigManager({ home: here.home, environment: ENVIRONMENT, trust });
    const change = await manager.enable(here.cwd, "a");
    expect(change).toMatchObject({ changed: true, trust: { state: "changed" } });
    expect(change.trust.difference?.map(({ path }) => path)).toContain(".acumen/config.json");
  });

  test("is refused where it could never count, and nothing is written", async () => {
    await using here = await machine();
    const { home, cwd } = here;
    const environment = { ...ENVIRONMENT, HOME: cwd };
    const trust = new WorkspaceTrust({ home, environment });
    const manager = new McpConfigManager({ home, environment, trust });
    await expect(manager.enable(cwd, "a")).rejects.toMatchObject({
      code: "AGENT_WORKSPACE_UNTRUSTABLE",
    });
    await expect(stat(dirname(here.workspaceFile))).rejects.toThrow("ENOENT");
    await mkdir(home, { recursive: true });
    await writeFile(join(home, "trust.json"), "{");
    await expect(here.manager.enable(cwd, "a")).rejects.toMatchObject({
      code: "AGENT_TRUST_INVALID",
    });
    await expect(stat(dirname(here.workspaceFile))).rejects.toThrow("ENOENT");
  });

  test("is refused through a link and in a broken file, which stays as it is", async () => {
    await using here = await machine();
    await mkdir(join(here.folder, "elsewhere"));
    await symlink(join(here.folder, "elsewhere"), join(here.cwd, ".acumen"));
    await expect(here.manager.enable(here.cwd, "a")).rejects.toMatchObject({
      code: "AGENT_WORKSPACE_UNTRUSTABLE",
    });
    expect(await readdir(join(here.folder, "elsewhere"))).toEqual([]);
    await using other = await machine();
    for (const text of ['{"enabledMcpServers": ["a"', '{"enabledMcpServers": {}}']) {
      await other.choose(text);
      await expect(other.manager.enable(other.cwd, "b")).rejects.toMatchObject({
        code: "AGENT_MCP_CONFIG_INVALID",
        details: { line: 1 },
      });
      await expect(other.manager.disable(other.cwd, "a")).rejects.toMatchObject({
        code: "AGENT_MCP_CONFIG_INVALID",
      });
      expect(await other.read(other.workspaceFile)).toBe(text);
    }
  });

  test("many at once keep each other's choice and trust, and no session sees a change in between", async () => {
    await using here = await machine();
    await here.manager.add("first", { command: "f" });
    await here.manager.enable(here.cwd, "first");
    await here.trust.trust(here.cwd);
    const source = here.manager.sourceFor(here);
    const reasons = new Set<string | undefined>();
    let writing = true;
    const watch = async (): Promise<void> => {
      while (writing) reasons.add((await serverOf(source, "first")).disabledReason);
    };
    const edits = async (): Promise<void> => {
      const names = Array.from({ length: 8 }, (_, index) => `s${index}`);
      await Promise.all(names.map((name) => here.manager.enable(here.cwd, name)));
      writing = false;
    };
    await Promise.all([watch(), edits()]);
    expect([...reasons]).toEqual([undefined]);
    expect((await here.trust.check(here.cwd)).state).toBe("trusted");
    const { servers } = await source.resolve();
    expect(servers.filter(({ enabled }) => enabled)).toHaveLength(9);
  });
});

describe("disable", () => {
  test("takes the name out however often it stands there, and writes nothing where it does not", async () => {
    await using here = await machine();
    expect(await here.manager.disable(here.cwd, "a")).toMatchObject({ changed: false });
    await expect(stat(dirname(here.workspaceFile))).rejects.toThrow("ENOENT");
    await here.choose('{ "enabledMcpServers": ["a", "b", "a"], "x": 1 } // end');
    expect(await here.manager.disable(here.cwd, "a")).toMatchObject({
      changed: true,
      trust: { state: "untrusted" },
    });
    expect(await here.read(here.workspaceFile)).toBe(
      '{ "enabledMcpServers": ["b"], "x": 1 } // end',
    );
    expect(await here.manager.disable(here.cwd, "a")).toMatchObject({ changed: false });
  });
});

describe("remove", () => {
  test("takes the definition and the workspace's choice away, and nothing else", async () => {
    await using here = await machine();
    const text =
      '{\n  "mcpServers": {\n    "a": { "command": "a" }, // one\n    "b": { "command": "b" }\n  }\n}\n';
    await here.define(text);
    await here.choose({ enabledMcpServers: ["a", "b"] });
    await here.trust.trust(here.cwd);
    expect(await here.manager.remove("b", here.cwd)).toMatchObject({
      removed: true,
      choice: { changed: true, trust: { state: "trusted" } },
    });
    expect(await here.read(here.machineFile)).toBe(
      '{\n  "mcpServers": {\n    "a": { "command": "a" } // one\n  }\n}\n',
    );
    expect(await serverOf(here.manager.sourceFor(here), "a")).toMatchObject({ enabled: true });
    expect(await here.manager.remove("a")).toEqual({ removed: true });
    expect(await here.manager.remove("a", here.cwd)).toMatchObject({ removed: false });
    await expect(here.manager.remove("a", here.cwd)).rejects.toMatchObject({
      code: "AGENT_MCP_SERVER_UNKNOWN",
    });
  });

  test("changes neither file when one of them is broken", async () => {
    await using here = await machine();
    await here.define('{"mcpServers": {"a": {"command": "a"}}}');
    await here.choose("{ broken");
    const invalid = { code: "AGENT_MCP_CONFIG_INVALID" };
    await expect(here.manager.remove("a", here.cwd)).rejects.toMatchObject(invalid);
    expect(await namesIn(here)).toEqual(["a"]);
    await here.choose('{"enabledMcpServers": ["a"]}');
    await here.define("{ broken");
    await expect(here.manager.remove("a", here.cwd)).rejects.toMatchObject(invalid);
    expect(await here.read(here.workspaceFile)).toBe('{"enabledMcpServers": ["a"]}');
  });

  test("also takes away one whose definition or name cannot be used", async () => {
    await using here = await machine();
    await here.define({ mcpServers: { "a b": 5, c: { command: "c" } } });
    expect(await here.manager.remove("a b")).toEqual({ removed: true });
    expect(await namesIn(here)).toEqual(["c"]);
  });
});

describe("who may read mcp.json", () => {
  const plain = { command: "c", env: { KEY: "v-0123456789" } };

  test.each([
    ["a variable", plain, 0o644],
    ["a header", { url: "https://example.org", headers: { "X-Key": "v-0123456789" } }, 0o640],
  ])("%s whose value stands in it closes it for others", async (_what, raw, mode) => {
    await using here = await machine();
    await here.define({});
    await chmod(here.machineFile, mode);
    expect(await here.manager.add("a", raw)).toMatchObject({ closed: true });
    expect(await modeOf(here.machineFile)).toBe(0o600);
  });

  test("also when the same definition is written again, and not when values come from the environment", async () => {
    await using here = await machine();
    await here.manager.add("a", plain);
    await chmod(here.machineFile, 0o644);
    const named = { command: "c", env: { KEY: "Bearer ${TOKEN}" } };
    expect(await here.manager.add("b", named)).toMatchObject({ closed: false });
    expect(await modeOf(here.machineFile)).toBe(0o644);
    expect(await here.manager.add("a", plain, { force: true })).toMatchObject({ closed: true });
    expect(await modeOf(here.machineFile)).toBe(0o600);
  });
});
