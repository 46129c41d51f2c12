import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TempFolder extends AsyncDisposable {
  /** Absolute, with links resolved. */
  readonly path: string;
  /** Joins names below the folder. */
  join(...names: string[]): string;
  remove(): Promise<void>;
}

/** A fresh folder below the system's temp folder; `await using folder = await tempFolder()` removes it. */
export async function tempFolder(name = "acumen"): Promise<TempFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), `${name}-`)));
  const remove = (): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 3 });
  return { path, join: (...names) => join(path, ...names), remove, [Symbol.asyncDispose]: remove };
}
