import { fileURLToPath } from "node:url";

const SERVER = fileURLToPath(new URL("word-server.mjs", import.meta.url));

/** The command of a server with a tool for each name; see there for its options. */
export function wordServer(...args: readonly string[]): string[] {
  return [process.execPath, SERVER, ...args];
}
