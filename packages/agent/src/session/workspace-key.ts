import { createHash } from "node:crypto";
import { basename } from "node:path";

/**
 * Name of the folder for a workspace's sessions: readable, and different for every path.
 * @param cwd absolute real path
 */
export function workspaceKey(cwd: string): string {
  const slug = basename(cwd)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-+|-+$/g, "");
  const hash = createHash("sha256").update(cwd).digest("hex").slice(0, 12);
  return `${slug === "" ? "root" : slug}-${hash}`;
}
