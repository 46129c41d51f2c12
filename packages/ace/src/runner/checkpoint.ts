import { join } from "node:path";
import { saveSkillbook } from "../skillbook/file.ts";
import type { Skillbook } from "../skillbook/skillbook.ts";

export interface CheckpointOptions {
  readonly folder: string;
  /** Samples between two checkpoints, counted through all epochs. */
  readonly interval: number;
}

/**
 * Writes the book as `checkpoint_<number>.json` and then as `latest.json`, each atomically, so that `latest.json` is
 * always whole and never newer than the numbered files.
 */
export async function writeCheckpoint(
  skillbook: Skillbook,
  folder: string,
  number: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const options = { ...(signal && { signal }) };
  await saveSkillbook(skillbook, join(folder, `checkpoint_${number}.json`), options);
  await saveSkillbook(skillbook, join(folder, "latest.json"), options);
}
