import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { ROOT } from "./ace-mcp.ts";
import { npm } from "./npm.ts";

export const PEERS = `${ROOT}test/peers`;
const STAMP = `${PEERS}/node_modules/.installed-lock`;

/** Installs other people's clients from their own lock file; does nothing when that very lock file is installed. */
export async function installPeers(): Promise<void> {
  const lock = createHash("sha256")
    .update(readFileSync(`${PEERS}/package-lock.json`))
    .digest("hex");
  if (readStamp() === lock) return;
  try {
    await npm(["ci"], PEERS, 280_000);
  } catch (error) {
    throw new Error(
      "The MCP peers could not be installed: `npm ci` in test/peers needs a package registry",
      { cause: error },
    );
  }
  writeFileSync(STAMP, lock);
}

function readStamp(): string | undefined {
  try {
    return readFileSync(STAMP, "utf8");
  } catch {
    return undefined;
  }
}
