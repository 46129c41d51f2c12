import { isDeepStrictEqual } from "node:util";
import { isJsonObject, parseJson, readTextFile } from "@acumen/core";

const MAX_BYTES = 32 * 1024 * 1024;

/** The records of a skillbook file by id. */
export type SavedSkills = Readonly<Record<string, unknown>>;

/** @throws CORE_FILE_*, CORE_JSON_INVALID */
export async function readSavedSkills(path: string): Promise<SavedSkills> {
  const file = parseJson(await readTextFile(path, { maxBytes: MAX_BYTES }));
  return isJsonObject(file) && isJsonObject(file["skills"]) ? file["skills"] : {};
}

/** How many records of `before` are in `after`, equal in every field. */
export function countKept(before: SavedSkills, after: SavedSkills): number {
  return Object.entries(before).filter(([id, skill]) => isDeepStrictEqual(skill, after[id])).length;
}
