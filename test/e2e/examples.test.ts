import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { ROOT } from "./support/ace-mcp.ts";
import { runCommand } from "./support/run-command.ts";

const examples = readdirSync(join(ROOT, "examples"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .toSorted();

describe("examples run on the build and end with ok", () => {
  test("there are some", () => {
    expect(examples.length).toBeGreaterThanOrEqual(2);
  });

  test.each(examples)("%s", async (path) => {
    const tsx = join(ROOT, "node_modules/.bin/tsx");
    const run = await runCommand(tsx, [join("examples", path)], { cwd: ROOT, timeoutMs: 150_000 });
    expect(run.code, run.stdout + run.stderr).toBe(0);
    expect(run.stdout.trimEnd().split("\n").at(-1)).toBe("ok");
  });
});

describe("npm start without its build", () => {
  const acumen = join(ROOT, "packages/cli/bin/acumen.js");

  test("acumen tour measures the gain and ends with exit 0: from any folder, without network, leaving nothing", async () => {
    await using folder = await tempFolder("acumen-tour");
    const [command, ...args] = [...withoutNetwork(), process.execPath, acumen, "tour"];
    const run = await runCommand(command ?? "", args, {
      cwd: folder.path,
      env: { HOME: folder.path },
      // How long it takes is measured where its report is read.
      timeoutMs: 150_000,
    });
    expect(run.code, run.stdout + run.stderr).toBe(0);
    expect(run.stdout).toMatch(/majority/i);
    expect(run.stdout).toMatch(/shuffled/i);
    expect(readdirSync(folder.path)).toEqual([]);
  });
});

/** A namespace without any network interface, where the system allows it to be made. */
function withoutNetwork(): readonly string[] {
  const namespace = ["unshare", "--user", "--map-root-user", "--net"];
  const [command = "", ...args] = namespace;
  return spawnSync(command, [...args, "true"]).status === 0 ? namespace : [];
}
