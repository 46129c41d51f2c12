import { posix } from "node:path";
import { namesIn, shownName } from "../git/path-text.ts";

const MAX_FILE_BYTES = 4 * 1024 * 1024;

interface Source {
  run(
    args: readonly string[],
    call: { readonly answers: readonly number[]; readonly maxBytes?: number },
  ): Promise<{ readonly exitCode: number; readonly stdout: Buffer }>;
}

/** Reads files as a commit has them; nothing of the work tree is looked at. */
export class BaseReader {
  readonly #source: Source;
  readonly #commit: string;

  constructor(source: Source, commit: string) {
    this.#source = source;
    this.#commit = commit;
  }

  /** The first 4 MiB. Undefined: there is no such file. */
  async file(path: string): Promise<string | undefined> {
    const name = relativeName(path);
    if (name === undefined || name === "") return undefined;
    const args = ["cat-file", "blob", `${this.#commit}:${name}`];
    const call = { answers: [0, 128], maxBytes: MAX_FILE_BYTES };
    const { exitCode, stdout } = await this.#source.run(args, call);
    return exitCode === 128 ? undefined : stdout.toString("utf8");
  }

  async paths(folder: string): Promise<readonly string[]> {
    const name = relativeName(folder);
    if (name === undefined) return [];
    const args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", this.#commit];
    const below = name === "" ? [] : ["--", `${name}/`];
    const { stdout } = await this.#source.run([...args, ...below], { answers: [0] });
    return namesIn(stdout).map(shownName);
  }
}

/** Undefined: it leads out of the project. */
function relativeName(path: string): string | undefined {
  const name = posix.normalize(path).replace(/\/+$/, "");
  if (posix.isAbsolute(name) || name === ".." || name.startsWith("../")) return undefined;
  return name === "." ? "" : name;
}
