import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve, sep } from "node:path";
import { cliError } from "../errors.ts";

/**
 * A plan works in a copy of its project. The file system itself, the home folder and what holds it are none: their copy would be of
 * everything, keys too.
 * @throws CLI_USAGE
 */
export async function refuseWholeMachine(
  projects: readonly string[],
  variables: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const home = await realOf(variables["HOME"]?.trim() || homedir());
  for (const project of projects) {
    const path = await realOf(project);
    const inside = path.endsWith(sep) ? path : `${path}${sep}`;
    if (!`${home}${sep}`.startsWith(inside) && path !== resolve("/")) continue;
    const what = path === home ? "your home folder" : "a folder with your home in it";
    throw cliError(
      "CLI_USAGE",
      `${path} is ${path === resolve("/") ? "the whole file system" : what}, and no project: plans would work in a copy of it all. ` +
        "Change to the folder of a project, or name one with --project.",
    );
  }
}

async function realOf(path: string): Promise<string> {
  const absolute = resolve(path);
  return realpath(absolute).catch(() => absolute);
}
