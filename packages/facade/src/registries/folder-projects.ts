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

interface Place {
  readonly path: string;
  readonly name: string;
  readonly isThere: boolean;
}

/** Folders of this machine, by path, by a name that is made of the folder's, or by the part of it behind `local/`. */
export class FolderProjects implements ProjectRegistry {
  readonly #options: FolderProjectsOptions;
  /** Where each folder was found last, so that one that vanishes keeps its name. */
  readonly #seen = new Map<string, string>();

  constructor(options: FolderProjectsOptions) {
    this.#options = options;
  }

  /**
   * Those that are there now. One that vanished is left out, and holds up no other.
   * @throws ConfigurationError when a folder was never there
   */
  async list(): Promise<readonly Project[]> {
    const places = await this.#places();
    return Promise.all(
      places.filter(({ isThere }) => isThere).map((place) => this.#described(place)),
    );
  }

  /** @throws ResourceNotFoundError; ConfigurationError when the project's folder is not there */
  async find(nameOrPath: string | undefined): Promise<Project> {
    const places = await this.#places();
    const place = await placeOf(nameOrPath, places);
    if (place?.isThere === false) throw notThere(place.path);
    if (place !== undefined) return this.#described(place);
    const known = places.map(({ name }) => name);
    const names = known.join(", ");
    throw new ResourceNotFoundError(
      nameOrPath === undefined
        ? "No project is served here; start it with --project."
        : `There is no project ${JSON.stringify(nameOrPath)} here; there ${places.length === 1 ? "is" : "are"} ${names}.`,
      { details: { project: nameOrPath ?? null, projects: known } },
    );
  }

  async #places(): Promise<readonly Place[]> {
    const found = await Promise.all(this.#options.folders.map((folder) => this.#look(folder)));
    const unique = new Map(found.map((each) => [each.path, each]));
    const taken = new Set<string>();
    return [...unique.values()].map((each) => ({ ...each, name: nameOf(each.path, taken) }));
  }

  async #look(folder: string): Promise<Omit<Place, "name">> {
    const path = await realFolder(folder);
    if (path !== undefined) {
      this.#seen.set(folder, path);
      return { path, isThere: true };
    }
    const seen = this.#seen.get(folder);
    if (seen === undefined) throw notThere(folder);
    return { path: seen, isThere: false };
  }

  async #described({ path, name }: Place): Promise<Project> {
    const [trusted, isCheckout] = await Promise.all([
      this.#options.isTrusted(path),
      this.#options.isCheckout(path),
    ]);
    return { path, name, trusted, kind: isCheckout ? "git-checkout" : "fs-directory" };
  }
}

async function placeOf(
  nameOrPath: string | undefined,
  places: readonly Place[],
): Promise<Place | undefined> {
  // Also when it is not there: the work of a default goes into no other project.
  if (nameOrPath === undefined) return places[0];
  const found = places.find(({ name, path }) => name === nameOrPath || path === nameOrPath);
  if (found !== undefined) return found;
  const short = places.filter(({ path }) => plainName(path) === nameOrPath);
  if (short.length === 1) return short[0];
  const real = await pathOf(nameOrPath);
  return places.find(({ path }) => path === real);
}

/** Undefined: no folder is there. */
async function realFolder(folder: string): Promise<string | undefined> {
  const path = await pathOf(folder);
  if (path === undefined) return undefined;
  const facts = await stat(path).catch(() => undefined);
  return facts?.isDirectory() === true ? path : undefined;
}

function notThere(folder: string): ConfigurationError {
  return new ConfigurationError(`The project ${folder} is no folder that can be read.`, {
    details: { path: folder },
  });
}

/** Undefined: nothing is there. */
async function pathOf(path: string): Promise<string | undefined> {
  return realpath(resolve(path)).catch(() => undefined);
}

/** `local/shop`, and `local/shop-2` for the next folder of that name. */
function nameOf(path: string, taken: Set<string>): string {
  const plain = plainName(path);
  let name = `local/${plain}`;
  for (let count = 2; taken.has(name); count += 1) name = `local/${plain}-${count}`;
  taken.add(name);
  return name;
}

function plainName(path: string): string {
  const plain = basename(path)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+/, "")
    .slice(0, 100);
  return plain || "project";
}
