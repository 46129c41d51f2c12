import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { tempFolder } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { ROOT } from "./support/ace-mcp.ts";
import { runCommand } from "./support/run-command.ts";

const files = readdirSync(join(ROOT, "examples"), { recursive: true, encoding: "utf8" }).toSorted();
const examples = files.filter((path) => path.endsWith(".ts"));
const scripts = files.filter((path) => path.endsWith(".sh"));

describe("examples run on the build and end with ok", () => {
  test("there are some", () => {
    expect(examples.length).toBeGreaterThanOrEqual(4);
    expect(scripts.length).toBeGreaterThanOrEqual(1);
  });

  test.each(examples)("%s", async (path) => {
    const tsx = join(ROOT, "node_modules/.bin/tsx");
    const run = await runCommand(tsx, [join("examples", path)], { cwd: ROOT, timeoutMs: 150_000 });
    expect(run.code, run.stdout + run.stderr).toBe(0);
    expect(lastLine(run.stdout)).toBe("ok");
  });

  test.each(scripts)("%s, and says so where curl is missing", async (path) => {
    const script = join(ROOT, "examples", path);
    const run = await runCommand("/bin/sh", [script], { cwd: ROOT, timeoutMs: 150_000 });
    expect(run.code, run.stdout + run.stderr).toBe(0);
    expect(["ok", SKIPPED]).toContain(lastLine(run.stdout));
    await using folder = await tempFolder("no-curl");
    await symlink("/usr/bin/dirname", folder.join("dirname"));
    const without = await runCommand("/bin/sh", [script], { env: { PATH: folder.path } });
    expect([without.code, without.stdout]).toEqual([0, `${SKIPPED}\n`]);
  });
});

const SKIPPED = "skipped: curl is not installed";

function lastLine(text: string): string | undefined {
  return text.trimEnd().split("\n").at(-1);
}

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
    expect(run.stdout).toMatch(/Act five: /);
    expect(run.stdout).toMatch(
      hasLoopback(command) ? /plan is\s+apply\/constrained/ : /Left out: /,
    );
    expect(readdirSync(folder.path)).toEqual([]);
  });
});

const NAMESPACE = ["unshare", "--user", "--map-root-user", "--net"];
/** The act over HTTP needs the interface that leads nowhere. */
const WITH_LOOPBACK = [...NAMESPACE, "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];

/** A namespace without any way to a network, where the system allows it to be made. */
function withoutNetwork(): readonly string[] {
  return [WITH_LOOPBACK, NAMESPACE].find(works) ?? [];
}

function works([command = "", ...args]: readonly string[]): boolean {
  return spawnSync(command, [...args, "true"]).status === 0;
}

function hasLoopback(command: string | undefined): boolean {
  return command !== "unshare" || works(WITH_LOOPBACK);
}
