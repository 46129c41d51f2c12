import { mkdir, symlink, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { ResourceNotFoundError } from "../../src/errors/domain-error.ts";
import { ResourceCatalog } from "../../src/registries/resource-catalog.ts";
import { registryBench } from "./support.ts";

const SERVERS = {
  shop: {
    type: "http",
    url: "https://mcp.example.com/v1?key=query-secret#part",
    headers: { Authorization: "Bearer header-secret" },
  },
  login: { type: "http", url: "https://ann:pass-word-1@mcp.example.com/" },
  calc: {
    command: "/opt/calc",
    args: ["--token", "argument-secret"],
    env: { KEY: "env-secret-1" },
  },
};

test("projects, skillbooks and servers are there without any configuration of the list", async () => {
  await using bench = await registryBench(SERVERS);
  const { folder, home, projects, definitions } = bench;
  await writeFile(folder.join("home/skillbook.json"), "{}");
  for (const name of ["a", "b"]) {
    await mkdir(folder.join(`${name}/.acumen`));
    await writeFile(folder.join(`${name}/.acumen/skillbook.json`), "{}");
  }
  await bench.choose("a", "calc");
  const catalog = new ResourceCatalog({ projects, home, definitions });
  const { items } = await catalog.listResources({ limit: 50 });
  expect(items.map(({ name, type_name: type }) => [name, type])).toEqual([
    ["local/a", "fs-directory"],
    ["local/a/skillbook", "skillbook"],
    ["local/b", "fs-directory"],
    ["machine/skillbook", "skillbook"],
    ["mcp/calc", "mcp-server"],
    ["mcp/login", "mcp-server"],
    ["mcp/shop", "mcp-server"],
  ]);
  const [a, , , , calc, , shop] = items;
  expect(a).toMatchObject({ location: folder.join("a"), details: { trusted: true } });
  expect(calc).toMatchObject({ location: "stdio:/opt/calc", details: { enabled_in: ["local/a"] } });
  expect(shop).toMatchObject({
    location: "https://mcp.example.com/v1",
    details: { transport: "http", enabled_in: [] },
  });
  expect(JSON.stringify(items)).not.toMatch(/secret|pass-word/);
  const again = await catalog.listResources({ limit: 50 });
  expect(again.items).toEqual(items);
  expect(new Set(items.map(({ resource_id: id }) => id)).size).toBe(items.length);
});

test("type and prefix filter, and pages follow each other", async () => {
  await using bench = await registryBench(SERVERS);
  const { home, projects, definitions } = bench;
  const catalog = new ResourceCatalog({ projects, home, definitions });
  const names = async (query: object): Promise<readonly string[]> => {
    const { items } = await catalog.listResources({ limit: 50, ...query });
    return items.map(({ name }) => name);
  };
  expect(await names({ type_name: "mcp-server" })).toEqual(["mcp/calc", "mcp/login", "mcp/shop"]);
  expect(await names({ type_name: "skillbook" })).toEqual([]);
  expect(await names({ name_prefix: "local/" })).toEqual(["local/a", "local/b"]);
  const first = await catalog.listResources({ limit: 3 });
  const rest = await catalog.listResources({ limit: 3, cursor: first.next_cursor ?? "" });
  expect([...first.items, ...rest.items].map(({ name }) => name)).toEqual(await names({}));
});

test("of one project there are itself, its skillbook and the servers that it chose", async () => {
  await using bench = await registryBench(SERVERS);
  const { folder, home, projects, definitions } = bench;
  await writeFile(folder.join("home/skillbook.json"), "{}");
  await mkdir(folder.join("a/.acumen"));
  await writeFile(folder.join("a/.acumen/skillbook.json"), "{}");
  await bench.choose("a", "calc");
  await bench.choose("b", "shop");
  const catalog = new ResourceCatalog({ projects, home, definitions });
  const names = async (project: string): Promise<readonly string[]> => {
    const { items } = await catalog.listResources({ limit: 50, project });
    return items.map(({ name }) => name);
  };
  expect(await names("local/a")).toEqual(["local/a", "local/a/skillbook", "mcp/calc"]);
  expect(await names(folder.join("b"))).toEqual(["local/b", "mcp/shop"]);
  await expect(names("local/c")).rejects.toThrow(ResourceNotFoundError);
});

test("a skillbook that leads out of its folder is none", async () => {
  await using bench = await registryBench();
  const { folder, home, projects } = bench;
  await writeFile(folder.join("outside.json"), "{}");
  await symlink(folder.join("outside.json"), folder.join("home/skillbook.json"));
  const { items } = await new ResourceCatalog({ projects, home }).listResources({ limit: 50 });
  expect(items.map(({ type_name: type }) => type)).toEqual(["fs-directory", "fs-directory"]);
});
