import { type Clock, systemClock } from "@acumen/core";
import { release } from "node:os";
import { basename } from "node:path";
import { delimitedBlock, plainName } from "./delimited-block.ts";
import { findGitRoot } from "./git-root.ts";

/** What stays the same during a session; collected once, so that the prompt's prefix does not move at midnight. */
export interface EnvironmentFacts {
  /** Absolute real path. */
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  /** Absolute; absent when the working directory is in no repository of this user. */
  readonly gitRoot?: string;
  /** Such as `linux 6.1.0`. */
  readonly platform: string;
  /** Name of the program, such as `bash`. */
  readonly shell: string;
  /** `YYYY-MM-DD`, UTC. */
  readonly date: string;
}

export interface FactsOptions {
  /** Absolute real path. */
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
}

export async function environmentFacts(options: FactsOptions): Promise<EnvironmentFacts> {
  const { cwd, additionalDirectories = [], environment, clock = systemClock } = options;
  const gitRoot = await findGitRoot(cwd);
  return {
    cwd,
    additionalDirectories,
    ...(gitRoot !== undefined && { gitRoot }),
    platform: `${process.platform} ${release()}`,
    shell: basename(environment["SHELL"] || "sh"),
    date: clock.now().toISOString().slice(0, 10),
  };
}

export function renderFacts(facts: EnvironmentFacts): string {
  const { cwd, additionalDirectories, gitRoot, platform, shell, date } = facts;
  const lines = [
    `working directory: ${plainName(cwd)}`,
    ...additionalDirectories.map((path) => `additional directory: ${plainName(path)}`),
    `git repository: ${gitRoot === undefined ? "no" : `yes, root ${plainName(gitRoot)}`}`,
    `platform: ${plainName(platform)}`,
    `shell: ${plainName(shell)}`,
    `date when the session began: ${date}`,
  ];
  return delimitedBlock({ tag: "environment", text: lines.join("\n") });
}
