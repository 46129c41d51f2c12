import { realpath } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { AcumenError } from "@acumen/core";
import type { JsonObject } from "@acumen/facade";
import { cliError } from "../errors.ts";
import { printable } from "../terminal/printable.ts";
import { ask, type PlanClient } from "./plan-client.ts";
import { objectsOf, textOf } from "./plan-facts.ts";

export interface ServedProject {
  /** Such as `local/shop`. */
  readonly name: string;
  /** Undefined: the token may not see it. */
  readonly path?: string;
}

const MOST_NAMED = 10;

/**
 * Projects that plans may be made for; undefined where the token may not see them.
 * @throws as {@link ask}
 */
export async function servedProjects(
  client: PlanClient,
): Promise<readonly ServedProject[] | undefined> {
  try {
    const [checkouts, folders] = await Promise.all([
      listed(client, "git-checkout"),
      listed(client, "fs-directory"),
    ]);
    return [...checkouts, ...folders].map((each) => ({
      name: textOf(each["name"]),
      path: textOf(each["location"]),
    }));
  } catch (error) {
    const isHidden = AcumenError.isInstance(error) && error.code === "FACADE_FORBIDDEN";
    if (isHidden) return undefined;
    throw error;
  }
}

async function listed(client: PlanClient, type: string): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  let cursor = "";
  do {
    const page = await ask(client, "registry.list_resources", {
      type_name: type,
      limit: 200,
      ...(cursor !== "" && { cursor }),
    });
    found.push(...objectsOf(page["resources"]));
    cursor = textOf(page["next_cursor"]);
  } while (cursor !== "");
  return found;
}

/**
 * The one that was named, by name, short name or path; without a name the innermost that holds the folder, or the only one.
 * @throws CLI_USAGE naming those that there are
 */
export async function chosenProject(
  projects: readonly ServedProject[],
  named: string | undefined,
  cwd: string,
): Promise<string> {
  if (named !== undefined) {
    const found = await namedProject(projects, named, cwd);
    if (found !== undefined) return found;
    throw cliError(
      "CLI_USAGE",
      `--project ${JSON.stringify(named)} is none of the projects that are served: ${namesOf(projects)}.`,
    );
  }
  const [only, ...more] = projects;
  if (only !== undefined && more.length === 0) return only.name;
  const holder = holderOf(projects, cwd);
  if (holder !== undefined) return holder;
  throw severalProjects(projects);
}

/** Name of the innermost project that holds a folder; undefined: none does. */
export function holderOf(projects: readonly ServedProject[], cwd: string): string | undefined {
  const [holder] = projects
    .filter(({ path }) => path !== undefined && holds(path, cwd))
    .toSorted((one, other) => (other.path?.length ?? 0) - (one.path?.length ?? 0));
  return holder?.name;
}

/** CLI_USAGE: which of them is meant cannot be known. */
function severalProjects(projects: readonly ServedProject[]): AcumenError {
  return cliError(
    "CLI_USAGE",
    projects.length === 0
      ? "The server has no project that is there now; look at its folders."
      : `Name the project with --project: the server has several, and none is known to hold this folder: ${namesOf(projects)}.`,
  );
}

async function namedProject(
  projects: readonly ServedProject[],
  named: string,
  cwd: string,
): Promise<string | undefined> {
  const exact = projects.find(({ name, path }) => name === named || path === named);
  if (exact !== undefined) return exact.name;
  const real = await realFolder(named, cwd);
  const there = projects.find(({ path }) => path === real);
  if (there !== undefined) return there.name;
  // A short name; the server knows whether it is that of one folder alone.
  return projects.some(({ name }) => name === `local/${named}`) ? named : undefined;
}

/** As this process sees it; a server may stand elsewhere. */
export async function realFolder(path: string, cwd: string): Promise<string> {
  const absolute = resolve(cwd, path);
  return realpath(absolute).catch(() => absolute);
}

function holds(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

function namesOf(projects: readonly ServedProject[]): string {
  const shown = projects
    .slice(0, MOST_NAMED)
    .map(({ name, path }) => printable(path === undefined ? name : `${name} (${path})`));
  const more = projects.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
