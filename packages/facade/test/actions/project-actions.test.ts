import { execFileSync } from "node:child_process";
import { mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { ConflictError } from "../../src/errors/domain-error.ts";
import { ProjectActions } from "../../src/actions/project-actions.ts";
import type { PlanBase, Project } from "../../src/sandbox/sandboxes.ts";

const FIX = "---\nname: team/fix\ndescription: Fixes.\n---\nFix it.\n";
const BASE: PlanBase = { commit: "c", target_ref: "refs/heads/main", warnings: [] };

async function bench(base: Readonly<Record<string, string>>, trusted = true) {
  const folder = await tempFolder("acumen-actions");
  await mkdir(folder.join(".acumen/actions"), { recursive: true });
  const project: Project = { path: folder.path, name: "local/shop", kind: "git-checkout", trusted };
  const actions = new ProjectActions({
    projects: { list: async () => [project], find: async () => project },
    sandboxes: {
      listBase: async () => Object.keys(base),
      readBase: async (_project, _base, path) => base[path],
    },
  });
  return { actions, project, folder };
}

test("a plan takes an action from its base, never from the working tree", async () => {
  const { actions, project, folder } = await bench({ ".acumen/actions/fix.md": FIX });
  await using _folder = folder;
  await writeFile(folder.join(".acumen/actions/fix.md"), FIX.replace("Fix it.", "Break it."));
  await writeFile(folder.join(".acumen/actions/new.md"), FIX.replace("team/fix", "team/new"));
  expect(await actions.atBase("team/fix", project, BASE)).toMatchObject({ body: "Fix it." });
  await expect(actions.atBase("team/new", project, BASE)).rejects.toThrow(/when it is committed/);
  await expect(actions.atBase("team/fixx", project, BASE)).rejects.toThrow(
    /did you mean team\/fix\?/,
  );
});

test("a project that is not trusted has built-in actions only", async () => {
  const { actions, project, folder } = await bench({ ".acumen/actions/fix.md": FIX }, false);
  await using _folder = folder;
  await writeFile(folder.join(".acumen/actions/fix.md"), FIX);
  await expect(actions.atBase("team/fix", project, BASE)).rejects.toThrow(/not trusted/);
  expect(await actions.atBase("builtin/task", project, BASE)).toMatchObject({ source: "builtin" });
  const { items, problems } = await actions.listActions({ limit: 10 });
  expect(items.map(({ name }) => name)).toEqual(["builtin/task"]);
  expect(problems).toEqual([
    {
      project: "local/shop",
      path: ".acumen/actions",
      message: expect.stringMatching(/not trusted, so its actions do not count/),
    },
  ]);
});

test("a project that is not trusted and brings no actions has no problem", async () => {
  const { actions, folder } = await bench({}, false);
  await using _folder = folder;
  expect(await actions.listActions({ limit: 10 })).toMatchObject({ problems: [] });
});

test("a broken file is named in the list, and only its own action cannot be used", async () => {
  const broken = "---\nname: team/broken\n---\nx\n";
  const files = {
    ".acumen/actions/a.md": broken,
    ".acumen/actions/fix.md": FIX,
    ".acumen/actions/x/y.md": FIX,
  };
  const { actions, project, folder } = await bench(files);
  await using _folder = folder;
  await writeFile(folder.join(".acumen/actions/a.md"), broken);
  await writeFile(folder.join(".acumen/actions/fix.md"), FIX);
  expect(await actions.atBase("team/fix", project, BASE)).toMatchObject({ name: "team/fix" });
  await expect(actions.atBase("team/broken", project, BASE)).rejects.toThrow(
    /a\.md cannot be used: description/,
  );
  const { items, problems } = await actions.listActions({ limit: 10 });
  expect(items.map(({ name, project: of }) => [name, of])).toEqual([
    ["builtin/task", null],
    ["team/fix", "local/shop"],
  ]);
  expect(problems).toMatchObject([
    { path: ".acumen/actions/a.md", message: expect.stringMatching(/description/) },
  ]);
});

test("two files of one name are no action, and both are named", async () => {
  const [one, two] = [".acumen/actions/a.md", ".acumen/actions/b.md"] as const;
  const { actions, project, folder } = await bench({ [two]: FIX, [one]: FIX });
  await using _folder = folder;
  for (const path of [one, two]) await writeFile(folder.join(path), FIX);
  const asked = actions.atBase("team/fix", project, BASE);
  await expect(asked).rejects.toThrow(ConflictError);
  await expect(asked).rejects.toThrow(`${one} and ${two} have the same name team/fix`);
  expect(await actions.inAdvance("team/fix", project)).toBeUndefined();
  const { items, problems } = await actions.listActions({ limit: 10 });
  expect(items.map(({ name }) => name)).toEqual(["builtin/task"]);
  expect(problems.map(({ path }) => path)).toEqual([one, two]);
});

test("a file that contains itself, a pipe or a link holds up no other", async () => {
  const { actions, folder } = await bench({});
  await using _folder = folder;
  const at = (name: string): string => folder.join(`.acumen/actions/${name}`);
  const loop = FIX.replace("description", "arguments: &a { properties: *a }\ndescription");
  await writeFile(at("a.md"), loop);
  execFileSync("mkfifo", [at("b.md")]);
  await writeFile(folder.join("outside.md"), FIX.replace("team/fix", "team/outside"));
  await symlink(folder.join("outside.md"), at("c.md"));
  await mkdir(at("d.md"));
  await writeFile(at("e.md"), "x".repeat(300_000));
  await writeFile(at("fix.md"), FIX);
  const { items, problems } = await actions.listActions({ limit: 10 });
  expect(items.map(({ name }) => name)).toEqual(["builtin/task", "team/fix"]);
  expect(problems.map(({ path }) => path.slice(-4))).toEqual(["a.md", "e.md"]);
});

test("a folder of actions that is a link is not looked into, and that is said", async () => {
  const { actions, folder } = await bench({});
  await using _folder = folder;
  await writeFile(folder.join(".acumen/actions/fix.md"), FIX);
  await rename(folder.join(".acumen"), folder.join("elsewhere"));
  await symlink("elsewhere", folder.join(".acumen"));
  const { items, problems } = await actions.listActions({ limit: 10 });
  expect(items.map(({ name }) => name)).toEqual(["builtin/task"]);
  expect(problems).toHaveLength(1);
  expect(problems[0]?.message).toMatch(/link/);
});

test("of very many files the first ones count, and that is said", async () => {
  const { actions, folder } = await bench({});
  await using _folder = folder;
  for (let index = 0; index < 501; index += 1) {
    const name = `n${String(index).padStart(3, "0")}`;
    await writeFile(folder.join(`.acumen/actions/${name}.md`), FIX.replace("fix", name));
  }
  const names: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof actions.listActions>> = await actions.listActions({
      limit: 200,
      ...(cursor !== null && { cursor }),
    });
    expect(page.problems).toMatchObject([{ message: "Of 501 files the first 500 count." }]);
    names.push(...page.items.map(({ name }) => name));
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(names).toHaveLength(501);
  expect(names).not.toContain("team/n500");
});
