import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * The nearest folder at or above `cwd` that holds `.git` (folder or file). As git does, one that belongs to somebody else does not count:
 * anybody may put a `.git` into a shared parent such as the folder of temporary files.
 * @param cwd absolute real path
 * @param own id of this process's user; undefined where there are none
 */
export async function findGitRoot(
  cwd: string,
  own: number | undefined = process.getuid?.(),
): Promise<string | undefined> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const stats = await lstat(join(folder, ".git")).catch(() => undefined);
    if (stats && (stats.isDirectory() || stats.isFile())) {
      return own === undefined || stats.uid === own ? folder : undefined;
    }
    if (dirname(folder) === folder) return undefined;
  }
}
