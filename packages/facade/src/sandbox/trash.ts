import { createId, errnoOf, type Logger } from "@acumen/core";
import { chmod, mkdir, opendir, readdir, rename, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const WAIT_MS = 300;
const PAUSE_MS = 1;
const BATCH = 64;

/**
 * Takes folders away at once, however large they are: they are moved aside, and removed little by little. That keeps neither the
 * process from ending nor anything else from going on; what is left then is removed by a later process.
 */
export class Trash {
  readonly #folder: string;
  readonly #logger: Logger;

  /** @param folder on the same file system as what is taken away */
  constructor(folder: string, logger: Logger) {
    this.#folder = folder;
    this.#logger = logger;
  }

  /**
   * When it returns, nothing is at the path any more. A path where nothing is, is no error.
   * @param options.wait whether a small folder is to be gone from the disk too; default true
   */
  async take(path: string, { wait = true }: { readonly wait?: boolean } = {}): Promise<void> {
    const place = join(this.#folder, createId());
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    try {
      await rename(path, place);
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return;
      throw error;
    }
    if (wait) await this.#remove(place);
    else this.#removeLater(place);
  }

  /** What earlier processes left. */
  async empty(): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names) this.#removeLater(join(this.#folder, name));
  }

  async #remove(place: string): Promise<void> {
    let isLate = false;
    const end = new AbortController();
    const late = delay(WAIT_MS, undefined, { signal: end.signal }).then(
      () => {
        isLate = true;
      },
      () => undefined,
    );
    const removed = this.#guarded(place, () => (isLate ? pause() : Promise.resolve()));
    await Promise.race([removed, late]);
    end.abort();
  }

  #removeLater(place: string): void {
    void this.#guarded(place, pause);
  }

  async #guarded(place: string, pace: () => Promise<void>): Promise<void> {
    try {
      await pace();
      await removeTree(place, pace);
    } catch (error) {
      this.#logger.warn("what a plan leaves could not be removed from the disk", {
        path: place,
        reason: errnoOf(error) ?? String(error),
      });
    }
  }
}

/** A process that has nothing else to do ends here. */
function pause(): Promise<void> {
  return delay(PAUSE_MS, undefined, { ref: false });
}

/** What cannot be entered is made so. */
export async function removeTree(path: string, pace: () => Promise<void>): Promise<void> {
  const folders: string[] = [];
  let batch: string[] = [];
  const flush = async (): Promise<void> => {
    await Promise.all(batch.map((file) => unlink(file).catch(ignoreMissing)));
    batch = [];
    await pace();
  };
  // Commands may have made folders that cannot be entered.
  await chmod(path, 0o700).catch(ignoreMissing);
  try {
    for await (const entry of await opendir(path)) {
      if (entry.isDirectory()) folders.push(join(path, entry.name));
      else batch.push(join(path, entry.name));
      if (batch.length >= BATCH) await flush();
    }
  } catch (error) {
    ignoreMissing(error);
  }
  await flush();
  for (const folder of folders) await removeTree(folder, pace);
  await rmdir(path).catch(ignoreMissing);
}

/** Another process may be at the same. */
function ignoreMissing(error: unknown): void {
  if (errnoOf(error) !== "ENOENT") throw error;
}
