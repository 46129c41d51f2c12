import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { cliError } from "../errors.ts";

/** How a server process is started. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** How packages are found and how this process was started; given by tests. */
export interface Surroundings {
  /** @returns the file URL of a package's entry */
  readonly resolve?: (specifier: string) => string;
  readonly execArgv?: readonly string[];
}

/**
 * The `ace-mcp` of the installed `@acumen/ace`, run by the same Node as this process. When packages resolve to their
 * sources (the private condition of tests), the server is started from its sources too, with the same Node flags, so that
 * a stale build is never what is shown.
 * @throws CLI_SERVER_FAILED when the package names no such bin.
 */
export function aceServerCommand(surroundings: Surroundings = {}): ServerCommand {
  const { resolve = (specifier) => import.meta.resolve(specifier), execArgv = process.execArgv } =
    surroundings;
  const entry = resolve("@acumen/ace/mcp");
  if (entry.endsWith(".ts")) {
    const source = fileURLToPath(new URL("./bin.ts", entry));
    return { command: process.execPath, args: [...execArgv, source] };
  }
  return { command: process.execPath, args: [binOf(resolve("@acumen/ace/package.json"))] };
}

/** The `acumen` that this process belongs to, from its sources when this file is one. */
export function acumenCommand({
  execArgv = process.execArgv,
}: Pick<Surroundings, "execArgv"> = {}): ServerCommand {
  const isSource = import.meta.url.endsWith(".ts");
  const bin = fileURLToPath(new URL(isSource ? "../bin.ts" : "../bin.js", import.meta.url));
  return { command: process.execPath, args: isSource ? [...execArgv, bin] : [bin] };
}

/** @param manifest file URL of the package's package.json */
function binOf(manifest: string): string {
  const { bin } = JSON.parse(readFileSync(fileURLToPath(manifest), "utf8")) as {
    readonly bin?: Readonly<Record<string, string>>;
  };
  const path = bin?.["ace-mcp"];
  if (path === undefined) {
    throw cliError(
      "CLI_SERVER_FAILED",
      "The installed @acumen/ace names no bin ace-mcp. Reinstall it.",
    );
  }
  return fileURLToPath(new URL(path, manifest));
}
