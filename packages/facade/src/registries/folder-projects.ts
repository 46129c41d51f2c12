import { realpath, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { ConfigurationError, ResourceNotFoundError } from "../errors/domain-error.ts";
import type { ProjectRegistry } from "../services/project-registry.ts";
import type { Project } from "../sandbox/sandboxes.ts";

export interface FolderProjectsOptions {
  /** The first is the default. */
  readonly folders: readonly string[];
  /** Asked whenever it matters: trust may be taken back. */
  readonly isTrusted: (path: string) => Promise<boolean>;
  /** Whether a folder is the top of a git checkout. */
  readonly isCheckout: (path: string) => Promise<boolean>;
}

/** Folders of this machine, by path or by a name that is made of the folder's. */
export class FolderProjects implements ProjectRegistry {
  readonly #options: FolderProjectsOptions;

  constructor(options: FolderProjectsOptions) {
    this.#options = options;
  }

  /** @throws ConfigurationError when a folder is not there */
  async list(): Promise<readonly Project[]> {
    const paths = await Promise.all(this.#options.folders.map(realFolder));
    const unique = [...new Set(paths)];
    const taken = new Map<string, number>();
    const named = unique.map((path) => ({ path, name: nameOf(path, taken) }));
    return Promise.all(named.map((project) => this.#described(project)));
  }

  async find(nameOrPath: string | undefined): Promise<Project> {
    const projects = await this.list();
    const [first] = projects;
    if (nameOrPath === undefined && first !== undefined) return first;
    const found = projects.find(({ name, path }) => name === nameOrPath || path === nameOrPath);
    const real =
      found === undefined && nameOrPath !== undefined ? await pathOf(nameOrPath) : undefined;
    const project = found ?? projects.find(({ path }) => path === real);
    if (project !== undefined) return project;
    const names = projects.map(({ name }) => name).join(", ");
    throw new ResourceNotFoundError(
      nameOrPath === undefined
        ? "No project is served here; start it with --project."
        : `There is no project ${JSON.stringify(nameOrPath)} here; there ${projects.length === 1 ? "is" : "are"} ${names}.`,
      { details: { project: nameOrPath ?? null } },
    );
  }

  async #described(named: { readonly path: string; readonly name: string }): Promise<Project> {
    const [trusted, isCheckout] = await Promise.all([
      this.#options.isTrusted(named.path),
      this.#options.isCheckout(named.path),
    ]);
    return { ...named, trusted, kind: isCheckout ? "git-checkout" : "fs-directory" };
  }
}

async function realFolder(folder: string): Promise<string> {
  const path = await pathOf(folder);
  if (path !== undefined && (await stat(path)).isDirectory()) return path;
  throw new ConfigurationError(`The project ${folder} is no folder that can be read.`, {
    details: { path: folder },
  });
}

/** Undefined: nothing is there. */
async function pathOf(path: string): Promise<string | undefined> {
  return realpath(resolve(path)).catch(() => undefined);
}

/** `local/shop`, and `local/shop-2` for the next folder of that name. */
function nameOf(path: string, taken: Map<string, number>): string {
  const plain =
    basename(path)
      .toLowerCase()
      .replaceAll(/[^a-z0-9._-]+/g, "-")
      .replace(/^[^a-z0-9]+/, "")
      .slice(0, 100) || "project";
  const count = (taken.get(plain) ?? 0) + 1;
  taken.set(plain, count);
  return count === 1 ? `local/${plain}` : `local/${plain}-${count}`;
}
