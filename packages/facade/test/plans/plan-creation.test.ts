import { tempFolder } from "@acumen/testkit";
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createLocalServices } from "../../src/dispatch/local-services.ts";
import type { UseActionInput } from "../../src/services/plan-lifecycle-service.ts";
import { gitProject } from "../support/git-project.ts";
import { callerOf } from "../support/plan-bench.ts";

const ACTION = "---\nname: team/fix\ndescription: Fixes.\n---\nFix it.\n";

/** Plans of a trusted project, with a git that notes each call of it. */
async function bench() {
  const project = await gitProject({ ".acumen/actions/fix.md": ACTION });
  const folder = await tempFolder();
  await mkdir(folder.join("bin"));
  const shim = folder.join("bin/git");
  const path = process.env["PATH"] ?? "";
  await writeFile(
    shim,
    `#!/bin/sh\necho "$*" >> '${folder.join("calls")}'\nPATH='${path}' exec git "$@"\n`,
  );
  await chmod(shim, 0o755);
  const services = createLocalServices({
    projects: [project.path],
    home: folder.join("home"),
    isTrusted: async () => true,
    environment: { PATH: `${folder.join("bin")}:${path}` },
    isolation: "none",
  });
  return {
    project,
    create: (input: Partial<UseActionInput>) =>
      services.plans.useAction(
        { action_name: "builtin/task", arguments: { prompt: "x" }, ...input },
        callerOf({ owner: "local", tokenId: null, scopes: ["plan:write"] }),
      ),
    calls: () => readFile(folder.join("calls"), "utf8").catch(() => ""),
    async [Symbol.asyncDispose]() {
      await services.plans.close();
      await project[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe("plan.create", () => {
  it.each([
    { input: { action_name: "builtin/tusk" }, code: "FACADE_NOT_FOUND" },
    { input: { action_name: "mcp/fix" }, code: "FACADE_NOT_FOUND" },
    { input: { arguments: {} }, code: "FACADE_VALIDATION_ERROR" },
    { input: { profile: "auto" }, code: "FACADE_FORBIDDEN" },
    { input: { action_name: "team/fix", profile: "full-auto" }, code: "FACADE_FORBIDDEN" },
    { input: { project: "/elsewhere" }, code: "FACADE_NOT_FOUND" },
  ] as const)("refuses $input without a call of git", async ({ input, code }) => {
    await using made = await bench();
    await expect(made.create(input)).rejects.toMatchObject({ code });
    expect(await made.calls()).toBe("");
  });

  it("reads an action's text at the base, and refuses what only the working tree has", async () => {
    await using made = await bench();
    const { project } = made;
    project.write(".acumen/actions/fix.md", ACTION.replace("Fix it.", "Break it."));
    project.write(".acumen/actions/new.md", ACTION.replace("team/fix", "team/new"));
    const { action } = await made.create({ action_name: "team/fix", arguments: {} });
    expect(action).toMatchObject({ prompt: "Fix it." });
    expect(await made.calls()).not.toBe("");
    await expect(made.create({ action_name: "team/new", arguments: {} })).rejects.toMatchObject({
      code: "FACADE_NOT_FOUND",
      message: expect.stringContaining("committed") as string,
    });
  });

  it.each(["team/fixx", "nonsense"])("refuses %s, and pins nothing", async (action_name) => {
    await using made = await bench();
    await expect(made.create({ action_name, arguments: {} })).rejects.toMatchObject({
      code: "FACADE_NOT_FOUND",
      message: expect.stringContaining("team/fix") as string,
    });
    expect(made.project.git("for-each-ref", "refs/acumen")).toBe("");
  });

  it("uses an action that the working tree does not have (any more), although the base has it", async () => {
    await using made = await bench();
    await rm(`${made.project.path}/.acumen/actions`, { recursive: true });
    const { action } = await made.create({ action_name: "team/fix", arguments: {} });
    expect(action).toMatchObject({ name: "team/fix", prompt: "Fix it." });
  });

  it("lets a file that is broken only in the working tree be used as it was committed", async () => {
    await using made = await bench();
    made.project.write(".acumen/actions/fix.md", "---\nname: team/fix\n---\n");
    const { action } = await made.create({ action_name: "team/fix", arguments: {} });
    expect(action).toMatchObject({ prompt: "Fix it." });
  });
});
