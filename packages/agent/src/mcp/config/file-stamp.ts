import { stat } from "node:fs/promises";
import { errnoOf } from "@acumen/core";

/** Another text when one of the files was changed, replaced, made or removed. Cheap. */
export async function stampOf(paths: readonly string[]): Promise<string> {
  return (await Promise.all(paths.map(fileStamp))).join(" ");
}

async function fileStamp(path: string): Promise<string> {
  try {
    const { mtimeNs, ctimeNs, size, ino } = await stat(path, { bigint: true });
    return `${mtimeNs}.${ctimeNs}.${size}.${ino}`;
  } catch (error) {
    return errnoOf(error) ?? "unknown";
  }
}
