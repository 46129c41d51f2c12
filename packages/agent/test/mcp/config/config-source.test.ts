import { chmod, mkdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { McpConfigManager, WorkspaceTrust } from "../../../src/index.ts";
import { ENVIRONMENT, type Machine, machine, serverOf } from "./support.ts";

const UNTRUSTED =
  "The workspace is not trusted. Look at its .acumen folder, then trust it with `acumen trust`.";

describe("a session's servers", () => {
  test("are the machine's in the order of its file, then missing ones, then the host's", async () => {
    await using here = await machine();
    await here.define(
      '{"mcpServers": {"z": {"command": "z"}, "10": {"command": "t"}, "a": {"url": "http://h/"}}}',
    );
    await here.choose({ enabledMcpServers: ["nope", "a", "a"] });
    await here.trust.trust(here.cwd);
    const source = here.manager.sourceFor(here, { servers: { editor: { command: "e" } } });
    const { servers, problems, files } = await source.resolve();
    const shown = servers.map(({ name, source: from, transport, enabled, missing }) => [
      name,
      from,
      transport,
      enabled,
      missing,
    ]);
    expect(shown).toEqual([
      ["z", "machine", "stdio", false, false],
      ["10", "machine", "stdio", false, false],
      ["a", "machine", "http", true, false],
      ["nope", "machine", null, true, true],
      ["editor", "host", "stdio", true, false],
    ]);
    expect(problems).toEqual([]);
    expect(files).toEqual({ machine: here.machineFile, workspace: here.workspaceFile });
    expect(here.manager.files(here.cwd)).toEqual(files);
  });

  test("are none, without a problem, where nothing was ever configured; nothing is written", async () => {
    await using here = await machine();
    expect(await here.manager.sourceFor(here).resolve()).toMatchObject({
      servers: [],
      problems: [],
    });
    await expect(stat(here.home)).rejects.toThrow("ENOENT");
  });

  test("stay usable beside a faulty one, whose fault names file, place and remedy", async () => {
    await using here = await machine();
    await here.define({
      mcpServers: {
        good: { command: "g" },
        bad: { comand: "b", env: { K: "alpha-beta" } },
        "two words": { command: "x" },
        none: null,
        unset: { command: "c", args: ["${NONE}"] },
        last: { url: "http://h/" },
      },
    });
    const source = here.manager.sourceFor(here);
    const { servers } = await source.resolve();
    expect(servers.filter(({ fault }) => fault === undefined).map(({ name }) => name)).toEqual([
      "good",
      "last",
    ]);
    const place = ` (${here.machineFile})`;
    expect(await serverOf(source, "bad")).toMatchObject({
      transport: null,
      missing: false,
      secrets: ["alpha-beta"],
      fault: `mcpServers.bad: expected \`command\` (a program) or \`url\` (an address), found neither. Is \`comand\` meant to be \`command\`?${place}`,
    });
    expect((await serverOf(source, "two words")).fault).toBe(
      `mcpServers.two words: the name cannot be used: a name has 1 to 64 letters, digits, \`.\`, \`_\` or \`-\`.${place}`,
    );
    expect((await serverOf(source, "none")).fault).toContain("mcpServers.none: expected an object");
    expect((await serverOf(source, "unset")).fault).toMatch(
      /^mcpServers\.unset\.args\.0: the variable NONE is not set\./u,
    );
    expect(await serverOf(source, "unset")).not.toHaveProperty("definition");
  });

  test("have a fingerprint that changes with the definition, not with the order of its keys", async () => {
    await using here = await machine();
    const source = here.manager.sourceFor(here);
    const fingerprint = async (raw: unknown): Promise<string> => {
      await here.define({ mcpServers: { a: raw } });
      return (await serverOf(source, "a")).fingerprint;
    };
    const first = await fingerprint({ command: "c", args: ["x", "y"], env: { A: "1", B: "2" } });
    expect(first).toMatch(/^[0-9a-f]{64}$/u);
    expect(await fingerprint({ env: { B: "2", A: "1" }, args: ["x", "y"], command: "c" })).toBe(
      first,
    );
    const others = [
      { command: "c", args: ["y", "x"], env: { A: "1", B: "2" } },
      { command: "c", args: ["x", "y"], env: { A: "1", B: "3" } },
      { command: "c", args: ["x", "y"], env: { A: "1", B: "2" }, timeoutMs: 9 },
      { command: "c", args: ["x", "y"], env: { A: "1", B: "${NONE}" } },
      { command: "c", args: ["x", "y"], env: { A: "1", B: "${ALSO_NONE}" } },
    ];
    const seen = new Set([first]);
    for (const raw of others) seen.add(await fingerprint(raw));
    expect(seen.size).toBe(others.length + 1);
  });

  test("with names that objects have anyway are servers like others", async () => {
    await using here = await machine();
    await here.define({
      mcpServers: { constructor: { command: "c" }, toString: { url: "http://h/" } },
    });
    await here.choose({ enabledMcpServers: ["hasOwnProperty", "constructor"] });
    await here.trust.trust(here.cwd);
    const host = JSON.parse('{"__proto__": {"command": "c"}}') as Record<string, unknown>;
    const { servers } = await here.manager.sourceFor(here, { servers: host }).resolve();
    expect(servers.map(({ name, enabled, missing }) => [name, enabled, missing])).toEqual([
      ["constructor", true, false],
      ["toString", false, false],
      ["hasOwnProperty", true, true],
      ["__proto__", true, false],
    ]);
    expect(servers.at(-1)?.fault).toContain("the name cannot be used");
    expect(Object.hasOwn(Object.prototype, "command")).toBe(false);
  });

  test("are read without a write: neither bytes nor times of the files change", async () => {
    await using here = await machine();
    const text = '\uFEFF{ "mcpServers" : { "a": {"command":"c","x":1,}, /* why */ } , "more": 1 }';
    await here.define(text);
    await here.choose('{ "enabledMcpServers": ["a"], // mine\n }');
    await here.trust.trust(here.cwd);
    const before = await Promise.all(
      [here.machineFile, here.workspaceFile].map((one) => stat(one)),
    );
    expect(await serverOf(here.manager.sourceFor(here), "a")).toMatchObject({ enabled: true });
    const after = await Promise.all([here.machineFile, here.workspaceFile].map((one) => stat(one)));
    expect(after.map(({ mtimeMs, ino }) => [mtimeMs, ino])).toEqual(
      before.map(({ mtimeMs, ino }) => [mtimeMs, ino]),
    );
    expect(await here.read(here.machineFile)).toBe(text);
  });
});

describe("a host's servers", () => {
  test("count for themselves, qualify their names, and keep what looks like a variable", async () => {
    await using here = await machine();
    await here.define({ mcpServers: { own: { command: "o" } } });
    await here.choose({ enabledMcpServers: ["own"] });
    const host = { servers: { ed: { command: "${TOKEN}", env: { K: "v-0123456789" } } } };
    const source = here.manager.sourceFor(here, host);
    expect(await serverOf(source, "ed")).toMatchObject({
      source: "host",
      enabled: true,
      definition: { command: "${TOKEN}", onConflict: "qualify" },
      secrets: ["v-0123456789"],
    });
    expect(await serverOf(source, "ed")).not.toHaveProperty("disabledReason");
    const alone = here.manager.sourceFor(here, { ...host, inherit: false });
    expect((await alone.resolve()).servers.map(({ name }) => name)).toEqual(["ed"]);
    expect(await alone.stamp()).toBe("");
  });

  test("stand for the machine's of the same name, and for one that is missing", async () => {
    await using here = await machine();
    await here.define({ mcpServers: { a: { command: "machine" }, b: { command: "b" } } });
    await here.choose({ enabledMcpServers: ["c"] });
    const host = { servers: { c: { command: "host" }, a: { comand: "host" } } };
    const { servers } = await here.manager.sourceFor(here, host).resolve();
    expect(servers.map(({ name, source }) => [name, source])).toEqual([
      ["b", "machine"],
      ["c", "host"],
      ["a", "host"],
    ]);
    expect(servers.at(-1)?.fault).toMatch(/^servers\.a: expected/u);
  });
});

describe("a workspace's choice", () => {
  test("does not count until the workspace is trusted, nor when it changed since", async () => {
    await using here = await machine();
    await here.define({ mcpServers: { a: { command: "a" }, b: { command: "b" } } });
    await here.choose({ enabledMcpServers: ["a", "nope"] });
    const source = here.manager.sourceFor(here);
    expect(await serverOf(source, "a")).toMatchObject({ enabled: true, disabledReason: UNTRUSTED });
    expect(await serverOf(source, "nope")).toMatchObject({
      missing: true,
      disabledReason: UNTRUSTED,
    });
    expect(await serverOf(source, "b")).toMatchObject({ enabled: false });
    expect(await serverOf(source, "b")).not.toHaveProperty("disabledReason");

    await here.trust.trust(here.cwd);
    expect(await serverOf(source, "a")).not.toHaveProperty("disabledReason");

    await here.choose({ enabledMcpServers: ["a", "b"] });
    const changed = /no longer what was trusted.*`acumen trust`/u;
    expect((await serverOf(source, "a")).disabledReason).toMatch(changed);
    expect((await serverOf(source, "b")).disabledReason).toMatch(changed);

    await here.trust.trust(here.cwd);
    expect(await serverOf(source, "b")).not.toHaveProperty("disabledReason");
    await here.trust.revoke(here.cwd);
    expect((await serverOf(source, "b")).disabledReason).toBe(UNTRUSTED);
  });

  test("cannot define a server", async () => {
    await using here = await machine();
    const servers = { evil: { command: "evil" } };
    await here.choose({ enabledMcpServers: ["evil"], mcpServers: servers, servers });
    await writeFile(join(here.cwd, ".acumen", "mcp.json"), JSON.stringify({ mcpServers: servers }));
    await here.trust.trust(here.cwd);
    const evil = await serverOf(here.manager.sourceFor(here), "evil");
    expect(evil).toMatchObject({ missing: true });
    expect(evil).not.toHaveProperty("definition");
  });

  test("counts once when the workspace is trusted once, as it was then", async () => {
    await using here = await machine({ once: true });
    await here.define({ mcpServers: { a: { command: "a" }, b: { command: "b" } } });
    await here.choose({ enabledMcpServers: ["a"] });
    const source = here.manager.sourceFor(here);
    expect(await serverOf(source, "a")).not.toHaveProperty("disabledReason");
    await here.choose({ enabledMcpServers: ["a", "b"] });
    expect((await serverOf(source, "b")).disabledReason).toMatch(/changed since it was trusted/u);
    await here.trust.trust(here.cwd);
    expect(await serverOf(source, "b")).not.toHaveProperty("disabledReason");
  });

  test("says why when the workspace can never be trusted", async () => {
    await using here = await machine();
    await here.define({ mcpServers: { a: { command: "a" } } });
    await here.choose({ enabledMcpServers: ["a"] });
    const environment = { ...ENVIRONMENT, HOME: here.cwd };
    const trust = new WorkspaceTrust({ home: here.home, environment });
    const manager = new McpConfigManager({ home: here.home, environment, trust });
    expect((await serverOf(manager.sourceFor(here), "a")).disabledReason).toBe(
      "The workspace cannot be trusted. It is your home folder.",
    );
  });

  test("is not read through a link, and that is a problem", async () => {
    await using here = await machine();
    await here.define({ mcpServers: { a: { command: "a" } } });
    await here.choose("{}");
    const other = join(here.folder, "other.json");
    await writeFile(other, '{"enabledMcpServers": ["a"]}');
    await symlink(other, join(here.cwd, ".acumen", "link.json"));
    const { servers, problems } = await here.manager.sourceFor(here).resolve();
    expect(servers.map(({ enabled }) => enabled)).toEqual([false]);
    expect(problems).toEqual([
      `${here.workspaceFile} does not count. .acumen/link.json is a link or no regular file.`,
    ]);
  });

  test.each<[string, (here: Machine) => Promise<unknown>, RegExp]>([
    [
      ".acumen is a file",
      (here) => writeFile(join(here.cwd, ".acumen"), "x"),
      /does not count\. \.acumen is a link or no folder\.$/u,
    ],
    [
      ".acumen is a link",
      (here) => symlink(here.folder, join(here.cwd, ".acumen")),
      /does not count\. \.acumen is a link or no folder\.$/u,
    ],
    [
      ".acumen is a link to nothing",
      (here) => symlink("/nowhere/at/all", join(here.cwd, ".acumen")),
      /does not count\. \.acumen is a link or no folder\.$/u,
    ],
    [
      "workspace.json is a folder",
      (here) => mkdir(here.workspaceFile, { recursive: true }),
      /workspace\.json is a folder and no file\.$/u,
    ],
  ])("cannot be known when %s, which is the reason of each server", async (_what, spoil, shown) => {
    await using here = await machine();
    await here.define({ mcpServers: { a: { command: "a" }, b: { command: "b" } } });
    await spoil(here);
    const { servers, problems } = await here.manager.sourceFor(here).resolve();
    expect(problems).toEqual([expect.stringMatching(shown)]);
    const [reason] = problems;
    expect(servers).toMatchObject([
      { name: "a", enabled: false, disabledReason: reason },
      { name: "b", enabled: false, disabledReason: reason },
    ]);
  });

  test("is none of the workspace's when its .acumen is Acumen's own folder", async () => {
    await using here = await machine();
    const home = join(here.cwd, ".acumen");
    await here.choose({ enabledMcpServers: ["a"] });
    await writeFile(join(home, "mcp.json"), '{"mcpServers": {"a": {"command": "a"}}}');
    const trust = new WorkspaceTrust({ home, environment: ENVIRONMENT });
    const manager = new McpConfigManager({ home, environment: ENVIRONMENT, trust });
    const { servers, problems } = await manager.sourceFor(here).resolve();
    expect(servers.map(({ name, enabled }) => [name, enabled])).toEqual([["a", false]]);
    expect(problems).toEqual([]);
    await expect(manager.enable(here.cwd, "a")).rejects.toMatchObject({
      code: "AGENT_WORKSPACE_UNTRUSTABLE",
    });
    expect(await manager.disable(here.cwd, "a")).toMatchObject({ changed: false });
  });

  test("of a workspace that is gone is none, with the problem", async () => {
    await using here = await machine();
    await here.define({ mcpServers: { a: { command: "a" } } });
    const cwd = join(here.folder, "gone");
    expect(await here.manager.sourceFor({ cwd }).resolve()).toMatchObject({
      servers: [{ name: "a", enabled: false }],
      problems: [],
    });
  });
});

describe("a broken file", () => {
  test.each<[string, string, RegExp]>([
    ["of the machine", '{\n  "mcpServers": {\n    "a": {,}\n', /mcp\.json:3:11: .+\.$/u],
    [
      "with a name twice",
      '{"mcpServers": {"a": {},\n "a": {}}}',
      /:2:2: "a" stands here a second/u,
    ],
    ["with __proto__", '{"mcpServers": {"__proto__": {}}}', /:1:17: "__proto__" cannot be a key/u],
    ["that is a list", "[]", /:1:1: expected an object in braces\.$/u],
    ["with a list of servers", '{"mcpServers": []}', /:1:2: "mcpServers" must be an object/u],
    [
      "of an editor",
      '{"inputs": [],\n "servers": {"a": {"command": "a"}}}',
      /:2:2: "servers" is not read here\. What is in it belongs under "mcpServers"\.$/u,
    ],
    ["of another editor", '{"context_servers": {}}', /:1:2: "context_servers" is not read here/u],
    ["with a slip", '{"mcpServer": {}}', /:1:2: "mcpServer" is not read here/u],
    ["without anything around", '{"a": {"command": "a"}}', /:1:2: "a" is not read here/u],
    ["that nests too deep", "[".repeat(100_000), /:1:1: nests too deep/u],
  ])(
    "%s is a problem with its place, and enabled servers repeat it",
    async (_what, text, shown) => {
      await using here = await machine();
      await here.define(text);
      await here.choose({ enabledMcpServers: ["a"] });
      await here.trust.trust(here.cwd);
      const { servers, problems } = await here.manager
        .sourceFor(here, { servers: { h: { command: "h" } } })
        .resolve();
      expect(problems).toEqual([expect.stringMatching(shown)]);
      expect(servers).toMatchObject([
        { name: "a", enabled: true, missing: false, fault: problems[0], transport: null },
        { name: "h", enabled: true },
      ]);
      expect(await here.manager.definitions()).toEqual({ servers: [], problems });
    },
  );

  test("of a running session leaves its servers as they were until it is mended", async () => {
    await using here = await machine();
    await here.define('{"mcpServers": {"a": {"command": "a"}}}');
    await here.choose({ enabledMcpServers: ["a"] });
    await here.trust.trust(here.cwd);
    const source = here.manager.sourceFor(here);
    const [before] = (await source.resolve()).servers;
    await here.define('{"mcpServers": {"a": {"command"');
    const broken = await source.resolve();
    expect(broken.servers).toEqual([before]);
    expect(broken.problems).toEqual([expect.stringContaining("what it said before counts")]);
    await here.define('{"mcpServers": {"a": {"command": "b"}}}');
    const mended = await source.resolve();
    expect(mended.problems).toEqual([]);
    expect(mended.servers[0]?.fingerprint).not.toBe(before?.fingerprint);
  });

  test.each<[string, RegExp]>([
    ['{"enabledMcpServers": ["a",}', /workspace\.json:1:\d+: .+\.$/u],
    [
      '{"enabledMcpServers": "a"}',
      /:1:2: "enabledMcpServers" must be a list of at most 1000 names/u,
    ],
    ['{"enabledMcpServers": ["a",\n 5]}', /:2:2: "enabledMcpServers\.1" must be the name/u],
    [
      '{"enabledMcpServers": ["a", "\\u001b[2J"]}',
      /:1:29: "enabledMcpServers\.1" must be the name/u,
    ],
  ])("of the workspace does not count: %j", async (text, shown) => {
    await using here = await machine();
    await here.define({ mcpServers: { a: { command: "a" } } });
    await here.choose(text);
    await here.trust.trust(here.cwd);
    const { servers, problems } = await here.manager.sourceFor(here).resolve();
    expect(problems).toEqual([expect.stringMatching(shown)]);
    expect(servers).toMatchObject([{ name: "a", enabled: false }]);
  });

  test("is also one that cannot be read", async () => {
    await using here = await machine();
    await mkdir(here.machineFile, { recursive: true });
    const { problems } = await here.manager.sourceFor(here).resolve();
    expect(problems).toEqual([`${here.machineFile} is not a regular file.`]);
  });

  test("may be empty", async () => {
    await using here = await machine();
    await here.define(" \n");
    expect(await here.manager.definitions()).toEqual({ servers: [], problems: [] });
  });
});

describe("the stamp", () => {
  test("is another one after each change of one of the three files, and the same without", async () => {
    await using here = await machine();
    const source = here.manager.sourceFor(here);
    const seen = [await source.stamp()];
    expect(await source.stamp()).toBe(seen[0]);
    const changes = [
      () => here.define("{}"),
      () => here.choose("{}"),
      () => here.trust.trust(here.cwd),
      () => here.choose('{"enabledMcpServers": []}'),
      () => utimes(here.machineFile, 1, 1),
      () => chmod(here.machineFile, 0o640),
      () => here.trust.revoke(here.cwd),
    ];
    for (const change of changes) {
      await change();
      const stamp = await source.stamp();
      expect(seen).not.toContain(stamp);
      expect(await source.stamp()).toBe(stamp);
      seen.push(stamp);
    }
    expect(await readFile(here.machineFile, "utf8")).toBe("{}");
  });
});

test.each<[string, (path: string) => Promise<unknown>, RegExp]>([
  [
    "in UTF-16 with a mark",
    (path) => writeFile(path, Buffer.from("\uFEFF{}", "utf16le")),
    /mcp\.json is not UTF-8; save it as UTF-8\.$/u,
  ],
  [
    "in UTF-16 without a mark",
    (path) => writeFile(path, Buffer.from("{}", "utf16le")),
    /mcp\.json is not UTF-8; save it as UTF-8\.$/u,
  ],
])(
  "a file %s is refused in the same words when it is read and when it is changed",
  async (_what, make, shown) => {
    await using here = await machine();
    await here.define({});
    await make(here.machineFile);
    const { problems } = await here.manager.sourceFor(here).resolve();
    expect(problems).toEqual([expect.stringMatching(shown)]);
    await expect(here.manager.add("a", { command: "a" })).rejects.toMatchObject({
      message: `Nothing was changed. ${problems[0]}`,
    });
  },
);

test("a link that leads to nothing is no file without servers", async () => {
  await using here = await machine();
  await mkdir(here.home, { recursive: true });
  await symlink("/nowhere/mcp.json", here.machineFile);
  const { problems } = await here.manager.sourceFor(here).resolve();
  expect(problems).toEqual([`${here.machineFile} is a link that leads to nothing.`]);
});

test("__proto__ is refused as a name with the reason", async () => {
  await using here = await machine();
  await expect(here.manager.enable(here.cwd, "__proto__")).rejects.toMatchObject({
    message:
      'Nothing was changed. "__proto__" cannot be the name of a server: JavaScript has a meaning of its own for it.',
  });
});
