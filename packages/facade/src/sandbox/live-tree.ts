import { throwIfAborted } from "@acumen/core";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BusinessRuleViolation } from "../errors/domain-error.ts";
import { copyIndex } from "./copy-index.ts";
import type { AttemptFolder } from "./plan-folder.ts";
import { alternateLine, type PlanRepository } from "./plan-repository.ts";
import { stageFiles, writeTree } from "./stage-files.ts";

/** A file that changes while git reads it ends git; then all is listed anew. */
const TRIES = 5;
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * What stands in an attempt while somebody may still write there, as a tree that lives as long as `use` runs. Index and objects are
 * copies beside the attempt: neither its files nor its git folder nor any ref is touched.
 * @throws BusinessRuleViolation for more than 256 MiB of changed files; PlanError when it is gone; the abort's error
 */
export async function withLiveTree<T>(
  repository: PlanRepository,
  folder: AttemptFolder,
  signal: AbortSignal,
  use: (repository: PlanRepository, tree: string) => Promise<T>,
): Promise<T> {
  throwIfAborted(signal);
  const view = await mkdtemp(join(folder.path, "view-"));
  try {
    const objects = join(view, "objects");
    await mkdir(join(objects, "info"), { recursive: true });
    await writeFile(join(objects, "info", "alternates"), alternateLine(repository.objects));
    const lent = repository.storingIn(objects);
    const place = { work: folder.work, index: join(view, "index") };
    await copyIndex(folder.index, place.index);
    await stageMoving(lent, place, signal);
    return await use(lent, await writeTree(lent, place));
  } finally {
    await rm(view, { recursive: true, force: true });
  }
}

async function stageMoving(
  repository: PlanRepository,
  place: { readonly work: string; readonly index: string },
  signal: AbortSignal,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await stageFiles(repository, place, signal, { maxBytes: MAX_BYTES });
      return;
    } catch (error) {
      throwIfAborted(signal);
      if (tries === TRIES || error instanceof BusinessRuleViolation) throw error;
      // A git that was ended by a signal leaves it.
      await rm(`${place.index}.lock`, { force: true });
    }
  }
}
