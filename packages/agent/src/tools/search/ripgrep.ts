import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, realpath } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { isWithin } from "../../workspace/real-path.ts";
import type { Workspace } from "../../workspace/workspace.ts";

/** Of one run; longer lists are searched in several. */
const MAX_ARGUMENT_BYTES = 100_000;
const TIMEOUT_MS = 20_000;
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

/** It decides nothing: every file that could hold the text, and the tool looks at those itself. */
const ARGUMENTS = [
  "--no-config",
  "--no-ignore",
  "--hidden",
  "--no-messages",
  "--text",
  "--files-with-matches",
  "--null",
  "--fixed-strings",
  "--color=never",
];

/** The program where the user has it. One that lies in the workspace is somebody else's. */
export async function findRipgrep(
  path: string | undefined,
  workspace: Workspace,
): Promise<string | undefined> {
  for (const folder of (path ?? "").split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const program = await realpath(join(folder, "rg")).catch(() => undefined);
    if (program === undefined || workspace.roots.some((root) => isWithin(program, root))) continue;
    const runs = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return program;
  }
  return undefined;
}

export interface CandidateRequest {
  /** Absolute path of the program. */
  readonly program: string;
  readonly literal: string;
  readonly ignoreCase: boolean;
  readonly signal: AbortSignal;
}

/**
 * Those of the files that hold the text in some way.
 * @param files absolute paths
 * @returns undefined: it failed, so that every file is a candidate
 */
export async function candidates(
  files: readonly string[],
  request: CandidateRequest,
): Promise<ReadonlySet<string> | undefined> {
  const found = new Set<string>();
  for (const batch of batches(files)) {
    const output = await run(batch, request);
    if (output === undefined) return undefined;
    for (const path of output.split("\0")) if (path !== "") found.add(path);
  }
  return found;
}

function run(
  files: readonly string[],
  { program, literal, ignoreCase, signal }: CandidateRequest,
): Promise<string | undefined> {
  const words = [...ARGUMENTS, ...(ignoreCase ? ["--ignore-case"] : []), "-e", literal, "--"];
  const options = {
    cwd: "/",
    env: {},
    signal,
    timeout: TIMEOUT_MS,
    killSignal: "SIGKILL" as const,
    maxBuffer: MAX_OUTPUT_BYTES,
  };
  return new Promise((resolve) => {
    execFile(program, [...words, ...files], options, (error, stdout) => {
      // 1: nothing found. 2 comes with what could not be read, which the tool sees itself.
      const isAnswer = error === null || error.code === 1;
      resolve(isAnswer ? stdout : undefined);
    });
  });
}

function* batches(files: readonly string[]): Generator<readonly string[], void, undefined> {
  let batch: string[] = [];
  let bytes = 0;
  for (const file of files) {
    const size = Buffer.byteLength(file) + 1;
    if (bytes + size > MAX_ARGUMENT_BYTES && batch.length > 0) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(file);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
