import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * Runs a script in a real bash that finds no program at all.
 * @param folder an existing folder for it to work in
 * @returns names of the programs that it tried to run
 */
export function programsTried(script: string, folder: string): readonly string[] {
  const log = join(folder, "tried.log");
  rmSync(log, { force: true });
  spawnSync("/bin/bash", ["--noprofile", "--norc", "-c", script], {
    cwd: folder,
    timeout: 10_000,
    stdio: "ignore",
    env: {
      PATH: "/nonexistent",
      "BASH_FUNC_command_not_found_handle%%": `() { echo "$1" >> ${log}; }`,
    },
  });
  return existsSync(log) ? readFileSync(log, "utf8").split("\n") : [];
}

/** The words that bash makes of arguments which are simple, one list per text. */
export function bashWords(texts: readonly string[]): readonly (readonly string[])[] {
  const script = texts.map((text) => `printf '%s\\0' ${text}; printf '\\1'`).join("\n");
  const { stdout } = spawnSync("/bin/bash", ["--noprofile", "--norc", "-c", script], {
    encoding: "utf8",
    env: { PATH: "/nonexistent", LC_ALL: "C.UTF-8" },
    maxBuffer: 64_000_000,
  });
  return stdout
    .split("\u0001")
    .slice(0, -1)
    .map((words) => words.split("\0").slice(0, -1));
}
