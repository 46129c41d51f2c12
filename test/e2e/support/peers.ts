import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { ROOT } from "./ace-mcp.ts";
import { npm } from "./npm.ts";

/** Other people's clients and servers. */
export const PEERS = `${ROOT}test/peers`;
/** The newest conformance suite, and the Node.js that it needs. */
export const CONFORMANCE = `${ROOT}test/conformance`;

/** Installs a folder of the tests from its own lock file; does nothing when that very lock file is installed. */
export async function installPeers(folder = PEERS): Promise<void> {
  const lock = createHash("sha256")
    .update(readFileSync(`${folder}/package-lock.json`))
    .digest("hex");
  const stamp = `${folder}/node_modules/.installed-lock`;
  if (readStamp(stamp) === lock) return;
  try {
    await npm(["ci"], folder, 280_000);
  } catch (error) {
    throw new Error(`\`npm ci\` in ${folder} failed; it needs a package registry`, {
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
