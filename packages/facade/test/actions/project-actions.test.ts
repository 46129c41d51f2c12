import { mkdir, writeFile } from "node:fs/promises";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
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
  const { items } = await actions.listActions({ limit: 10 });
  expect(items.map(({ name }) => name)).toEqual(["builtin/task"]);
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
  expect(problems).toMatchObject(
    [{ path: ".acumen/actions/a.md", message: /description/ }].map(({ path }) => ({ path })),
  );
});
