import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Stands for a key; must be found in credentials.json and nowhere else. */
export const CANARY = "sk-canary-7f3a9c51e0d24b68";

/** Files below a folder that hold the canary, by name. */
export async function filesWithCanary(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of names) {
    if (!entry.isFile()) continue;
    const text = await readFile(join(entry.parentPath, entry.name), "utf8");
    if (text.includes(CANARY)) found.push(entry.name);
  }
  return found;
}
