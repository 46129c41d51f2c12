import { readFile } from "node:fs/promises";
import { GitSandboxes } from "../../src/sandbox/git-sandboxes.ts";
import type { Project } from "../../src/sandbox/sandboxes.ts";

/** Removes a plan, and has nothing else to do: says how long each took, in milliseconds. */
const [file = ""] = process.argv.slice(2);
const { home, project, planId } = JSON.parse(await readFile(file, "utf8")) as {
  readonly home: string;
  readonly project: Project;
  readonly planId: string;
};
const sandboxes = new GitSandboxes({ home, environment: { PATH: process.env["PATH"] } });
const begun = performance.now();
await sandboxes.remove({ planId, project });
const removed = performance.now();
process.once("exit", () => {
  const times = { removed_ms: removed - begun, ended_ms: performance.now() - removed };
  process.stdout.write(JSON.stringify(times));
});
