import { mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { FolderProjects } from "../../src/registries/folder-projects.ts";

async function projectsIn(names: readonly string[]) {
  const folder = await tempFolder("acumen-projects");
  for (const name of names) await mkdir(folder.join(name), { recursive: true });
  await symlink(folder.join(names[0] ?? ""), folder.join("link"));
  const projects = new FolderProjects({
    folders: names.map((name) => folder.join(name)),
    isTrusted: async (path) => path.endsWith("Shop"),
    isCheckout: async (path) => path.endsWith("Shop"),
  });
  return { projects, folder };
}

test("projects have names made of their folders, and are found by name, path and link", async () => {
  const { projects, folder } = await projectsIn(["a/Shop", "b/Shop", "Ünïcode dir"]);
  await using _folder = folder;
  const list = await projects.list();
  expect(list.map(({ name }) => name)).toEqual(["local/shop", "local/shop-2", "local/n-code-dir"]);
  expect(list[0]).toMatchObject({
    trusted: true,
    kind: "git-checkout",
    path: folder.join("a/Shop"),
  });
  expect(list[2]).toMatchObject({ trusted: false, kind: "fs-directory" });
  expect(await projects.find(undefined)).toEqual(list[0]);
  expect(await projects.find("local/shop-2")).toEqual(list[1]);
  expect(await projects.find(folder.join("b/Shop"))).toEqual(list[1]);
  expect(await projects.find(folder.join("link"))).toEqual(list[0]);
});

test("the short name of a project is enough where no other folder has it", async () => {
  const { projects, folder } = await projectsIn(["a/Shop", "b/Shop", "Site"]);
  await using _folder = folder;
  const [, , site] = await projects.list();
  expect(await projects.find("site")).toEqual(site);
  await expect(projects.find("shop")).rejects.toMatchObject({
    details: { project: "shop", projects: ["local/shop", "local/shop-2", "local/site"] },
  });
});

test("no two projects have one name, whatever their folders are called", async () => {
  const { projects, folder } = await projectsIn(["shop-2", "a/shop", "b/shop"]);
  await using _folder = folder;
  const names = (await projects.list()).map(({ name }) => name);
  expect(names).toEqual(["local/shop-2", "local/shop", "local/shop-3"]);
});

test("anything else is not found, also a folder within a project", async () => {
  const { projects, folder } = await projectsIn(["shop"]);
  await using _folder = folder;
  await mkdir(folder.join("shop/src"));
  for (const name of ["local/other", folder.path, folder.join("shop/src"), "/", "../shop", ""]) {
    await expect(projects.find(name)).rejects.toThrow(/no project .* local\/shop/);
  }
});

test("a folder that is gone is a fault of the configuration", async () => {
  const projects = new FolderProjects({
    folders: ["/nowhere/at/all"],
    isTrusted: async () => true,
    isCheckout: async () => true,
  });
  await expect(projects.list()).rejects.toThrow(/is no folder/);
});

test("a project that vanishes holds up no other, keeps its name, and comes back", async () => {
  const { projects, folder } = await projectsIn(["a/Shop", "b/Shop", "c/Shop"]);
  await using _folder = folder;
  const [first, second, third] = await projects.list();
  await rename(folder.join("a"), folder.join("away"));
  await rename(folder.join("b/Shop"), folder.join("b/was"));
  await writeFile(folder.join("b/Shop"), "no folder");

  expect(await projects.list()).toEqual([third]);
  expect(await projects.find("local/shop-3")).toEqual(third);
  for (const name of [undefined, "local/shop", first?.path, "local/shop-2", second?.path]) {
    await expect(projects.find(name)).rejects.toThrow(/is no folder/);
  }
  await expect(projects.find("local/other")).rejects.toThrow(/no project "local\/other" here/);

  await rename(folder.join("away"), folder.join("a"));
  expect(await projects.list()).toEqual([first, third]);
  expect(await projects.find(undefined)).toEqual(first);
});
