import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * How to run a TypeScript entry from its sources, whatever the child's working directory is; no build needed.
 * Where `ACUMEN_BUILD_IS_FRESH` says that the build was made a moment ago (`npm run test:slow`), a product's entry runs
 * from it instead: it starts in a third of the time.
 */
export function sourceCommand(entry: URL | string, args: readonly string[] = []): Command {
  const path = typeof entry === "string" ? entry : fileURLToPath(entry);
  const built = freshlyBuilt(path);
  if (built !== undefined) return { command: process.execPath, args: [built, ...args] };
  return {
    command: process.execPath,
    args: ["--import", import.meta.resolve("tsx"), "--conditions=@acumen/source", path, ...args],
  };
}

/** What `tsc -b` made of `packages/<name>/src/<file>.ts`. */
function freshlyBuilt(path: string): string | undefined {
  if (process.env["ACUMEN_BUILD_IS_FRESH"] !== "1") return undefined;
  const built = path.replace(/(\/packages\/[^/]+\/)src(\/.+)\.ts$/, "$1dist$2.js");
  return built !== path && existsSync(built) ? built : undefined;
}
