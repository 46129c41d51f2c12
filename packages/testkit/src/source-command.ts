import { fileURLToPath } from "node:url";

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

/** How to run a TypeScript entry from its sources, whatever the child's working directory is; no build needed. */
export function sourceCommand(entry: URL | string, args: readonly string[] = []): Command {
  const path = typeof entry === "string" ? entry : fileURLToPath(entry);
  return {
    command: process.execPath,
    args: ["--import", import.meta.resolve("tsx"), "--conditions=@acumen/source", path, ...args],
  };
}
