import { livenessOf, ownIdentity, type ProcessIdentity } from "@acumen/agent";
import { AcumenError, createId, ensureFolder, withFileLock, writeFileAtomic } from "@acumen/core";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { FacadeClosedError } from "../errors/facade-closed.ts";
import { removeTree } from "./trash.ts";

const ownerSchema = z.object({
  pid: z.number().int().positive(),
  start: z.string(),
  boot: z.string(),
  host: z.string(),
});

const NAME = /^\d+-[0-9A-Z]{26}$/;
/** One without an owner is being made, or was never finished. */
const MAKING_MS = 60 * 60_000;

/** What a store has to be for a place to be bound to it. */
export interface PlacedStore {
  readonly kind: "memory" | "sqlite";
}

const places = new WeakMap<PlacedStore, Map<string, EphemeralPlace>>();

/**
 * Where files lie that mean something to a store in memory alone: a folder of its own below `home`, so that neither another server nor
 * the database there takes them for left-overs.
 */
export class EphemeralPlace {
  readonly path: string;
  #made: Promise<void> | undefined;
  #isClosed = false;

  private constructor(home: string) {
    this.path = join(ephemeralFolder(home), `${process.pid}-${createId()}`);
  }

  /** The same for the same store and home. Undefined: what the store says outlives the process, and its files lie in `home` itself. */
  static of(store: PlacedStore, home: string): EphemeralPlace | undefined {
    if (store.kind !== "memory") return undefined;
    const known = places.get(store) ?? new Map<string, EphemeralPlace>();
    const place = known.get(home) ?? new EphemeralPlace(home);
    places.set(store, known.set(home, place));
    return place;
  }

  /** Says first whose it is: nobody may take it for what a dead process left. @throws FACADE_NOT_AVAILABLE after a close */
  make(): Promise<void> {
    if (this.#isClosed) return Promise.reject(new FacadeClosedError());
    this.#made ??= makePlace(this.path);
    return this.#made;
  }

  /** Nothing can be put there any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#made?.catch(() => undefined);
  }
}

/**
 * Has places below `home` whose process is gone taken away, one after the other. One of a living process, or of another machine, is none
 * of them. Another process that is at it is left to it.
 */
export async function takeLeftPlaces(
  home: string,
  take: (path: string) => Promise<void>,
): Promise<void> {
  if ((await leftPlaces(home)).length === 0) return;
  const work = async (): Promise<void> => {
    for (const path of await leftPlaces(home)) await take(path);
  };
  await withFileLock(join(ephemeralFolder(home), "left"), work, { waitMs: 0 }).catch(ifNotLocked);
}

function ifNotLocked(error: unknown): void {
  if (!(AcumenError.isInstance(error) && error.code === "CORE_LOCK_TIMEOUT")) throw error;
}

/** Says to the end whose it was, so that a later process goes on where this one is cut off. */
export async function removePlace(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (entry.isDirectory()) await removeTree(join(path, entry.name), () => Promise.resolve());
  }
  await removeTree(path, () => Promise.resolve());
}

async function leftPlaces(home: string): Promise<readonly string[]> {
  const folder = ephemeralFolder(home);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const paths = entries
    .filter((entry) => entry.isDirectory() && NAME.test(entry.name))
    .map(({ name }) => join(folder, name));
  const own = await ownIdentity();
  const left = await Promise.all(paths.map((path) => isLeft(path, own)));
  return paths.filter((_path, index) => left[index]);
}

async function makePlace(path: string): Promise<void> {
  await ensureFolder(path, { mode: 0o700 });
  await writeFileAtomic(ownerFile(path), `${JSON.stringify(await ownIdentity())}\n`);
}

async function isLeft(path: string, own: ProcessIdentity): Promise<boolean> {
  const owner = await ownerOf(path);
  if (owner !== undefined) return (await livenessOf(owner, own)) === "dead";
  const made = await stat(path).catch(() => undefined);
  return made !== undefined && made.mtimeMs < Date.now() - MAKING_MS;
}

async function ownerOf(path: string): Promise<ProcessIdentity | undefined> {
  const text = await readFile(ownerFile(path), "utf8").catch(() => "");
  try {
    return ownerSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function ownerFile(path: string): string {
  return join(path, "owner.json");
}

function ephemeralFolder(home: string): string {
  return join(home, "ephemeral");
}
