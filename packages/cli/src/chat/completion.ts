import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { printable } from "../terminal/printable.ts";

/** What may stand for the end of a line, and which end it is; in the form of Node's readline. */
export type Complete = (line: string) => Promise<[hits: string[], end: string]>;

export interface CompletionSources {
  /** Names of slash commands without the slash. */
  readonly commands: readonly string[];
  /** What may follow a command. */
  readonly argumentsOf: (command: string) => readonly string[];
  readonly cwd: () => string;
}

const MAX_HITS = 100;

/** Completes `/command`, its first argument, and `@path`. */
export function completion({ commands, argumentsOf, cwd }: CompletionSources): Complete {
  return async (line) => {
    const command = /^\/(\S*)$/.exec(line);
    if (command !== null)
      return hits(
        commands.map((name) => `/${name} `),
        line,
      );
    const argument = /^\/(\S+)\s+(\S*)$/.exec(line);
    if (argument !== null) {
      const [, name = "", word = ""] = argument;
      const found = hits(argumentsOf(name), word);
      if (found[0].length > 0) return found;
    }
    const mention = /(?:^|[\s([{<"'`])(@"[^"\n]*|@[^\s"]*)$/.exec(line)?.[1];
    return mention === undefined ? [[], line] : [await pathsFor(mention, cwd()), mention];
  };
}

function hits(all: readonly string[], word: string): [string[], string] {
  return [all.filter((one) => one.startsWith(word)), word];
}

async function pathsFor(mention: string, cwd: string): Promise<string[]> {
  const isQuoted = mention.startsWith('@"');
  const typed = mention.slice(isQuoted ? 2 : 1);
  const at = typed.lastIndexOf("/") + 1;
  const folder = typed.slice(0, at);
  const start = typed.slice(at);
  const entries = await readdir(resolve(cwd, folder === "" ? "." : folder), {
    withFileTypes: true,
  }).catch(() => []);
  return entries
    .filter(({ name }) => name.startsWith(start) && (start !== "" || !name.startsWith(".")))
    .filter(({ name }) => name === printable(name) && !name.includes('"'))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .slice(0, MAX_HITS)
    .map((entry) => {
      const path = `${folder}${entry.name}`;
      const isOpen = entry.isDirectory();
      if (!isQuoted && !path.includes(" ")) return `@${path}${isOpen ? "/" : " "}`;
      return `@"${path}${isOpen ? "/" : '" '}`;
    });
}
