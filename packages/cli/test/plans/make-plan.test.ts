import { execFileSync } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { AcpLocalFacade, LOCAL_PRINCIPAL, type Scope } from "@acumen/facade";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { createParams, makePlan } from "../../src/plans/make-plan.ts";
import type { PlanClient } from "../../src/plans/plan-client.ts";
import { factsOf } from "../../src/plans/plan-facts.ts";
import { madeLine } from "../../src/plans/plan-lines.ts";
import type { PlanFlags } from "../../src/plans/plan-flags.ts";

const PARAMS = createParams("Write a note.", { color: false });
const NARROW: readonly Scope[] = ["plan:write", "plan:read"];

/** Real plans without an executor, for folders of these names. */
async function bench(names: readonly string[]) {
  const folder = await tempFolder("acumen-make-plan");
  const projects = names.map((name) => folder.join(name));
  for (const path of projects) {
    await mkdir(path, { recursive: true });
    execFileSync("git", ["init", "-q", "-b", "main"], { cwd: path });
    const who = ["-c", "user.name=Test", "-c", "user.email=t@example.com"];
    execFileSync("git", [...who, "commit", "-q", "--allow-empty", "-m", "First"], { cwd: path });
  }
  const facade = new AcpLocalFacade({ projects });
  const projectOf = async (
    cwd: string,
    flags: Pick<PlanFlags, "local" | "project"> = {},
    scopes = LOCAL_PRINCIPAL.scopes,
  ): Promise<string> => {
    const client: PlanClient = {
      dispatch: (request) =>
        facade.dispatch(request, { principal: { ...LOCAL_PRINCIPAL, scopes } }),
      async *events() {
        // Nobody follows these plans.
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
    return factsOf(await makePlan(client, PARAMS, flags, cwd)).project;
  };
  return {
    folder,
    facade,
    projectOf,
    [Symbol.asyncDispose]: async () => {
      await facade.close();
      await folder.remove();
    },
  };
}

test("a plan is for the served project that holds the folder, the innermost of them", async () => {
  await using made = await bench(["shop", "plain", "plain/inner"]);
  const { folder, projectOf } = made;
  await mkdir(folder.join("plain/inner/src"));
  expect(await projectOf(folder.join("plain"))).toBe("local/plain");
  expect(await projectOf(folder.join("plain/docs"))).toBe("local/plain");
  expect(await projectOf(folder.join("plain/inner/src"))).toBe("local/inner");
  for (const cwd of [folder.path, folder.join("plainer")]) {
    await expect(projectOf(cwd)).rejects.toMatchObject({
      code: "CLI_USAGE",
      message: expect.stringMatching(
        /--project.*local\/inner \(\/.*local\/plain \(\/.*local\/shop/,
      ),
    });
  }
  // Where the flag says what is served, its first is meant.
  const local = { local: true, project: ["shop", "plain"] };
  expect(await projectOf(folder.path, local)).toBe("local/shop");
  expect(await projectOf(folder.join("plain"), local)).toBe("local/plain");
});

test("the only project is meant wherever the command runs", async () => {
  await using made = await bench(["shop"]);
  expect(await made.projectOf(made.folder.path)).toBe("local/shop");
  expect(await made.projectOf(made.folder.path, {}, NARROW)).toBe("local/shop");
});

test("--project takes a name, its short form, and a path that begins where the command runs", async () => {
  await using made = await bench(["shop", "site"]);
  const { folder, projectOf } = made;
  await symlink(folder.join("site"), folder.join("link"));
  for (const scopes of [LOCAL_PRINCIPAL.scopes, NARROW]) {
    const names = [
      "site",
      "../site/.",
      ...(scopes === NARROW ? [] : ["local/site", folder.join("link")]),
    ];
    for (const named of names) {
      const cwd = named.startsWith("..") ? folder.join("shop") : folder.path;
      expect([named, await projectOf(cwd, { project: [named] }, scopes)]).toEqual([
        named,
        "local/site",
      ]);
    }
    await expect(projectOf(folder.path, { project: ["sit"] }, scopes)).rejects.toThrow(
      /sit" .*local\/shop.*local\/site/,
    );
  }
});

test("without the right to see projects the current folder counts, and several others are named", async () => {
  await using made = await bench(["shop", "site"]);
  const { folder, projectOf } = made;
  expect(await projectOf(folder.join("site"), {}, NARROW)).toBe("local/site");
  await expect(projectOf(folder.path, {}, NARROW)).rejects.toMatchObject({
    code: "CLI_USAGE",
    message: expect.stringContaining("local/shop, local/site"),
  });
});

test("a prompt that --project has swallowed is said", () => {
  expect(() => createParams("", { color: false, project: ["shop", "Fix it."] })).toThrow(
    /before --project/,
  );
});

test("the first line names plan, project and path, and nothing that a terminal obeys", () => {
  const project = { name: "local/shop", path: "/home/\u001b[31mme/shop" };
  expect(madeLine(factsOf({ plan_id: "P", project }))).toBe(
    "plan P in local/shop /home/[31mme/shop",
  );
});
