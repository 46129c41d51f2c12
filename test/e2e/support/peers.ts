import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { withFileLock } from "@acumen/core";
import { ROOT } from "./ace-mcp.ts";
import { npm } from "./npm.ts";

/** Other people's clients and servers. */
export const PEERS = `${ROOT}test/peers`;
/** The newest conformance suite, and the Node.js that it needs. */
export const CONFORMANCE = `${ROOT}test/conformance`;

/** acpx, and the Node.js that it needs. */
export const ACPX = `${ROOT}test/acpx`;

/**
 * Installs a folder of the tests from its own lock file; does nothing when that very lock file is installed.
 * @param command `install` for packages with optional ones that the registry may lack, for which `ci` would stop
 */
export async function installPeers(
  folder = PEERS,
  command: "ci" | "install" = "ci",
): Promise<void> {
  const lock = createHash("sha256")
    .update(readFileSync(`${folder}/package-lock.json`))
    .digest("hex");
  const stamp = `${folder}/node_modules/.installed-lock`;
  if (readStamp(stamp) === lock) return;
  // Files that run side by side need the same ones.
  await withFileLock(
    `${folder}/package-lock.json`,
    () => install(folder, command, { stamp, lock }),
    {
      waitMs: 280_000,
    },
  );
}

async function install(
  folder: string,
  command: "ci" | "install",
  { stamp, lock }: { readonly stamp: string; readonly lock: string },
): Promise<void> {
  if (readStamp(stamp) === lock) return;
  try {
    await npm(command === "ci" ? ["ci"] : ["install", "--no-save"], folder, 280_000);
  } catch (error) {
    throw new Error(`\`npm ${command}\` in ${folder} failed; it needs a package registry`, {
      cause: error,
    });
  }
  writeFileSync(stamp, lock);
}

function readStamp(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
